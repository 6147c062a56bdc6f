// Original file: ../../proto/onceflow/v1/admin.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';
import type { WorkerTask as _onceflow_v1_WorkerTask, WorkerTask__Output as _onceflow_v1_WorkerTask__Output } from '../../onceflow/v1/WorkerTask.ts';
import type { Long } from '@grpc/proto-loader';

// Original file: ../../proto/onceflow/v1/admin.proto

export const _onceflow_v1_Worker_State = {
  STATE_UNSPECIFIED: 'STATE_UNSPECIFIED',
  STATE_LIVE: 'STATE_LIVE',
  STATE_SILENT: 'STATE_SILENT',
  STATE_DRAINING: 'STATE_DRAINING',
  STATE_LOST: 'STATE_LOST',
} as const;

export type _onceflow_v1_Worker_State =
  | 'STATE_UNSPECIFIED'
  | 0
  | 'STATE_LIVE'
  | 1
  | 'STATE_SILENT'
  | 2
  | 'STATE_DRAINING'
  | 3
  | 'STATE_LOST'
  | 4

export type _onceflow_v1_Worker_State__Output = typeof _onceflow_v1_Worker_State[keyof typeof _onceflow_v1_Worker_State]

export interface Worker {
  'name'?: (string);
  'incarnation'?: (string);
  'version'?: (string);
  'state'?: (_onceflow_v1_Worker_State);
  'peer'?: (string);
  'connectTime'?: (_google_protobuf_Timestamp | null);
  'heartbeatAgeMs'?: (number | string | Long);
  'tasksMax'?: (number);
  'tasks'?: (_onceflow_v1_WorkerTask)[];
  'rssBytes'?: (number | string | Long);
  'eventLoopLagMs'?: (number | string);
}

export interface Worker__Output {
  'name': (string);
  'incarnation': (string);
  'version': (string);
  'state': (_onceflow_v1_Worker_State__Output);
  'peer': (string);
  'connectTime': (_google_protobuf_Timestamp__Output | null);
  'heartbeatAgeMs': (string);
  'tasksMax': (number);
  'tasks': (_onceflow_v1_WorkerTask__Output)[];
  'rssBytes': (string);
  'eventLoopLagMs': (number);
}
