// Original file: ../../proto/onceflow/v1/control.proto

import type { PartitionInfo as _onceflow_v1_PartitionInfo, PartitionInfo__Output as _onceflow_v1_PartitionInfo__Output } from '../../onceflow/v1/PartitionInfo.ts';
import type { GuaranteeClaim as _onceflow_v1_GuaranteeClaim, GuaranteeClaim__Output as _onceflow_v1_GuaranteeClaim__Output } from '../../onceflow/v1/GuaranteeClaim.ts';
import type { Failure as _onceflow_v1_Failure, Failure__Output as _onceflow_v1_Failure__Output } from '../../onceflow/v1/Failure.ts';

export interface InspectedOk {
  'partitions'?: (_onceflow_v1_PartitionInfo)[];
  'claims'?: (_onceflow_v1_GuaranteeClaim)[];
  'warnings'?: (_onceflow_v1_Failure)[];
}

export interface InspectedOk__Output {
  'partitions': (_onceflow_v1_PartitionInfo__Output)[];
  'claims': (_onceflow_v1_GuaranteeClaim__Output)[];
  'warnings': (_onceflow_v1_Failure__Output)[];
}
