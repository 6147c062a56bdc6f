// Original file: ../../proto/onceflow/v1/control.proto

import type { VersionedJson as _onceflow_v1_VersionedJson, VersionedJson__Output as _onceflow_v1_VersionedJson__Output } from '../../onceflow/v1/VersionedJson.ts';

// Original file: ../../proto/onceflow/v1/control.proto

export const _onceflow_v1_Handle_Kind = {
  KIND_UNSPECIFIED: 'KIND_UNSPECIFIED',
  KIND_SEALED: 'KIND_SEALED',
  KIND_EMPTY: 'KIND_EMPTY',
} as const;

export type _onceflow_v1_Handle_Kind =
  | 'KIND_UNSPECIFIED'
  | 0
  | 'KIND_SEALED'
  | 1
  | 'KIND_EMPTY'
  | 2

export type _onceflow_v1_Handle_Kind__Output = typeof _onceflow_v1_Handle_Kind[keyof typeof _onceflow_v1_Handle_Kind]

export interface Handle {
  'sink'?: (string);
  'subtask'?: (number);
  'kind'?: (_onceflow_v1_Handle_Kind);
  'data'?: (_onceflow_v1_VersionedJson | null);
}

export interface Handle__Output {
  'sink': (string);
  'subtask': (number);
  'kind': (_onceflow_v1_Handle_Kind__Output);
  'data': (_onceflow_v1_VersionedJson__Output | null);
}
