// Original file: ../../proto/onceflow/v1/control.proto

import type { Stamp as _onceflow_v1_Stamp, Stamp__Output as _onceflow_v1_Stamp__Output } from '../../onceflow/v1/Stamp.ts';
import type { Long } from '@grpc/proto-loader';

export interface Commit {
  'stamp'?: (_onceflow_v1_Stamp | null);
  'checkpoint'?: (number | string | Long);
  'revision'?: (number | string | Long);
}

export interface Commit__Output {
  'stamp': (_onceflow_v1_Stamp__Output | null);
  'checkpoint': (string);
  'revision': (string);
}
