// Original file: ../../proto/onceflow/v1/control.proto

import type { Long } from '@grpc/proto-loader';

export interface Welcome {
  'leaderEpoch'?: (number | string | Long);
  'cluster'?: (string);
  'heartbeatIntervalMs'?: (number);
}

export interface Welcome__Output {
  'leaderEpoch': (string);
  'cluster': (string);
  'heartbeatIntervalMs': (number);
}
