import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Abort as _onceflow_v1_Abort, Abort__Output as _onceflow_v1_Abort__Output } from './onceflow/v1/Abort.ts';
import type { BarrierWanted as _onceflow_v1_BarrierWanted, BarrierWanted__Output as _onceflow_v1_BarrierWanted__Output } from './onceflow/v1/BarrierWanted.ts';
import type { Commit as _onceflow_v1_Commit, Commit__Output as _onceflow_v1_Commit__Output } from './onceflow/v1/Commit.ts';
import type { Committed as _onceflow_v1_Committed, Committed__Output as _onceflow_v1_Committed__Output } from './onceflow/v1/Committed.ts';
import type { ConnectRequest as _onceflow_v1_ConnectRequest, ConnectRequest__Output as _onceflow_v1_ConnectRequest__Output } from './onceflow/v1/ConnectRequest.ts';
import type { ConnectResponse as _onceflow_v1_ConnectResponse, ConnectResponse__Output as _onceflow_v1_ConnectResponse__Output } from './onceflow/v1/ConnectResponse.ts';
import type { ControlServiceClient as _onceflow_v1_ControlServiceClient, ControlServiceDefinition as _onceflow_v1_ControlServiceDefinition } from './onceflow/v1/ControlService.ts';
import type { Drained as _onceflow_v1_Drained, Drained__Output as _onceflow_v1_Drained__Output } from './onceflow/v1/Drained.ts';
import type { Draining as _onceflow_v1_Draining, Draining__Output as _onceflow_v1_Draining__Output } from './onceflow/v1/Draining.ts';
import type { Failure as _onceflow_v1_Failure, Failure__Output as _onceflow_v1_Failure__Output } from './onceflow/v1/Failure.ts';
import type { FindLeaderRequest as _onceflow_v1_FindLeaderRequest, FindLeaderRequest__Output as _onceflow_v1_FindLeaderRequest__Output } from './onceflow/v1/FindLeaderRequest.ts';
import type { FindLeaderResponse as _onceflow_v1_FindLeaderResponse, FindLeaderResponse__Output as _onceflow_v1_FindLeaderResponse__Output } from './onceflow/v1/FindLeaderResponse.ts';
import type { GuaranteeClaim as _onceflow_v1_GuaranteeClaim, GuaranteeClaim__Output as _onceflow_v1_GuaranteeClaim__Output } from './onceflow/v1/GuaranteeClaim.ts';
import type { Handle as _onceflow_v1_Handle, Handle__Output as _onceflow_v1_Handle__Output } from './onceflow/v1/Handle.ts';
import type { Hello as _onceflow_v1_Hello, Hello__Output as _onceflow_v1_Hello__Output } from './onceflow/v1/Hello.ts';
import type { InjectBarrier as _onceflow_v1_InjectBarrier, InjectBarrier__Output as _onceflow_v1_InjectBarrier__Output } from './onceflow/v1/InjectBarrier.ts';
import type { Inspect as _onceflow_v1_Inspect, Inspect__Output as _onceflow_v1_Inspect__Output } from './onceflow/v1/Inspect.ts';
import type { Inspected as _onceflow_v1_Inspected, Inspected__Output as _onceflow_v1_Inspected__Output } from './onceflow/v1/Inspected.ts';
import type { InspectedFailed as _onceflow_v1_InspectedFailed, InspectedFailed__Output as _onceflow_v1_InspectedFailed__Output } from './onceflow/v1/InspectedFailed.ts';
import type { InspectedOk as _onceflow_v1_InspectedOk, InspectedOk__Output as _onceflow_v1_InspectedOk__Output } from './onceflow/v1/InspectedOk.ts';
import type { KnownCheckpoint as _onceflow_v1_KnownCheckpoint, KnownCheckpoint__Output as _onceflow_v1_KnownCheckpoint__Output } from './onceflow/v1/KnownCheckpoint.ts';
import type { LeaderHeartbeat as _onceflow_v1_LeaderHeartbeat, LeaderHeartbeat__Output as _onceflow_v1_LeaderHeartbeat__Output } from './onceflow/v1/LeaderHeartbeat.ts';
import type { LedgerHead as _onceflow_v1_LedgerHead, LedgerHead__Output as _onceflow_v1_LedgerHead__Output } from './onceflow/v1/LedgerHead.ts';
import type { LostTransaction as _onceflow_v1_LostTransaction, LostTransaction__Output as _onceflow_v1_LostTransaction__Output } from './onceflow/v1/LostTransaction.ts';
import type { PartitionInfo as _onceflow_v1_PartitionInfo, PartitionInfo__Output as _onceflow_v1_PartitionInfo__Output } from './onceflow/v1/PartitionInfo.ts';
import type { PartitionsFound as _onceflow_v1_PartitionsFound, PartitionsFound__Output as _onceflow_v1_PartitionsFound__Output } from './onceflow/v1/PartitionsFound.ts';
import type { Position as _onceflow_v1_Position, Position__Output as _onceflow_v1_Position__Output } from './onceflow/v1/Position.ts';
import type { RecordOfHandles as _onceflow_v1_RecordOfHandles, RecordOfHandles__Output as _onceflow_v1_RecordOfHandles__Output } from './onceflow/v1/RecordOfHandles.ts';
import type { RecordPosition as _onceflow_v1_RecordPosition, RecordPosition__Output as _onceflow_v1_RecordPosition__Output } from './onceflow/v1/RecordPosition.ts';
import type { ResolveAbort as _onceflow_v1_ResolveAbort, ResolveAbort__Output as _onceflow_v1_ResolveAbort__Output } from './onceflow/v1/ResolveAbort.ts';
import type { ResolveAborted as _onceflow_v1_ResolveAborted, ResolveAborted__Output as _onceflow_v1_ResolveAborted__Output } from './onceflow/v1/ResolveAborted.ts';
import type { ResolveCommit as _onceflow_v1_ResolveCommit, ResolveCommit__Output as _onceflow_v1_ResolveCommit__Output } from './onceflow/v1/ResolveCommit.ts';
import type { ResolveCommitted as _onceflow_v1_ResolveCommitted, ResolveCommitted__Output as _onceflow_v1_ResolveCommitted__Output } from './onceflow/v1/ResolveCommitted.ts';
import type { ResolveDone as _onceflow_v1_ResolveDone, ResolveDone__Output as _onceflow_v1_ResolveDone__Output } from './onceflow/v1/ResolveDone.ts';
import type { ResolveLost as _onceflow_v1_ResolveLost, ResolveLost__Output as _onceflow_v1_ResolveLost__Output } from './onceflow/v1/ResolveLost.ts';
import type { ResolveOutcome as _onceflow_v1_ResolveOutcome, ResolveOutcome__Output as _onceflow_v1_ResolveOutcome__Output } from './onceflow/v1/ResolveOutcome.ts';
import type { Sealed as _onceflow_v1_Sealed, Sealed__Output as _onceflow_v1_Sealed__Output } from './onceflow/v1/Sealed.ts';
import type { SinkContextState as _onceflow_v1_SinkContextState, SinkContextState__Output as _onceflow_v1_SinkContextState__Output } from './onceflow/v1/SinkContextState.ts';
import type { SourcePartition as _onceflow_v1_SourcePartition, SourcePartition__Output as _onceflow_v1_SourcePartition__Output } from './onceflow/v1/SourcePartition.ts';
import type { Stale as _onceflow_v1_Stale, Stale__Output as _onceflow_v1_Stale__Output } from './onceflow/v1/Stale.ts';
import type { Stamp as _onceflow_v1_Stamp, Stamp__Output as _onceflow_v1_Stamp__Output } from './onceflow/v1/Stamp.ts';
import type { StartTask as _onceflow_v1_StartTask, StartTask__Output as _onceflow_v1_StartTask__Output } from './onceflow/v1/StartTask.ts';
import type { StopTasks as _onceflow_v1_StopTasks, StopTasks__Output as _onceflow_v1_StopTasks__Output } from './onceflow/v1/StopTasks.ts';
import type { TaskFailed as _onceflow_v1_TaskFailed, TaskFailed__Output as _onceflow_v1_TaskFailed__Output } from './onceflow/v1/TaskFailed.ts';
import type { TaskReport as _onceflow_v1_TaskReport, TaskReport__Output as _onceflow_v1_TaskReport__Output } from './onceflow/v1/TaskReport.ts';
import type { TaskStarted as _onceflow_v1_TaskStarted, TaskStarted__Output as _onceflow_v1_TaskStarted__Output } from './onceflow/v1/TaskStarted.ts';
import type { TaskStats as _onceflow_v1_TaskStats, TaskStats__Output as _onceflow_v1_TaskStats__Output } from './onceflow/v1/TaskStats.ts';
import type { TasksEnded as _onceflow_v1_TasksEnded, TasksEnded__Output as _onceflow_v1_TasksEnded__Output } from './onceflow/v1/TasksEnded.ts';
import type { VersionedJson as _onceflow_v1_VersionedJson, VersionedJson__Output as _onceflow_v1_VersionedJson__Output } from './onceflow/v1/VersionedJson.ts';
import type { Welcome as _onceflow_v1_Welcome, Welcome__Output as _onceflow_v1_Welcome__Output } from './onceflow/v1/Welcome.ts';
import type { WorkerHeartbeat as _onceflow_v1_WorkerHeartbeat, WorkerHeartbeat__Output as _onceflow_v1_WorkerHeartbeat__Output } from './onceflow/v1/WorkerHeartbeat.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  onceflow: {
    v1: {
      Abort: MessageTypeDefinition<_onceflow_v1_Abort, _onceflow_v1_Abort__Output>
      BarrierWanted: MessageTypeDefinition<_onceflow_v1_BarrierWanted, _onceflow_v1_BarrierWanted__Output>
      Commit: MessageTypeDefinition<_onceflow_v1_Commit, _onceflow_v1_Commit__Output>
      Committed: MessageTypeDefinition<_onceflow_v1_Committed, _onceflow_v1_Committed__Output>
      ConnectRequest: MessageTypeDefinition<_onceflow_v1_ConnectRequest, _onceflow_v1_ConnectRequest__Output>
      ConnectResponse: MessageTypeDefinition<_onceflow_v1_ConnectResponse, _onceflow_v1_ConnectResponse__Output>
      ControlService: SubtypeConstructor<typeof grpc.Client, _onceflow_v1_ControlServiceClient> & { service: _onceflow_v1_ControlServiceDefinition }
      Drained: MessageTypeDefinition<_onceflow_v1_Drained, _onceflow_v1_Drained__Output>
      Draining: MessageTypeDefinition<_onceflow_v1_Draining, _onceflow_v1_Draining__Output>
      Failure: MessageTypeDefinition<_onceflow_v1_Failure, _onceflow_v1_Failure__Output>
      FindLeaderRequest: MessageTypeDefinition<_onceflow_v1_FindLeaderRequest, _onceflow_v1_FindLeaderRequest__Output>
      FindLeaderResponse: MessageTypeDefinition<_onceflow_v1_FindLeaderResponse, _onceflow_v1_FindLeaderResponse__Output>
      GuaranteeClaim: MessageTypeDefinition<_onceflow_v1_GuaranteeClaim, _onceflow_v1_GuaranteeClaim__Output>
      Handle: MessageTypeDefinition<_onceflow_v1_Handle, _onceflow_v1_Handle__Output>
      Hello: MessageTypeDefinition<_onceflow_v1_Hello, _onceflow_v1_Hello__Output>
      InjectBarrier: MessageTypeDefinition<_onceflow_v1_InjectBarrier, _onceflow_v1_InjectBarrier__Output>
      Inspect: MessageTypeDefinition<_onceflow_v1_Inspect, _onceflow_v1_Inspect__Output>
      Inspected: MessageTypeDefinition<_onceflow_v1_Inspected, _onceflow_v1_Inspected__Output>
      InspectedFailed: MessageTypeDefinition<_onceflow_v1_InspectedFailed, _onceflow_v1_InspectedFailed__Output>
      InspectedOk: MessageTypeDefinition<_onceflow_v1_InspectedOk, _onceflow_v1_InspectedOk__Output>
      KnownCheckpoint: MessageTypeDefinition<_onceflow_v1_KnownCheckpoint, _onceflow_v1_KnownCheckpoint__Output>
      LeaderHeartbeat: MessageTypeDefinition<_onceflow_v1_LeaderHeartbeat, _onceflow_v1_LeaderHeartbeat__Output>
      LedgerHead: MessageTypeDefinition<_onceflow_v1_LedgerHead, _onceflow_v1_LedgerHead__Output>
      LostTransaction: MessageTypeDefinition<_onceflow_v1_LostTransaction, _onceflow_v1_LostTransaction__Output>
      PartitionInfo: MessageTypeDefinition<_onceflow_v1_PartitionInfo, _onceflow_v1_PartitionInfo__Output>
      PartitionsFound: MessageTypeDefinition<_onceflow_v1_PartitionsFound, _onceflow_v1_PartitionsFound__Output>
      Position: MessageTypeDefinition<_onceflow_v1_Position, _onceflow_v1_Position__Output>
      RecordOfHandles: MessageTypeDefinition<_onceflow_v1_RecordOfHandles, _onceflow_v1_RecordOfHandles__Output>
      RecordPosition: MessageTypeDefinition<_onceflow_v1_RecordPosition, _onceflow_v1_RecordPosition__Output>
      ResolveAbort: MessageTypeDefinition<_onceflow_v1_ResolveAbort, _onceflow_v1_ResolveAbort__Output>
      ResolveAborted: MessageTypeDefinition<_onceflow_v1_ResolveAborted, _onceflow_v1_ResolveAborted__Output>
      ResolveCommit: MessageTypeDefinition<_onceflow_v1_ResolveCommit, _onceflow_v1_ResolveCommit__Output>
      ResolveCommitted: MessageTypeDefinition<_onceflow_v1_ResolveCommitted, _onceflow_v1_ResolveCommitted__Output>
      ResolveDone: MessageTypeDefinition<_onceflow_v1_ResolveDone, _onceflow_v1_ResolveDone__Output>
      ResolveLost: MessageTypeDefinition<_onceflow_v1_ResolveLost, _onceflow_v1_ResolveLost__Output>
      ResolveOutcome: MessageTypeDefinition<_onceflow_v1_ResolveOutcome, _onceflow_v1_ResolveOutcome__Output>
      Sealed: MessageTypeDefinition<_onceflow_v1_Sealed, _onceflow_v1_Sealed__Output>
      SinkContextState: MessageTypeDefinition<_onceflow_v1_SinkContextState, _onceflow_v1_SinkContextState__Output>
      SourcePartition: MessageTypeDefinition<_onceflow_v1_SourcePartition, _onceflow_v1_SourcePartition__Output>
      Stale: MessageTypeDefinition<_onceflow_v1_Stale, _onceflow_v1_Stale__Output>
      Stamp: MessageTypeDefinition<_onceflow_v1_Stamp, _onceflow_v1_Stamp__Output>
      StartTask: MessageTypeDefinition<_onceflow_v1_StartTask, _onceflow_v1_StartTask__Output>
      StopTasks: MessageTypeDefinition<_onceflow_v1_StopTasks, _onceflow_v1_StopTasks__Output>
      TaskFailed: MessageTypeDefinition<_onceflow_v1_TaskFailed, _onceflow_v1_TaskFailed__Output>
      TaskReport: MessageTypeDefinition<_onceflow_v1_TaskReport, _onceflow_v1_TaskReport__Output>
      TaskStarted: MessageTypeDefinition<_onceflow_v1_TaskStarted, _onceflow_v1_TaskStarted__Output>
      TaskStats: MessageTypeDefinition<_onceflow_v1_TaskStats, _onceflow_v1_TaskStats__Output>
      TasksEnded: MessageTypeDefinition<_onceflow_v1_TasksEnded, _onceflow_v1_TasksEnded__Output>
      VersionedJson: MessageTypeDefinition<_onceflow_v1_VersionedJson, _onceflow_v1_VersionedJson__Output>
      Welcome: MessageTypeDefinition<_onceflow_v1_Welcome, _onceflow_v1_Welcome__Output>
      WorkerHeartbeat: MessageTypeDefinition<_onceflow_v1_WorkerHeartbeat, _onceflow_v1_WorkerHeartbeat__Output>
    }
  }
}

