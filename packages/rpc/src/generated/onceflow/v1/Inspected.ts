// Original file: ../../proto/onceflow/v1/control.proto

import type { Stamp as _onceflow_v1_Stamp, Stamp__Output as _onceflow_v1_Stamp__Output } from '../../onceflow/v1/Stamp.ts';
import type { InspectedOk as _onceflow_v1_InspectedOk, InspectedOk__Output as _onceflow_v1_InspectedOk__Output } from '../../onceflow/v1/InspectedOk.ts';
import type { InspectedFailed as _onceflow_v1_InspectedFailed, InspectedFailed__Output as _onceflow_v1_InspectedFailed__Output } from '../../onceflow/v1/InspectedFailed.ts';

export interface Inspected {
  'stamp'?: (_onceflow_v1_Stamp | null);
  'ok'?: (_onceflow_v1_InspectedOk | null);
  'failed'?: (_onceflow_v1_InspectedFailed | null);
  'result'?: "ok"|"failed";
}

export interface Inspected__Output {
  'stamp': (_onceflow_v1_Stamp__Output | null);
  'ok'?: (_onceflow_v1_InspectedOk__Output | null);
  'failed'?: (_onceflow_v1_InspectedFailed__Output | null);
  'result'?: "ok"|"failed";
}
