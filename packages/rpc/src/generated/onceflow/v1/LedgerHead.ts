// Original file: ../../proto/onceflow/v1/control.proto

import type { Long } from '@grpc/proto-loader';

export interface LedgerHead {
  'sink'?: (string);
  'subtask'?: (number);
  'checkpoint'?: (number | string | Long);
  'attempt'?: (number | string | Long);
}

export interface LedgerHead__Output {
  'sink': (string);
  'subtask': (number);
  'checkpoint': (string);
  'attempt': (string);
}
