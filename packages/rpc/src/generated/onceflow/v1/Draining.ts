// Original file: ../../proto/onceflow/v1/control.proto

import type { Long } from '@grpc/proto-loader';

export interface Draining {
  'leaderEpoch'?: (number | string | Long);
}

export interface Draining__Output {
  'leaderEpoch': (string);
}
