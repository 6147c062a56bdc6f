// Original file: ../../proto/onceflow/v1/control.proto

import type { Stamp as _onceflow_v1_Stamp, Stamp__Output as _onceflow_v1_Stamp__Output } from '../../onceflow/v1/Stamp.ts';
import type { ResolveOutcome as _onceflow_v1_ResolveOutcome, ResolveOutcome__Output as _onceflow_v1_ResolveOutcome__Output } from '../../onceflow/v1/ResolveOutcome.ts';
import type { Long } from '@grpc/proto-loader';

export interface Committed {
  'stamp'?: (_onceflow_v1_Stamp | null);
  'subtask'?: (number);
  'checkpoint'?: (number | string | Long);
  'outcome'?: (_onceflow_v1_ResolveOutcome | null);
  'commitMs'?: (number | string);
}

export interface Committed__Output {
  'stamp': (_onceflow_v1_Stamp__Output | null);
  'subtask': (number);
  'checkpoint': (string);
  'outcome': (_onceflow_v1_ResolveOutcome__Output | null);
  'commitMs': (number);
}
