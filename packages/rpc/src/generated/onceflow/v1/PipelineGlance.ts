// Original file: ../../proto/onceflow/v1/admin.proto

import type { _onceflow_v1_Pipeline_State, _onceflow_v1_Pipeline_State__Output } from '../../onceflow/v1/Pipeline.ts';
import type { Failure as _onceflow_v1_Failure, Failure__Output as _onceflow_v1_Failure__Output } from '../../onceflow/v1/Failure.ts';
import type { Flow as _onceflow_v1_Flow, Flow__Output as _onceflow_v1_Flow__Output } from '../../onceflow/v1/Flow.ts';
import type { CheckpointGlance as _onceflow_v1_CheckpointGlance, CheckpointGlance__Output as _onceflow_v1_CheckpointGlance__Output } from '../../onceflow/v1/CheckpointGlance.ts';

export interface PipelineGlance {
  'name'?: (string);
  'state'?: (_onceflow_v1_Pipeline_State);
  'failure'?: (_onceflow_v1_Failure | null);
  'flow'?: (_onceflow_v1_Flow | null);
  'lastCheckpoint'?: (_onceflow_v1_CheckpointGlance | null);
}

export interface PipelineGlance__Output {
  'name': (string);
  'state': (_onceflow_v1_Pipeline_State__Output);
  'failure': (_onceflow_v1_Failure__Output | null);
  'flow': (_onceflow_v1_Flow__Output | null);
  'lastCheckpoint': (_onceflow_v1_CheckpointGlance__Output | null);
}
