// Original file: ../../proto/onceflow/v1/control.proto

import type { Stamp as _onceflow_v1_Stamp, Stamp__Output as _onceflow_v1_Stamp__Output } from '../../onceflow/v1/Stamp.ts';
import type { VersionedJson as _onceflow_v1_VersionedJson, VersionedJson__Output as _onceflow_v1_VersionedJson__Output } from '../../onceflow/v1/VersionedJson.ts';
import type { KnownCheckpoint as _onceflow_v1_KnownCheckpoint, KnownCheckpoint__Output as _onceflow_v1_KnownCheckpoint__Output } from '../../onceflow/v1/KnownCheckpoint.ts';
import type { LedgerHead as _onceflow_v1_LedgerHead, LedgerHead__Output as _onceflow_v1_LedgerHead__Output } from '../../onceflow/v1/LedgerHead.ts';
import type { Long } from '@grpc/proto-loader';

export interface ResolveAbort {
  'stamp'?: (_onceflow_v1_Stamp | null);
  'spec'?: (_onceflow_v1_VersionedJson | null);
  'revision'?: (number | string | Long);
  'known'?: (_onceflow_v1_KnownCheckpoint)[];
  'retireMark'?: (number | string | Long);
  'heads'?: (_onceflow_v1_LedgerHead)[];
  'newestDecided'?: (number | string | Long);
}

export interface ResolveAbort__Output {
  'stamp': (_onceflow_v1_Stamp__Output | null);
  'spec': (_onceflow_v1_VersionedJson__Output | null);
  'revision': (string);
  'known': (_onceflow_v1_KnownCheckpoint__Output)[];
  'retireMark': (string);
  'heads': (_onceflow_v1_LedgerHead__Output)[];
  'newestDecided': (string);
}
