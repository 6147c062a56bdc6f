// Original file: ../../proto/onceflow/v1/admin.proto

import type { Long } from '@grpc/proto-loader';

export interface WorkerTask {
  'pipeline'?: (string);
  'subtask'?: (number);
  'attempt'?: (number | string | Long);
  'lastCommitted'?: (number | string | Long);
  'lagRecords'?: (number | string | Long);
  'recordsIn'?: (number | string | Long);
  'waiting'?: (string);
  '_lastCommitted'?: "lastCommitted";
}

export interface WorkerTask__Output {
  'pipeline': (string);
  'subtask': (number);
  'attempt': (string);
  'lastCommitted'?: (string);
  'lagRecords': (string);
  'recordsIn': (string);
  'waiting': (string);
  '_lastCommitted'?: "lastCommitted";
}
