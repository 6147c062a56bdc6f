// Original file: ../../proto/onceflow/v1/admin.proto

import type { ClusterStatus as _onceflow_v1_ClusterStatus, ClusterStatus__Output as _onceflow_v1_ClusterStatus__Output } from '../../onceflow/v1/ClusterStatus.ts';

export interface GetStatusResponse {
  'status'?: (_onceflow_v1_ClusterStatus | null);
}

export interface GetStatusResponse__Output {
  'status': (_onceflow_v1_ClusterStatus__Output | null);
}
