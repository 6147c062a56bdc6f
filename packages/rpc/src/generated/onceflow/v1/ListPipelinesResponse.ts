// Original file: ../../proto/onceflow/v1/admin.proto

import type { Pipeline as _onceflow_v1_Pipeline, Pipeline__Output as _onceflow_v1_Pipeline__Output } from '../../onceflow/v1/Pipeline.ts';

export interface ListPipelinesResponse {
  'pipelines'?: (_onceflow_v1_Pipeline)[];
  'nextPageToken'?: (string);
}

export interface ListPipelinesResponse__Output {
  'pipelines': (_onceflow_v1_Pipeline__Output)[];
  'nextPageToken': (string);
}
