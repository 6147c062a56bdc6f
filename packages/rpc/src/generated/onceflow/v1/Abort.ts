// Original file: ../../proto/onceflow/v1/control.proto

import type { Stamp as _onceflow_v1_Stamp, Stamp__Output as _onceflow_v1_Stamp__Output } from '../../onceflow/v1/Stamp.ts';
import type { Long } from '@grpc/proto-loader';

export interface Abort {
  'stamp'?: (_onceflow_v1_Stamp | null);
  'next'?: (number | string | Long);
  'checkpoint'?: (number | string | Long);
  'revision'?: (number | string | Long);
  '_checkpoint'?: "checkpoint";
}

export interface Abort__Output {
  'stamp': (_onceflow_v1_Stamp__Output | null);
  'next': (string);
  'checkpoint'?: (string);
  'revision': (string);
  '_checkpoint'?: "checkpoint";
}
