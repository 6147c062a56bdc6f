// Original file: ../../proto/onceflow/v1/control.proto

import type { TaskReport as _onceflow_v1_TaskReport, TaskReport__Output as _onceflow_v1_TaskReport__Output } from '../../onceflow/v1/TaskReport.ts';
import type { Long } from '@grpc/proto-loader';

export interface Hello {
  'worker'?: (string);
  'incarnation'?: (string);
  'version'?: (string);
  'seen'?: (number | string | Long);
  'tasksMax'?: (number);
  'tasks'?: (_onceflow_v1_TaskReport)[];
}

export interface Hello__Output {
  'worker': (string);
  'incarnation': (string);
  'version': (string);
  'seen': (string);
  'tasksMax': (number);
  'tasks': (_onceflow_v1_TaskReport__Output)[];
}
