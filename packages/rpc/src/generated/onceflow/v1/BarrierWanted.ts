// Original file: ../../proto/onceflow/v1/control.proto

import type { Stamp as _onceflow_v1_Stamp, Stamp__Output as _onceflow_v1_Stamp__Output } from '../../onceflow/v1/Stamp.ts';

export interface BarrierWanted {
  'stamp'?: (_onceflow_v1_Stamp | null);
  'subtask'?: (number);
  'reason'?: (string);
}

export interface BarrierWanted__Output {
  'stamp': (_onceflow_v1_Stamp__Output | null);
  'subtask': (number);
  'reason': (string);
}
