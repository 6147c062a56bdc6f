// Original file: ../../proto/onceflow/v1/control.proto

import type { SourcePartition as _onceflow_v1_SourcePartition, SourcePartition__Output as _onceflow_v1_SourcePartition__Output } from '../../onceflow/v1/SourcePartition.ts';
import type { Long } from '@grpc/proto-loader';

export interface PartitionInfo {
  'partition'?: (_onceflow_v1_SourcePartition | null);
  'earliest'?: (number | string | Long);
  'end'?: (number | string | Long);
  'start'?: (number | string | Long);
}

export interface PartitionInfo__Output {
  'partition': (_onceflow_v1_SourcePartition__Output | null);
  'earliest': (string);
  'end': (string);
  'start': (string);
}
