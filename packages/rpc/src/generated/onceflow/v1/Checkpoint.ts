// Original file: ../../proto/onceflow/v1/admin.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';
import type { Position as _onceflow_v1_Position, Position__Output as _onceflow_v1_Position__Output } from '../../onceflow/v1/Position.ts';
import type { SealedTransaction as _onceflow_v1_SealedTransaction, SealedTransaction__Output as _onceflow_v1_SealedTransaction__Output } from '../../onceflow/v1/SealedTransaction.ts';
import type { Long } from '@grpc/proto-loader';

// Original file: ../../proto/onceflow/v1/admin.proto

export const _onceflow_v1_Checkpoint_Kind = {
  KIND_UNSPECIFIED: 'KIND_UNSPECIFIED',
  KIND_START: 'KIND_START',
  KIND_REGULAR: 'KIND_REGULAR',
  KIND_REWIND: 'KIND_REWIND',
} as const;

export type _onceflow_v1_Checkpoint_Kind =
  | 'KIND_UNSPECIFIED'
  | 0
  | 'KIND_START'
  | 1
  | 'KIND_REGULAR'
  | 2
  | 'KIND_REWIND'
  | 3

export type _onceflow_v1_Checkpoint_Kind__Output = typeof _onceflow_v1_Checkpoint_Kind[keyof typeof _onceflow_v1_Checkpoint_Kind]

// Original file: ../../proto/onceflow/v1/admin.proto

export const _onceflow_v1_Checkpoint_State = {
  STATE_UNSPECIFIED: 'STATE_UNSPECIFIED',
  STATE_SEALING: 'STATE_SEALING',
  STATE_COMMITTED: 'STATE_COMMITTED',
  STATE_COMPLETED: 'STATE_COMPLETED',
  STATE_ABORTED: 'STATE_ABORTED',
  STATE_UNDONE: 'STATE_UNDONE',
  STATE_LOST: 'STATE_LOST',
} as const;

export type _onceflow_v1_Checkpoint_State =
  | 'STATE_UNSPECIFIED'
  | 0
  | 'STATE_SEALING'
  | 1
  | 'STATE_COMMITTED'
  | 2
  | 'STATE_COMPLETED'
  | 3
  | 'STATE_ABORTED'
  | 4
  | 'STATE_UNDONE'
  | 5
  | 'STATE_LOST'
  | 6

export type _onceflow_v1_Checkpoint_State__Output = typeof _onceflow_v1_Checkpoint_State[keyof typeof _onceflow_v1_Checkpoint_State]

export interface Checkpoint {
  'name'?: (string);
  'checkpoint'?: (number | string | Long);
  'attempt'?: (number | string | Long);
  'leaderEpoch'?: (number | string | Long);
  'kind'?: (_onceflow_v1_Checkpoint_Kind);
  'state'?: (_onceflow_v1_Checkpoint_State);
  'revision'?: (number | string | Long);
  'startTime'?: (_google_protobuf_Timestamp | null);
  'decideTime'?: (_google_protobuf_Timestamp | null);
  'completeTime'?: (_google_protobuf_Timestamp | null);
  'records'?: (number | string | Long);
  'rows'?: (number | string | Long);
  'sealMs'?: (number | string);
  'decideMs'?: (number | string);
  'commitMs'?: (number | string);
  'positions'?: (_onceflow_v1_Position)[];
  'transactions'?: (_onceflow_v1_SealedTransaction)[];
  '_revision'?: "revision";
}

export interface Checkpoint__Output {
  'name': (string);
  'checkpoint': (string);
  'attempt': (string);
  'leaderEpoch': (string);
  'kind': (_onceflow_v1_Checkpoint_Kind__Output);
  'state': (_onceflow_v1_Checkpoint_State__Output);
  'revision'?: (string);
  'startTime': (_google_protobuf_Timestamp__Output | null);
  'decideTime': (_google_protobuf_Timestamp__Output | null);
  'completeTime': (_google_protobuf_Timestamp__Output | null);
  'records': (string);
  'rows': (string);
  'sealMs': (number);
  'decideMs': (number);
  'commitMs': (number);
  'positions': (_onceflow_v1_Position__Output)[];
  'transactions': (_onceflow_v1_SealedTransaction__Output)[];
  '_revision'?: "revision";
}
