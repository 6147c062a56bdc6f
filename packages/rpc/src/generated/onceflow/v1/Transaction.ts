// Original file: ../../proto/onceflow/v1/admin.proto

import type { Long } from '@grpc/proto-loader';

// Original file: ../../proto/onceflow/v1/admin.proto

export const _onceflow_v1_Transaction_Decision = {
  DECISION_UNSPECIFIED: 'DECISION_UNSPECIFIED',
  DECISION_UNDECIDED: 'DECISION_UNDECIDED',
  DECISION_COMMIT: 'DECISION_COMMIT',
  DECISION_ABORT: 'DECISION_ABORT',
} as const;

export type _onceflow_v1_Transaction_Decision =
  | 'DECISION_UNSPECIFIED'
  | 0
  | 'DECISION_UNDECIDED'
  | 1
  | 'DECISION_COMMIT'
  | 2
  | 'DECISION_ABORT'
  | 3

export type _onceflow_v1_Transaction_Decision__Output = typeof _onceflow_v1_Transaction_Decision[keyof typeof _onceflow_v1_Transaction_Decision]

export interface Transaction {
  'name'?: (string);
  'id'?: (string);
  'sink'?: (string);
  'subtask'?: (number);
  'checkpoint'?: (number | string | Long);
  'attempt'?: (number | string | Long);
  'decision'?: (_onceflow_v1_Transaction_Decision);
  'worker'?: (string);
  'ageMs'?: (number | string | Long);
}

export interface Transaction__Output {
  'name': (string);
  'id': (string);
  'sink': (string);
  'subtask': (number);
  'checkpoint': (string);
  'attempt': (string);
  'decision': (_onceflow_v1_Transaction_Decision__Output);
  'worker': (string);
  'ageMs': (string);
}
