import type { Failure, Json } from '@onceflow/model'
import type {
  CheckpointGlance,
  CheckpointView,
  ClusterView,
  CoordinatorView,
  FlowFigures,
  PipelineGlance,
  PipelineView,
  TransactionView,
  WorkerTaskView,
  WorkerView,
} from '@onceflow/ports'
import { redactSpec } from '@onceflow/spec'
import { positionToWire } from './control-parts.ts'
import { failureToWire } from './failure-wire.ts'
import type { Timestamp } from './generated/google/protobuf/Timestamp.ts'
import type { Checkpoint } from './generated/onceflow/v1/Checkpoint.ts'
import type { CheckpointGlance as WireGlance } from './generated/onceflow/v1/CheckpointGlance.ts'
import type { ClusterStatus } from './generated/onceflow/v1/ClusterStatus.ts'
import type { Flow } from './generated/onceflow/v1/Flow.ts'
import type { Pipeline } from './generated/onceflow/v1/Pipeline.ts'
import type { Transaction } from './generated/onceflow/v1/Transaction.ts'
import type { Worker } from './generated/onceflow/v1/Worker.ts'
import { checkpointPath, pipelinePath, transactionPath, workerPath } from './resource-name.ts'
import { structToWire } from './struct-wire.ts'
import { count, defined, int64, optionalInt64, vocabulary } from './wire-values.ts'

const pipelineStates = vocabulary({
  waiting: 'STATE_WAITING',
  starting: 'STATE_STARTING',
  running: 'STATE_RUNNING',
  pausing: 'STATE_PAUSING',
  paused: 'STATE_PAUSED',
  stopped: 'STATE_STOPPED',
  deleting: 'STATE_DELETING',
} as const satisfies Record<PipelineView['state'], string>)

const checkpointKinds = vocabulary({
  start: 'KIND_START',
  regular: 'KIND_REGULAR',
  rewind: 'KIND_REWIND',
} as const satisfies Record<CheckpointView['kind'], string>)

const checkpointStates = vocabulary({
  sealing: 'STATE_SEALING',
  committed: 'STATE_COMMITTED',
  completed: 'STATE_COMPLETED',
  aborted: 'STATE_ABORTED',
  undone: 'STATE_UNDONE',
  lost: 'STATE_LOST',
} as const satisfies Record<CheckpointView['state'], string>)

const decisions = vocabulary({
  undecided: 'DECISION_UNDECIDED',
  commit: 'DECISION_COMMIT',
  abort: 'DECISION_ABORT',
} as const satisfies Record<TransactionView['decision'], string>)

const workerStates = vocabulary({
  live: 'STATE_LIVE',
  silent: 'STATE_SILENT',
  draining: 'STATE_DRAINING',
  lost: 'STATE_LOST',
} as const satisfies Record<WorkerView['state'], string>)

const roles = vocabulary({
  leader: 'ROLE_LEADER',
  follower: 'ROLE_FOLLOWER',
} as const satisfies Record<CoordinatorView['role'], string>)

export function timestamp(ms: number): Timestamp {
  const seconds = Math.floor(ms / 1000)
  return { seconds: seconds.toString(), nanos: Math.floor((ms - seconds * 1000) * 1e6) }
}

const optionalTimestamp = (ms: number | undefined): Timestamp | undefined =>
  ms === undefined ? undefined : timestamp(ms)
const optionalFailure = (failure: Failure | undefined) =>
  failure === undefined ? undefined : failureToWire(failure)

/** Secrets of the spec are redacted here, so that no answer can carry one. */
export const pipelineResource = (view: PipelineView): Pipeline => ({
  name: pipelinePath(view.name),
  uid: view.uid,
  etag: view.etag,
  spec: structToWire(redactSpec(view.spec) as { readonly [key: string]: Json }),
  state: pipelineStates.name(view.state),
  attempt: int64(view.attempt),
  restarts: view.restarts,
  tasks: view.tasks,
  flow: flowResource(view.flow),
  claims: view.claims.map(({ sink, guarantee, reason }) => ({ sink, guarantee, reason })),
  createTime: timestamp(view.createdMs),
  updateTime: timestamp(view.updatedMs),
  ...defined({
    failure: optionalFailure(view.failure),
    lastCheckpoint: glanceResource(view.lastCheckpoint),
  }),
})

