// Original file: ../../proto/onceflow/v1/control.proto

import type { Welcome as _onceflow_v1_Welcome, Welcome__Output as _onceflow_v1_Welcome__Output } from '../../onceflow/v1/Welcome.ts';
import type { LeaderHeartbeat as _onceflow_v1_LeaderHeartbeat, LeaderHeartbeat__Output as _onceflow_v1_LeaderHeartbeat__Output } from '../../onceflow/v1/LeaderHeartbeat.ts';
import type { Inspect as _onceflow_v1_Inspect, Inspect__Output as _onceflow_v1_Inspect__Output } from '../../onceflow/v1/Inspect.ts';
import type { ResolveCommit as _onceflow_v1_ResolveCommit, ResolveCommit__Output as _onceflow_v1_ResolveCommit__Output } from '../../onceflow/v1/ResolveCommit.ts';
import type { ResolveAbort as _onceflow_v1_ResolveAbort, ResolveAbort__Output as _onceflow_v1_ResolveAbort__Output } from '../../onceflow/v1/ResolveAbort.ts';
import type { StartTask as _onceflow_v1_StartTask, StartTask__Output as _onceflow_v1_StartTask__Output } from '../../onceflow/v1/StartTask.ts';
import type { InjectBarrier as _onceflow_v1_InjectBarrier, InjectBarrier__Output as _onceflow_v1_InjectBarrier__Output } from '../../onceflow/v1/InjectBarrier.ts';
import type { Commit as _onceflow_v1_Commit, Commit__Output as _onceflow_v1_Commit__Output } from '../../onceflow/v1/Commit.ts';
import type { Abort as _onceflow_v1_Abort, Abort__Output as _onceflow_v1_Abort__Output } from '../../onceflow/v1/Abort.ts';
import type { StopTasks as _onceflow_v1_StopTasks, StopTasks__Output as _onceflow_v1_StopTasks__Output } from '../../onceflow/v1/StopTasks.ts';
import type { Drained as _onceflow_v1_Drained, Drained__Output as _onceflow_v1_Drained__Output } from '../../onceflow/v1/Drained.ts';

export interface ConnectResponse {
  'welcome'?: (_onceflow_v1_Welcome | null);
  'heartbeat'?: (_onceflow_v1_LeaderHeartbeat | null);
  'inspect'?: (_onceflow_v1_Inspect | null);
  'resolveCommit'?: (_onceflow_v1_ResolveCommit | null);
  'resolveAbort'?: (_onceflow_v1_ResolveAbort | null);
  'startTask'?: (_onceflow_v1_StartTask | null);
  'injectBarrier'?: (_onceflow_v1_InjectBarrier | null);
  'commit'?: (_onceflow_v1_Commit | null);
  'abort'?: (_onceflow_v1_Abort | null);
  'stopTasks'?: (_onceflow_v1_StopTasks | null);
  'drained'?: (_onceflow_v1_Drained | null);
  'message'?: "welcome"|"heartbeat"|"inspect"|"resolveCommit"|"resolveAbort"|"startTask"|"injectBarrier"|"commit"|"abort"|"stopTasks"|"drained";
}

export interface ConnectResponse__Output {
  'welcome'?: (_onceflow_v1_Welcome__Output | null);
  'heartbeat'?: (_onceflow_v1_LeaderHeartbeat__Output | null);
  'inspect'?: (_onceflow_v1_Inspect__Output | null);
  'resolveCommit'?: (_onceflow_v1_ResolveCommit__Output | null);
  'resolveAbort'?: (_onceflow_v1_ResolveAbort__Output | null);
  'startTask'?: (_onceflow_v1_StartTask__Output | null);
  'injectBarrier'?: (_onceflow_v1_InjectBarrier__Output | null);
  'commit'?: (_onceflow_v1_Commit__Output | null);
  'abort'?: (_onceflow_v1_Abort__Output | null);
  'stopTasks'?: (_onceflow_v1_StopTasks__Output | null);
  'drained'?: (_onceflow_v1_Drained__Output | null);
  'message'?: "welcome"|"heartbeat"|"inspect"|"resolveCommit"|"resolveAbort"|"startTask"|"injectBarrier"|"commit"|"abort"|"stopTasks"|"drained";
}
