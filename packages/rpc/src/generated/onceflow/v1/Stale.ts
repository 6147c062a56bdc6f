// Original file: ../../proto/onceflow/v1/control.proto

import type { Long } from '@grpc/proto-loader';

export interface Stale {
  'leaderEpoch'?: (number | string | Long);
  'pipeline'?: (string);
  'attempt'?: (number | string | Long);
  '_pipeline'?: "pipeline";
  '_attempt'?: "attempt";
}

export interface Stale__Output {
  'leaderEpoch': (string);
  'pipeline'?: (string);
  'attempt'?: (string);
  '_pipeline'?: "pipeline";
  '_attempt'?: "attempt";
}
