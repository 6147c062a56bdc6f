// Original file: ../../proto/onceflow/v1/control.proto

import type { Stamp as _onceflow_v1_Stamp, Stamp__Output as _onceflow_v1_Stamp__Output } from '../../onceflow/v1/Stamp.ts';
import type { VersionedJson as _onceflow_v1_VersionedJson, VersionedJson__Output as _onceflow_v1_VersionedJson__Output } from '../../onceflow/v1/VersionedJson.ts';

export interface Inspect {
  'stamp'?: (_onceflow_v1_Stamp | null);
  'spec'?: (_onceflow_v1_VersionedJson | null);
}

export interface Inspect__Output {
  'stamp': (_onceflow_v1_Stamp__Output | null);
  'spec': (_onceflow_v1_VersionedJson__Output | null);
}
