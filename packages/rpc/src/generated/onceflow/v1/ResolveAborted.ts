// Original file: ../../proto/onceflow/v1/control.proto

import type { Stamp as _onceflow_v1_Stamp, Stamp__Output as _onceflow_v1_Stamp__Output } from '../../onceflow/v1/Stamp.ts';
import type { ResolveOutcome as _onceflow_v1_ResolveOutcome, ResolveOutcome__Output as _onceflow_v1_ResolveOutcome__Output } from '../../onceflow/v1/ResolveOutcome.ts';

export interface ResolveAborted {
  'stamp'?: (_onceflow_v1_Stamp | null);
  'outcome'?: (_onceflow_v1_ResolveOutcome | null);
}

export interface ResolveAborted__Output {
  'stamp': (_onceflow_v1_Stamp__Output | null);
  'outcome': (_onceflow_v1_ResolveOutcome__Output | null);
}
