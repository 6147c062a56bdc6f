// Original file: ../../proto/onceflow/v1/control.proto

import type { Stamp as _onceflow_v1_Stamp, Stamp__Output as _onceflow_v1_Stamp__Output } from '../../onceflow/v1/Stamp.ts';
import type { VersionedJson as _onceflow_v1_VersionedJson, VersionedJson__Output as _onceflow_v1_VersionedJson__Output } from '../../onceflow/v1/VersionedJson.ts';
import type { RecordOfHandles as _onceflow_v1_RecordOfHandles, RecordOfHandles__Output as _onceflow_v1_RecordOfHandles__Output } from '../../onceflow/v1/RecordOfHandles.ts';
import type { KnownCheckpoint as _onceflow_v1_KnownCheckpoint, KnownCheckpoint__Output as _onceflow_v1_KnownCheckpoint__Output } from '../../onceflow/v1/KnownCheckpoint.ts';
import type { Long } from '@grpc/proto-loader';

export interface ResolveCommit {
  'stamp'?: (_onceflow_v1_Stamp | null);
  'spec'?: (_onceflow_v1_VersionedJson | null);
  'revision'?: (number | string | Long);
  'open'?: (_onceflow_v1_RecordOfHandles)[];
  'known'?: (_onceflow_v1_KnownCheckpoint)[];
  'retireMark'?: (number | string | Long);
}

export interface ResolveCommit__Output {
  'stamp': (_onceflow_v1_Stamp__Output | null);
  'spec': (_onceflow_v1_VersionedJson__Output | null);
  'revision': (string);
  'open': (_onceflow_v1_RecordOfHandles__Output)[];
  'known': (_onceflow_v1_KnownCheckpoint__Output)[];
  'retireMark': (string);
}
