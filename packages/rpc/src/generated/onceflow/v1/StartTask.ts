// Original file: ../../proto/onceflow/v1/control.proto

import type { Stamp as _onceflow_v1_Stamp, Stamp__Output as _onceflow_v1_Stamp__Output } from '../../onceflow/v1/Stamp.ts';
import type { VersionedJson as _onceflow_v1_VersionedJson, VersionedJson__Output as _onceflow_v1_VersionedJson__Output } from '../../onceflow/v1/VersionedJson.ts';
import type { Position as _onceflow_v1_Position, Position__Output as _onceflow_v1_Position__Output } from '../../onceflow/v1/Position.ts';
import type { LedgerHead as _onceflow_v1_LedgerHead, LedgerHead__Output as _onceflow_v1_LedgerHead__Output } from '../../onceflow/v1/LedgerHead.ts';
import type { SinkContextState as _onceflow_v1_SinkContextState, SinkContextState__Output as _onceflow_v1_SinkContextState__Output } from '../../onceflow/v1/SinkContextState.ts';
import type { Long } from '@grpc/proto-loader';

export interface StartTask {
  'stamp'?: (_onceflow_v1_Stamp | null);
  'spec'?: (_onceflow_v1_VersionedJson | null);
  'subtask'?: (number);
  'restored'?: (number | string | Long);
  'positions'?: (_onceflow_v1_Position)[];
  'heads'?: (_onceflow_v1_LedgerHead)[];
  'contexts'?: (_onceflow_v1_SinkContextState)[];
}

export interface StartTask__Output {
  'stamp': (_onceflow_v1_Stamp__Output | null);
  'spec': (_onceflow_v1_VersionedJson__Output | null);
  'subtask': (number);
  'restored': (string);
  'positions': (_onceflow_v1_Position__Output)[];
  'heads': (_onceflow_v1_LedgerHead__Output)[];
  'contexts': (_onceflow_v1_SinkContextState__Output)[];
}
