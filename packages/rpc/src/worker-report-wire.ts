import {
  attempt,
  checkpointNumber,
  incarnation,
  leaderEpoch,
  pipelineUid,
  subtask,
  workerId,
} from '@onceflow/model'
import type { TaskReport, TaskStats, WorkerMessage } from '@onceflow/ports'
import type { Hello__Output, Hello as WireHello } from './generated/onceflow/v1/Hello.ts'
import type {
  TaskReport__Output,
  TaskReport as WireReport,
} from './generated/onceflow/v1/TaskReport.ts'
import type {
  TaskStats__Output,
  TaskStats as WireStats,
} from './generated/onceflow/v1/TaskStats.ts'
import type {
  WorkerHeartbeat as WireHeartbeat,
  WorkerHeartbeat__Output,
} from './generated/onceflow/v1/WorkerHeartbeat.ts'
import {
  big,
  count,
  countFrom,
  defined,
  int64,
  optionalBig,
  optionalInt64,
  required,
  vocabulary,
  yes,
  yesFrom,
} from './wire-values.ts'

type Hello = Extract<WorkerMessage, { kind: 'hello' }>
type Heartbeat = Extract<WorkerMessage, { kind: 'heartbeat' }>

export const helloToWire = (message: Hello): WireHello => ({
  worker: message.worker,
  incarnation: message.incarnation,
  version: message.version,
  seen: int64(message.seen),
  tasksMax: message.tasksMax,
  tasks: message.tasks.map(reportToWire),
})

export const helloFromWire = (wire: Hello__Output): Hello => ({
  kind: 'hello',
  worker: workerId(wire.worker),
  incarnation: incarnation(wire.incarnation),
  version: wire.version,
  seen: leaderEpoch(big(wire.seen)),
  tasksMax: wire.tasksMax,
  tasks: wire.tasks.map(reportFromWire),
})

const reportToWire = (value: TaskReport): WireReport => ({
  pipeline: value.pipeline,
  attempt: int64(value.attempt),
  subtask: value.subtask,
  ...defined({
    lastBarrier: optionalInt64(value.lastBarrier),
    lastCommitted: optionalInt64(value.lastCommitted),
  }),
  sealing: yes(value.sealing),
})

function reportFromWire(wire: TaskReport__Output): TaskReport {
  const barrier = optionalBig(wire.lastBarrier)
  const committed = optionalBig(wire.lastCommitted)
  return {
    pipeline: pipelineUid(wire.pipeline),
    attempt: attempt(big(wire.attempt)),
    subtask: subtask(wire.subtask),
    lastBarrier: barrier === undefined ? undefined : checkpointNumber(barrier),
    lastCommitted: committed === undefined ? undefined : checkpointNumber(committed),
    sealing: yesFrom(wire.sealing),
  }
}

const waits = vocabulary({
  no: 'WAITING_NO',
  source: 'WAITING_SOURCE',
  sink: 'WAITING_SINK',
  commit: 'WAITING_COMMIT',
  stopped: 'WAITING_STOPPED',
} as const satisfies Record<TaskStats['waiting'], string>)

const statsToWire = (value: TaskStats): WireStats => ({
  report: reportToWire(value),
  recordsIn: count(value.recordsIn),
  bytesIn: count(value.bytesIn),
  rowsUpserted: count(value.rowsUpserted),
  rowsDeleted: count(value.rowsDeleted),
  ignored: count(value.ignored),
  lagRecords: count(value.lagRecords),
  newestVisibleMs: count(value.newestVisibleMs),
  bufferedRecords: count(value.bufferedRecords),
  waiting: waits.name(value.waiting),
})

const statsFromWire = (wire: TaskStats__Output): TaskStats => ({
  ...reportFromWire(required(wire.report, 'report')),
  recordsIn: countFrom(wire.recordsIn, 'records_in'),
  bytesIn: countFrom(wire.bytesIn, 'bytes_in'),
  rowsUpserted: countFrom(wire.rowsUpserted, 'rows_upserted'),
  rowsDeleted: countFrom(wire.rowsDeleted, 'rows_deleted'),
  ignored: countFrom(wire.ignored, 'ignored'),
  lagRecords: countFrom(wire.lagRecords, 'lag_records'),
  newestVisibleMs: countFrom(wire.newestVisibleMs, 'newest_visible_ms'),
  bufferedRecords: countFrom(wire.bufferedRecords, 'buffered_records'),
  waiting: waits.word(wire.waiting, 'waiting'),
})

export const heartbeatToWire = (message: Heartbeat): WireHeartbeat => ({
  leaderEpoch: int64(message.leaderEpoch),
  tasks: message.tasks.map(statsToWire),
  rssBytes: count(message.rssBytes),
  eventLoopLagMs: message.eventLoopLagMs,
})

export const heartbeatFromWire = (wire: WorkerHeartbeat__Output): Heartbeat => ({
  kind: 'heartbeat',
  leaderEpoch: leaderEpoch(big(wire.leaderEpoch)),
  tasks: wire.tasks.map(statsFromWire),
  rssBytes: countFrom(wire.rssBytes, 'rss_bytes'),
  eventLoopLagMs: wire.eventLoopLagMs,
})
