// Original file: ../../proto/onceflow/v1/control.proto

import type { Long } from '@grpc/proto-loader';

// Original file: ../../proto/onceflow/v1/control.proto

export const _onceflow_v1_KnownCheckpoint_State = {
  STATE_UNSPECIFIED: 'STATE_UNSPECIFIED',
  STATE_COMMITTED: 'STATE_COMMITTED',
  STATE_COMPLETED: 'STATE_COMPLETED',
  STATE_UNDONE: 'STATE_UNDONE',
} as const;

export type _onceflow_v1_KnownCheckpoint_State =
  | 'STATE_UNSPECIFIED'
  | 0
  | 'STATE_COMMITTED'
  | 1
  | 'STATE_COMPLETED'
  | 2
  | 'STATE_UNDONE'
  | 3

export type _onceflow_v1_KnownCheckpoint_State__Output = typeof _onceflow_v1_KnownCheckpoint_State[keyof typeof _onceflow_v1_KnownCheckpoint_State]

export interface KnownCheckpoint {
  'checkpoint'?: (number | string | Long);
  'attempt'?: (number | string | Long);
  'state'?: (_onceflow_v1_KnownCheckpoint_State);
}

export interface KnownCheckpoint__Output {
  'checkpoint': (string);
  'attempt': (string);
  'state': (_onceflow_v1_KnownCheckpoint_State__Output);
}
