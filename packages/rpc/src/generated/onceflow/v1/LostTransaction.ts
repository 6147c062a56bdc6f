// Original file: ../../proto/onceflow/v1/control.proto

import type { Failure as _onceflow_v1_Failure, Failure__Output as _onceflow_v1_Failure__Output } from '../../onceflow/v1/Failure.ts';
import type { Long } from '@grpc/proto-loader';

export interface LostTransaction {
  'sink'?: (string);
  'subtask'?: (number);
  'checkpoint'?: (number | string | Long);
  'failure'?: (_onceflow_v1_Failure | null);
}

export interface LostTransaction__Output {
  'sink': (string);
  'subtask': (number);
  'checkpoint': (string);
  'failure': (_onceflow_v1_Failure__Output | null);
}
