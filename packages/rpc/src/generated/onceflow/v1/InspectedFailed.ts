// Original file: ../../proto/onceflow/v1/control.proto

import type { Failure as _onceflow_v1_Failure, Failure__Output as _onceflow_v1_Failure__Output } from '../../onceflow/v1/Failure.ts';

export interface InspectedFailed {
  'failures'?: (_onceflow_v1_Failure)[];
}

export interface InspectedFailed__Output {
  'failures': (_onceflow_v1_Failure__Output)[];
}
