// Original file: ../../proto/onceflow/v1/control.proto

import type { LostTransaction as _onceflow_v1_LostTransaction, LostTransaction__Output as _onceflow_v1_LostTransaction__Output } from '../../onceflow/v1/LostTransaction.ts';

export interface ResolveLost {
  'transactions'?: (_onceflow_v1_LostTransaction)[];
}

export interface ResolveLost__Output {
  'transactions': (_onceflow_v1_LostTransaction__Output)[];
}
