// Original file: ../../proto/onceflow/v1/control.proto

import type { Stamp as _onceflow_v1_Stamp, Stamp__Output as _onceflow_v1_Stamp__Output } from '../../onceflow/v1/Stamp.ts';

export interface TasksEnded {
  'stamp'?: (_onceflow_v1_Stamp | null);
}

export interface TasksEnded__Output {
  'stamp': (_onceflow_v1_Stamp__Output | null);
}
