// Original file: ../../proto/onceflow/v1/control.proto

import type { Stamp as _onceflow_v1_Stamp, Stamp__Output as _onceflow_v1_Stamp__Output } from '../../onceflow/v1/Stamp.ts';
import type { Position as _onceflow_v1_Position, Position__Output as _onceflow_v1_Position__Output } from '../../onceflow/v1/Position.ts';
import type { Handle as _onceflow_v1_Handle, Handle__Output as _onceflow_v1_Handle__Output } from '../../onceflow/v1/Handle.ts';
import type { SinkContextState as _onceflow_v1_SinkContextState, SinkContextState__Output as _onceflow_v1_SinkContextState__Output } from '../../onceflow/v1/SinkContextState.ts';
import type { Long } from '@grpc/proto-loader';

export interface Sealed {
  'stamp'?: (_onceflow_v1_Stamp | null);
  'subtask'?: (number);
  'checkpoint'?: (number | string | Long);
  'positions'?: (_onceflow_v1_Position)[];
  'handles'?: (_onceflow_v1_Handle)[];
  'contexts'?: (_onceflow_v1_SinkContextState)[];
  'records'?: (number | string | Long);
  'rows'?: (number | string | Long);
  'sealMs'?: (number | string);
}

export interface Sealed__Output {
  'stamp': (_onceflow_v1_Stamp__Output | null);
  'subtask': (number);
  'checkpoint': (string);
  'positions': (_onceflow_v1_Position__Output)[];
  'handles': (_onceflow_v1_Handle__Output)[];
  'contexts': (_onceflow_v1_SinkContextState__Output)[];
  'records': (string);
  'rows': (string);
  'sealMs': (number);
}
