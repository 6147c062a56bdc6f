// Original file: ../../proto/onceflow/v1/control.proto

import type { Long } from '@grpc/proto-loader';

export interface LeaderHeartbeat {
  'leaderEpoch'?: (number | string | Long);
}

export interface LeaderHeartbeat__Output {
  'leaderEpoch': (string);
}
