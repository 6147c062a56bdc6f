// Original file: ../../proto/onceflow/v1/control.proto

import type { TaskStats as _onceflow_v1_TaskStats, TaskStats__Output as _onceflow_v1_TaskStats__Output } from '../../onceflow/v1/TaskStats.ts';
import type { Long } from '@grpc/proto-loader';

export interface WorkerHeartbeat {
  'leaderEpoch'?: (number | string | Long);
  'tasks'?: (_onceflow_v1_TaskStats)[];
  'rssBytes'?: (number | string | Long);
  'eventLoopLagMs'?: (number | string);
}

export interface WorkerHeartbeat__Output {
  'leaderEpoch': (string);
  'tasks': (_onceflow_v1_TaskStats__Output)[];
  'rssBytes': (string);
  'eventLoopLagMs': (number);
}
