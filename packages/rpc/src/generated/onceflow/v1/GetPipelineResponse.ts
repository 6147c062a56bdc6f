// Original file: ../../proto/onceflow/v1/admin.proto

import type { Pipeline as _onceflow_v1_Pipeline, Pipeline__Output as _onceflow_v1_Pipeline__Output } from '../../onceflow/v1/Pipeline.ts';

export interface GetPipelineResponse {
  'pipeline'?: (_onceflow_v1_Pipeline | null);
}

export interface GetPipelineResponse__Output {
  'pipeline': (_onceflow_v1_Pipeline__Output | null);
}
