// Original file: ../../proto/onceflow/v1/admin.proto

import type { Worker as _onceflow_v1_Worker, Worker__Output as _onceflow_v1_Worker__Output } from '../../onceflow/v1/Worker.ts';

export interface ListWorkersResponse {
  'workers'?: (_onceflow_v1_Worker)[];
  'nextPageToken'?: (string);
}

export interface ListWorkersResponse__Output {
  'workers': (_onceflow_v1_Worker__Output)[];
  'nextPageToken': (string);
}