const flowResource = (flow: FlowFigures): Flow => ({
  recordsPerSecond: flow.recordsPerSecond,
  rowsPerSecond: flow.rowsPerSecond,
  lagRecords: count(flow.lagRecords),
  ...(flow.freshnessMs === undefined ? {} : { freshnessMs: count(flow.freshnessMs) }),
})

const glanceResource = (glance: CheckpointGlance | undefined): WireGlance | undefined =>
  glance === undefined
    ? undefined
    : {
        checkpoint: int64(glance.checkpoint),
        decideTime: timestamp(glance.decidedMs),
        durationMs: glance.durationMs,
      }

export const checkpointResource = (view: CheckpointView): Checkpoint => ({
  name: checkpointPath(view.pipeline, view.checkpoint),
  checkpoint: int64(view.checkpoint),
  attempt: int64(view.attempt),
  leaderEpoch: int64(view.leaderEpoch),
  kind: checkpointKinds.name(view.kind),
  state: checkpointStates.name(view.state),
  startTime: timestamp(view.startedMs),
  records: count(view.records),
  rows: count(view.rows),
  sealMs: view.sealMs,
  decideMs: view.decideMs,
  commitMs: view.commitMs,
  positions: view.positions.map(positionToWire),
  transactions: view.transactions.map(({ sink, subtask, kind }) => ({
    sink,
    subtask,
    empty: kind === 'empty',
  })),
  ...defined({
    revision: optionalInt64(view.revision),
    decideTime: optionalTimestamp(view.decidedMs),
    completeTime: optionalTimestamp(view.completedMs),
  }),
})

export const transactionResource = (view: TransactionView): Transaction => ({
  name: transactionPath(view.pipeline, view.id),
  id: view.id,
  sink: view.sink,
  subtask: view.subtask,
  checkpoint: int64(view.checkpoint),
  attempt: int64(view.attempt),
  decision: decisions.name(view.decision),
  worker: view.worker ?? '',
  ageMs: count(view.ageMs),
})

export const workerResource = (view: WorkerView): Worker => ({
  name: workerPath(view.worker),
  incarnation: view.incarnation,
  version: view.version,
  state: workerStates.name(view.state),
  peer: view.peer,
  connectTime: timestamp(view.connectedMs),
  heartbeatAgeMs: count(view.heartbeatAgeMs),
  tasksMax: view.tasksMax,
  tasks: view.tasks.map(workerTaskResource),
  rssBytes: count(view.rssBytes),
  eventLoopLagMs: view.eventLoopLagMs,
})

const workerTaskResource = (view: WorkerTaskView) => ({
  pipeline: pipelinePath(view.pipeline),
  subtask: view.subtask,
  attempt: int64(view.attempt),
  lagRecords: count(view.lagRecords),
  recordsIn: count(view.recordsIn),
  waiting: view.waiting,
  ...defined({ lastCommitted: optionalInt64(view.lastCommitted) }),
})

export const clusterResource = (view: ClusterView): ClusterStatus => ({
  cluster: view.cluster,
  version: view.version,
  leader: {
    id: view.leader.id,
    address: view.leader.address,
    leaderEpoch: int64(view.leader.leaderEpoch),
    sinceTime: timestamp(view.leader.sinceMs),
  },
  coordinators: view.coordinators.map(({ id, address, role }) => ({
    id,
    address,
    role: roles.name(role),
  })),
  workersLive: view.workersLive,
  workersLost: view.workersLost,
  pipelines: view.pipelines.map(pipelineGlanceResource),
  flow: flowResource(view.flow),
})

const pipelineGlanceResource = (glance: PipelineGlance) => ({
  name: pipelinePath(glance.name),
  state: pipelineStates.name(glance.state),
  flow: flowResource(glance.flow),
  ...defined({
    failure: optionalFailure(glance.failure),
    lastCheckpoint: glanceResource(glance.lastCheckpoint),
  }),
})
