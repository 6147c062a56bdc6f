// Original file: ../../proto/onceflow/v1/control.proto

import type { Stamp as _onceflow_v1_Stamp, Stamp__Output as _onceflow_v1_Stamp__Output } from '../../onceflow/v1/Stamp.ts';
import type { SourcePartition as _onceflow_v1_SourcePartition, SourcePartition__Output as _onceflow_v1_SourcePartition__Output } from '../../onceflow/v1/SourcePartition.ts';

export interface PartitionsFound {
  'stamp'?: (_onceflow_v1_Stamp | null);
  'partitions'?: (_onceflow_v1_SourcePartition)[];
}

export interface PartitionsFound__Output {
  'stamp': (_onceflow_v1_Stamp__Output | null);
  'partitions': (_onceflow_v1_SourcePartition__Output)[];
}
