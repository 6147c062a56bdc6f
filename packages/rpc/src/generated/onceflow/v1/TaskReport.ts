// Original file: ../../proto/onceflow/v1/control.proto

import type { Long } from '@grpc/proto-loader';

export interface TaskReport {
  'pipeline'?: (string);
  'attempt'?: (number | string | Long);
  'subtask'?: (number);
  'lastBarrier'?: (number | string | Long);
  'lastCommitted'?: (number | string | Long);
  'sealing'?: (boolean);
  '_lastBarrier'?: "lastBarrier";
  '_lastCommitted'?: "lastCommitted";
}

export interface TaskReport__Output {
  'pipeline': (string);
  'attempt': (string);
  'subtask': (number);
  'lastBarrier'?: (string);
  'lastCommitted'?: (string);
  'sealing': (boolean);
  '_lastBarrier'?: "lastBarrier";
  '_lastCommitted'?: "lastCommitted";
}
