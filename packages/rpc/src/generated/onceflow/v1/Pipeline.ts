// Original file: ../../proto/onceflow/v1/admin.proto

import type { Struct as _google_protobuf_Struct, Struct__Output as _google_protobuf_Struct__Output } from '../../google/protobuf/Struct.ts';
import type { Failure as _onceflow_v1_Failure, Failure__Output as _onceflow_v1_Failure__Output } from '../../onceflow/v1/Failure.ts';
import type { Flow as _onceflow_v1_Flow, Flow__Output as _onceflow_v1_Flow__Output } from '../../onceflow/v1/Flow.ts';
import type { CheckpointGlance as _onceflow_v1_CheckpointGlance, CheckpointGlance__Output as _onceflow_v1_CheckpointGlance__Output } from '../../onceflow/v1/CheckpointGlance.ts';
import type { SinkClaim as _onceflow_v1_SinkClaim, SinkClaim__Output as _onceflow_v1_SinkClaim__Output } from '../../onceflow/v1/SinkClaim.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';
import type { Long } from '@grpc/proto-loader';

// Original file: ../../proto/onceflow/v1/admin.proto

export const _onceflow_v1_Pipeline_State = {
  STATE_UNSPECIFIED: 'STATE_UNSPECIFIED',
  STATE_WAITING: 'STATE_WAITING',
  STATE_STARTING: 'STATE_STARTING',
  STATE_RUNNING: 'STATE_RUNNING',
  STATE_PAUSING: 'STATE_PAUSING',
  STATE_PAUSED: 'STATE_PAUSED',
  STATE_STOPPED: 'STATE_STOPPED',
  STATE_DELETING: 'STATE_DELETING',
} as const;

export type _onceflow_v1_Pipeline_State =
  | 'STATE_UNSPECIFIED'
  | 0
  | 'STATE_WAITING'
  | 1
  | 'STATE_STARTING'
  | 2
  | 'STATE_RUNNING'
  | 3
  | 'STATE_PAUSING'
  | 4
  | 'STATE_PAUSED'
  | 5
  | 'STATE_STOPPED'
  | 6
  | 'STATE_DELETING'
  | 7

export type _onceflow_v1_Pipeline_State__Output = typeof _onceflow_v1_Pipeline_State[keyof typeof _onceflow_v1_Pipeline_State]

export interface Pipeline {
  'name'?: (string);
  'uid'?: (string);
  'etag'?: (string);
  'spec'?: (_google_protobuf_Struct | null);
  'state'?: (_onceflow_v1_Pipeline_State);
  'failure'?: (_onceflow_v1_Failure | null);
  'attempt'?: (number | string | Long);
  'restarts'?: (number);
  'tasks'?: (number);
  'flow'?: (_onceflow_v1_Flow | null);
  'lastCheckpoint'?: (_onceflow_v1_CheckpointGlance | null);
  'claims'?: (_onceflow_v1_SinkClaim)[];
  'createTime'?: (_google_protobuf_Timestamp | null);
  'updateTime'?: (_google_protobuf_Timestamp | null);
}

export interface Pipeline__Output {
  'name': (string);
  'uid': (string);
  'etag': (string);
  'spec': (_google_protobuf_Struct__Output | null);
  'state': (_onceflow_v1_Pipeline_State__Output);
  'failure': (_onceflow_v1_Failure__Output | null);
  'attempt': (string);
  'restarts': (number);
  'tasks': (number);
  'flow': (_onceflow_v1_Flow__Output | null);
  'lastCheckpoint': (_onceflow_v1_CheckpointGlance__Output | null);
  'claims': (_onceflow_v1_SinkClaim__Output)[];
  'createTime': (_google_protobuf_Timestamp__Output | null);
  'updateTime': (_google_protobuf_Timestamp__Output | null);
}
