// Original file: ../../proto/onceflow/v1/admin.proto

import type { Leader as _onceflow_v1_Leader, Leader__Output as _onceflow_v1_Leader__Output } from '../../onceflow/v1/Leader.ts';
import type { Coordinator as _onceflow_v1_Coordinator, Coordinator__Output as _onceflow_v1_Coordinator__Output } from '../../onceflow/v1/Coordinator.ts';
import type { PipelineGlance as _onceflow_v1_PipelineGlance, PipelineGlance__Output as _onceflow_v1_PipelineGlance__Output } from '../../onceflow/v1/PipelineGlance.ts';
import type { Flow as _onceflow_v1_Flow, Flow__Output as _onceflow_v1_Flow__Output } from '../../onceflow/v1/Flow.ts';

export interface ClusterStatus {
  'cluster'?: (string);
  'version'?: (string);
  'leader'?: (_onceflow_v1_Leader | null);
  'coordinators'?: (_onceflow_v1_Coordinator)[];
  'workersLive'?: (number);
  'workersLost'?: (number);
  'pipelines'?: (_onceflow_v1_PipelineGlance)[];
  'flow'?: (_onceflow_v1_Flow | null);
}

export interface ClusterStatus__Output {
  'cluster': (string);
  'version': (string);
  'leader': (_onceflow_v1_Leader__Output | null);
  'coordinators': (_onceflow_v1_Coordinator__Output)[];
  'workersLive': (number);
  'workersLost': (number);
  'pipelines': (_onceflow_v1_PipelineGlance__Output)[];
  'flow': (_onceflow_v1_Flow__Output | null);
}
