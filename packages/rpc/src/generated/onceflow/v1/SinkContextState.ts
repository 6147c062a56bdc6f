// Original file: ../../proto/onceflow/v1/control.proto

import type { VersionedJson as _onceflow_v1_VersionedJson, VersionedJson__Output as _onceflow_v1_VersionedJson__Output } from '../../onceflow/v1/VersionedJson.ts';

export interface SinkContextState {
  'sink'?: (string);
  'subtask'?: (number);
  'data'?: (_onceflow_v1_VersionedJson | null);
}

export interface SinkContextState__Output {
  'sink': (string);
  'subtask': (number);
  'data': (_onceflow_v1_VersionedJson__Output | null);
}
