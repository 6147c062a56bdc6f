// Original file: ../../proto/onceflow/v1/control.proto

import type { ResolveDone as _onceflow_v1_ResolveDone, ResolveDone__Output as _onceflow_v1_ResolveDone__Output } from '../../onceflow/v1/ResolveDone.ts';
import type { ResolveLost as _onceflow_v1_ResolveLost, ResolveLost__Output as _onceflow_v1_ResolveLost__Output } from '../../onceflow/v1/ResolveLost.ts';
import type { Failure as _onceflow_v1_Failure, Failure__Output as _onceflow_v1_Failure__Output } from '../../onceflow/v1/Failure.ts';

export interface ResolveOutcome {
  'done'?: (_onceflow_v1_ResolveDone | null);
  'lost'?: (_onceflow_v1_ResolveLost | null);
  'failed'?: (_onceflow_v1_Failure | null);
  'outcome'?: "done"|"lost"|"failed";
}

export interface ResolveOutcome__Output {
  'done'?: (_onceflow_v1_ResolveDone__Output | null);
  'lost'?: (_onceflow_v1_ResolveLost__Output | null);
  'failed'?: (_onceflow_v1_Failure__Output | null);
  'outcome'?: "done"|"lost"|"failed";
}
