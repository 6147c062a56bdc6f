// Original file: ../../proto/onceflow/v1/admin.proto

import type { Checkpoint as _onceflow_v1_Checkpoint, Checkpoint__Output as _onceflow_v1_Checkpoint__Output } from '../../onceflow/v1/Checkpoint.ts';

export interface ListCheckpointsResponse {
  'checkpoints'?: (_onceflow_v1_Checkpoint)[];
  'nextPageToken'?: (string);
}

export interface ListCheckpointsResponse__Output {
  'checkpoints': (_onceflow_v1_Checkpoint__Output)[];
  'nextPageToken': (string);
}
