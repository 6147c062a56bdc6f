// Original file: ../../proto/onceflow/v1/admin.proto

import type { Checkpoint as _onceflow_v1_Checkpoint, Checkpoint__Output as _onceflow_v1_Checkpoint__Output } from '../../onceflow/v1/Checkpoint.ts';

export interface GetCheckpointResponse {
  'checkpoint'?: (_onceflow_v1_Checkpoint | null);
}

export interface GetCheckpointResponse__Output {
  'checkpoint': (_onceflow_v1_Checkpoint__Output | null);
}
