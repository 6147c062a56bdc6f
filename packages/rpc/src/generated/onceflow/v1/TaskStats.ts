// Original file: ../../proto/onceflow/v1/control.proto

import type { TaskReport as _onceflow_v1_TaskReport, TaskReport__Output as _onceflow_v1_TaskReport__Output } from '../../onceflow/v1/TaskReport.ts';
import type { Long } from '@grpc/proto-loader';

// Original file: ../../proto/onceflow/v1/control.proto

export const _onceflow_v1_TaskStats_Waiting = {
  WAITING_UNSPECIFIED: 'WAITING_UNSPECIFIED',
  WAITING_NO: 'WAITING_NO',
  WAITING_SOURCE: 'WAITING_SOURCE',
  WAITING_SINK: 'WAITING_SINK',
  WAITING_COMMIT: 'WAITING_COMMIT',
  WAITING_STOPPED: 'WAITING_STOPPED',
} as const;

export type _onceflow_v1_TaskStats_Waiting =
  | 'WAITING_UNSPECIFIED'
  | 0
  | 'WAITING_NO'
  | 1
  | 'WAITING_SOURCE'
  | 2
  | 'WAITING_SINK'
  | 3
  | 'WAITING_COMMIT'
  | 4
  | 'WAITING_STOPPED'
  | 5

export type _onceflow_v1_TaskStats_Waiting__Output = typeof _onceflow_v1_TaskStats_Waiting[keyof typeof _onceflow_v1_TaskStats_Waiting]

export interface TaskStats {
  'report'?: (_onceflow_v1_TaskReport | null);
  'recordsIn'?: (number | string | Long);
  'bytesIn'?: (number | string | Long);
  'rowsUpserted'?: (number | string | Long);
  'rowsDeleted'?: (number | string | Long);
  'ignored'?: (number | string | Long);
  'lagRecords'?: (number | string | Long);
  'newestVisibleMs'?: (number | string | Long);
  'bufferedRecords'?: (number | string | Long);
  'waiting'?: (_onceflow_v1_TaskStats_Waiting);
}

export interface TaskStats__Output {
  'report': (_onceflow_v1_TaskReport__Output | null);
  'recordsIn': (string);
  'bytesIn': (string);
  'rowsUpserted': (string);
  'rowsDeleted': (string);
  'ignored': (string);
  'lagRecords': (string);
  'newestVisibleMs': (string);
  'bufferedRecords': (string);
  'waiting': (_onceflow_v1_TaskStats_Waiting__Output);
}
