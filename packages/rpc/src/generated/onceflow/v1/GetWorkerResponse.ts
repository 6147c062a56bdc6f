// Original file: ../../proto/onceflow/v1/admin.proto

import type { Worker as _onceflow_v1_Worker, Worker__Output as _onceflow_v1_Worker__Output } from '../../onceflow/v1/Worker.ts';

export interface GetWorkerResponse {
  'worker'?: (_onceflow_v1_Worker | null);
}

export interface GetWorkerResponse__Output {
  'worker': (_onceflow_v1_Worker__Output | null);
}
