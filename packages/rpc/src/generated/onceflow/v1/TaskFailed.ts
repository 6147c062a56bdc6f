// Original file: ../../proto/onceflow/v1/control.proto

import type { Stamp as _onceflow_v1_Stamp, Stamp__Output as _onceflow_v1_Stamp__Output } from '../../onceflow/v1/Stamp.ts';
import type { Failure as _onceflow_v1_Failure, Failure__Output as _onceflow_v1_Failure__Output } from '../../onceflow/v1/Failure.ts';

export interface TaskFailed {
  'stamp'?: (_onceflow_v1_Stamp | null);
  'subtask'?: (number);
  'failure'?: (_onceflow_v1_Failure | null);
}

export interface TaskFailed__Output {
  'stamp': (_onceflow_v1_Stamp__Output | null);
  'subtask': (number);
  'failure': (_onceflow_v1_Failure__Output | null);
}
