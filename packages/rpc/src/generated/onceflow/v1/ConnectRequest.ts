// Original file: ../../proto/onceflow/v1/control.proto

import type { Hello as _onceflow_v1_Hello, Hello__Output as _onceflow_v1_Hello__Output } from '../../onceflow/v1/Hello.ts';
import type { WorkerHeartbeat as _onceflow_v1_WorkerHeartbeat, WorkerHeartbeat__Output as _onceflow_v1_WorkerHeartbeat__Output } from '../../onceflow/v1/WorkerHeartbeat.ts';
import type { Inspected as _onceflow_v1_Inspected, Inspected__Output as _onceflow_v1_Inspected__Output } from '../../onceflow/v1/Inspected.ts';
import type { ResolveCommitted as _onceflow_v1_ResolveCommitted, ResolveCommitted__Output as _onceflow_v1_ResolveCommitted__Output } from '../../onceflow/v1/ResolveCommitted.ts';
import type { ResolveAborted as _onceflow_v1_ResolveAborted, ResolveAborted__Output as _onceflow_v1_ResolveAborted__Output } from '../../onceflow/v1/ResolveAborted.ts';
import type { TaskStarted as _onceflow_v1_TaskStarted, TaskStarted__Output as _onceflow_v1_TaskStarted__Output } from '../../onceflow/v1/TaskStarted.ts';
import type { TaskFailed as _onceflow_v1_TaskFailed, TaskFailed__Output as _onceflow_v1_TaskFailed__Output } from '../../onceflow/v1/TaskFailed.ts';
import type { TasksEnded as _onceflow_v1_TasksEnded, TasksEnded__Output as _onceflow_v1_TasksEnded__Output } from '../../onceflow/v1/TasksEnded.ts';
import type { Sealed as _onceflow_v1_Sealed, Sealed__Output as _onceflow_v1_Sealed__Output } from '../../onceflow/v1/Sealed.ts';
import type { Committed as _onceflow_v1_Committed, Committed__Output as _onceflow_v1_Committed__Output } from '../../onceflow/v1/Committed.ts';
import type { BarrierWanted as _onceflow_v1_BarrierWanted, BarrierWanted__Output as _onceflow_v1_BarrierWanted__Output } from '../../onceflow/v1/BarrierWanted.ts';
import type { PartitionsFound as _onceflow_v1_PartitionsFound, PartitionsFound__Output as _onceflow_v1_PartitionsFound__Output } from '../../onceflow/v1/PartitionsFound.ts';
import type { Draining as _onceflow_v1_Draining, Draining__Output as _onceflow_v1_Draining__Output } from '../../onceflow/v1/Draining.ts';
import type { Stale as _onceflow_v1_Stale, Stale__Output as _onceflow_v1_Stale__Output } from '../../onceflow/v1/Stale.ts';

export interface ConnectRequest {
  'hello'?: (_onceflow_v1_Hello | null);
  'heartbeat'?: (_onceflow_v1_WorkerHeartbeat | null);
  'inspected'?: (_onceflow_v1_Inspected | null);
  'resolveCommitted'?: (_onceflow_v1_ResolveCommitted | null);
  'resolveAborted'?: (_onceflow_v1_ResolveAborted | null);
  'taskStarted'?: (_onceflow_v1_TaskStarted | null);
  'taskFailed'?: (_onceflow_v1_TaskFailed | null);
  'tasksEnded'?: (_onceflow_v1_TasksEnded | null);
  'sealed'?: (_onceflow_v1_Sealed | null);
  'committed'?: (_onceflow_v1_Committed | null);
  'barrierWanted'?: (_onceflow_v1_BarrierWanted | null);
  'partitionsFound'?: (_onceflow_v1_PartitionsFound | null);
  'draining'?: (_onceflow_v1_Draining | null);
  'stale'?: (_onceflow_v1_Stale | null);
  'message'?: "hello"|"heartbeat"|"inspected"|"resolveCommitted"|"resolveAborted"|"taskStarted"|"taskFailed"|"tasksEnded"|"sealed"|"committed"|"barrierWanted"|"partitionsFound"|"draining"|"stale";
}

export interface ConnectRequest__Output {
  'hello'?: (_onceflow_v1_Hello__Output | null);
  'heartbeat'?: (_onceflow_v1_WorkerHeartbeat__Output | null);
  'inspected'?: (_onceflow_v1_Inspected__Output | null);
  'resolveCommitted'?: (_onceflow_v1_ResolveCommitted__Output | null);
  'resolveAborted'?: (_onceflow_v1_ResolveAborted__Output | null);
  'taskStarted'?: (_onceflow_v1_TaskStarted__Output | null);
  'taskFailed'?: (_onceflow_v1_TaskFailed__Output | null);
  'tasksEnded'?: (_onceflow_v1_TasksEnded__Output | null);
  'sealed'?: (_onceflow_v1_Sealed__Output | null);
  'committed'?: (_onceflow_v1_Committed__Output | null);
  'barrierWanted'?: (_onceflow_v1_BarrierWanted__Output | null);
  'partitionsFound'?: (_onceflow_v1_PartitionsFound__Output | null);
  'draining'?: (_onceflow_v1_Draining__Output | null);
  'stale'?: (_onceflow_v1_Stale__Output | null);
  'message'?: "hello"|"heartbeat"|"inspected"|"resolveCommitted"|"resolveAborted"|"taskStarted"|"taskFailed"|"tasksEnded"|"sealed"|"committed"|"barrierWanted"|"partitionsFound"|"draining"|"stale";
}
