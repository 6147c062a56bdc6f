// Original file: ../../proto/onceflow/v1/control.proto

import type { Long } from '@grpc/proto-loader';

export interface Stamp {
  'pipeline'?: (string);
  'attempt'?: (number | string | Long);
  'leaderEpoch'?: (number | string | Long);
}

export interface Stamp__Output {
  'pipeline': (string);
  'attempt': (string);
  'leaderEpoch': (string);
}
