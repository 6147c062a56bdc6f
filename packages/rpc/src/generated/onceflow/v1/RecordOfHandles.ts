// Original file: ../../proto/onceflow/v1/control.proto

import type { Handle as _onceflow_v1_Handle, Handle__Output as _onceflow_v1_Handle__Output } from '../../onceflow/v1/Handle.ts';
import type { Long } from '@grpc/proto-loader';

export interface RecordOfHandles {
  'checkpoint'?: (number | string | Long);
  'attempt'?: (number | string | Long);
  'handles'?: (_onceflow_v1_Handle)[];
}

export interface RecordOfHandles__Output {
  'checkpoint': (string);
  'attempt': (string);
  'handles': (_onceflow_v1_Handle__Output)[];
}
