// Original file: ../../proto/onceflow/v1/common.proto

import type { RecordPosition as _onceflow_v1_RecordPosition, RecordPosition__Output as _onceflow_v1_RecordPosition__Output } from '../../onceflow/v1/RecordPosition.ts';

// Original file: ../../proto/onceflow/v1/common.proto

export const _onceflow_v1_Failure_Class = {
  CLASS_UNSPECIFIED: 'CLASS_UNSPECIFIED',
  CLASS_RETRY: 'CLASS_RETRY',
  CLASS_FENCE: 'CLASS_FENCE',
  CLASS_FATAL: 'CLASS_FATAL',
} as const;

export type _onceflow_v1_Failure_Class =
  | 'CLASS_UNSPECIFIED'
  | 0
  | 'CLASS_RETRY'
  | 1
  | 'CLASS_FENCE'
  | 2
  | 'CLASS_FATAL'
  | 3

export type _onceflow_v1_Failure_Class__Output = typeof _onceflow_v1_Failure_Class[keyof typeof _onceflow_v1_Failure_Class]

export interface Failure {
  'code'?: (string);
  'class'?: (_onceflow_v1_Failure_Class);
  'detail'?: (string);
  'hint'?: (string);
  'position'?: (_onceflow_v1_RecordPosition | null);
  'field'?: (string);
  '_field'?: "field";
}

export interface Failure__Output {
  'code': (string);
  'class': (_onceflow_v1_Failure_Class__Output);
  'detail': (string);
  'hint': (string);
  'position': (_onceflow_v1_RecordPosition__Output | null);
  'field'?: (string);
  '_field'?: "field";
}
