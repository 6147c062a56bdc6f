import { subtask } from '@onceflow/model'
import type { PipelineEvent, PipelineState } from '../src/index.ts'
import {
  applied,
  broke,
  committed,
  created,
  docOf,
  document,
  ended,
  inspected,
  live,
  partition,
  play,
  position,
  r,
  resolveAborted,
  resolveCommitted,
  type Said,
  said,
  sealed,
  started,
  txn,
  wanted,
  workers,
} from './pipeline-fixture.ts'

// One pipeline of one partition, brought to each of its phases by the events that lead there.

export const w1 = workers(live('w1'))
export const message = (text: Parameters<typeof said>[1], attempt = 1): PipelineEvent =>
  said('w1', text, { attempt })
export const first = inspected(partition(0))

/** From a stored attempt to the end of RESOLVE. */
export const resolving = (attempt: number, at: number): readonly PipelineEvent[] => [
  txn(applied(at)),
  message(resolveCommitted, attempt),
  message(resolveAborted, attempt),
  txn(applied(at + 1)),
]

const waiting = created()
const inspecting = play(waiting, w1).state
const storingAttempt = play(inspecting, message(first, 0)).state
const resolvingCommit = play(storingAttempt, txn(applied(20))).state
const resolvingAbort = play(resolvingCommit, message(resolveCommitted)).state
const storingResolved = play(resolvingAbort, message(resolveAborted)).state
const starting = play(storingResolved, txn(applied(21))).state
const idle = play(starting, message(started(0)), txn(applied(22), 'reserve')).state
const sealing = play(idle, { nowMs: 100, event: message(wanted()) }).state
const deciding = play(sealing, message(sealed(1, 0, { positions: [position(5)] }))).state
const committing = play(deciding, txn(applied(23))).state
export const taskFailed: Said = { kind: 'task-failed', subtask: subtask(0), failure: broke() }
const failed = message(taskFailed)
const quiescing = play(sealing, failed, txn(applied(24))).state
const storingCompleted = play(
  committing,
  failed,
  txn(applied(24)),
  message(ended),
  message(resolveCommitted, 2),
).state
const ending = play(
  idle,
  document(docOf({ desired: 'paused' })),
  message(sealed(1, 0, { positions: [position(5)] })),
  txn(applied(23)),
  message(committed(1, 0)),
).state
const parked = play(
  ending,
  message(ended),
  txn(applied(24)),
  message(ended, 2),
  ...resolving(2, 24).slice(1),
).state
const storingStatus = play(
  resolvingAbort,
  message({
    kind: 'resolve-aborted',
    outcome: { kind: 'failed', failure: broke('SINK_AHEAD') },
  }),
).state
const storingGone = play(parked, document(docOf({ desired: 'deleted' }))).state

export const situations = {
  waiting,
  'backing off': play(
    quiescing,
    message(ended),
    ...resolving(2, 24).slice(1),
    message(taskFailed, 2),
  ).state,
  inspecting,
  'storing-attempt': storingAttempt,
  quiescing,
  'resolving-commit': resolvingCommit,
  'storing-completed': storingCompleted,
  'resolving-abort': resolvingAbort,
  'storing-resolved': storingResolved,
  'storing-status': storingStatus,
  starting,
  idle,
  sealing,
  deciding,
  committing,
  ending,
  parked,
  'storing-gone': storingGone,
  gone: play(storingGone, txn(applied(30))).state,
  deposed: play(storingAttempt, txn({ kind: 'refused', revision: r(40), reads: [] })).state,
} satisfies Record<string, PipelineState>
