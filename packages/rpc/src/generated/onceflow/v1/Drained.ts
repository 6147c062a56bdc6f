// Original file: ../../proto/onceflow/v1/control.proto

import type { Long } from '@grpc/proto-loader';

export interface Drained {
  'leaderEpoch'?: (number | string | Long);
}

export interface Drained__Output {
  'leaderEpoch': (string);
}
