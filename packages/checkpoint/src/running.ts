import { checkpointNumber, type Failure, failure } from '@onceflow/model'
import { advance, giveUp, wantsRebalance } from './advance.ts'
import { background, needsIds } from './background.ts'
import { completedRecord, positionGoingBack, recordOf } from './decision.ts'
import type { PipelineEffect, PipelineMessage, Stimulus } from './event.ts'
import { onInspectedRunning, passedGrowth } from './growth.ts'
import { restated } from './record.ts'
import {
  type CheckpointPhase,
  newestRecord,
  type Phase,
  type PipelineCore,
  type PipelineState,
  type StopReason,
  type WorkerKey,
} from './state.ts'
import {
  go,
  later,
  note,
  type PipelineStep,
  pendingOf,
  preceded,
  resend,
  send,
  stampOf,
  standDown,
  stay,
  termOf,
  txn,
} from './step.ts'
import { barrierTo, commitTo, isOwner, repeatedOrders, tasksOf, workersOf } from './task-orders.ts'
import { dueAfter, isDue, stronger, type Wanted } from './trigger-policy.ts'
import { decideTxn, judgeRecord } from './txn.ts'

/**
 * The checkpoint of a running attempt: idle, sealing, deciding, committing (P0 to P9). At most one
 * lies between P1 and P9. While deciding nothing else happens to the attempt: what arrives is kept
 * until the outcome of P6 is definite (R2).
 */
type Running = Extract<Phase, { kind: 'running' }>
type In<K extends CheckpointPhase['kind']> = Extract<CheckpointPhase, { readonly kind: K }>

export function whenRunning(state: PipelineState, phase: Running, stim: Stimulus): PipelineStep {
  const { core } = state
  const { event } = stim
  switch (event.kind) {
    case 'tick':
    case 'checkpoint-wanted':
      return onTick(core, phase, stim)
    case 'workers':
      return onWorkers(core, phase, stim)
    case 'message':
      return onMessage(state, phase, { ...stim, from: event.from, message: event.message })
    case 'reconnected':
      return stay(state, repeatedOrders(core, phase, event.worker))
    case 'document':
      return onTick(core, withStop(phase, stopForDocument(core)), stim)
    case 'txn':
      return event.tag === 'move' && phase.checkpoint.kind === 'deciding'
        ? onDecided(core, { ...phase, checkpoint: phase.checkpoint }, stim)
        : stay(state)
  }
}

const withStop = (phase: Running, stop: StopReason | undefined): Running =>
  stop === undefined || phase.stopWanted !== undefined ? phase : { ...phase, stopWanted: stop }

function stopForDocument(core: PipelineCore): StopReason | undefined {
  if (core.doc.desired === 'deleted' || core.doc.desired === 'gone') return 'delete'
  if (core.doc.desired === 'paused') return 'pause'
  return core.assignment?.generation === core.doc.generation ? undefined : 'spec'
}

function onTick(core: PipelineCore, phase: Running, stim: Stimulus): PipelineStep {
  const { checkpoint } = phase
  switch (checkpoint.kind) {
    case 'idle': {
      const forced = stim.event.kind === 'checkpoint-wanted'
      const due = forced || isDue(checkpoint, { nowMs: stim.nowMs, stopWanted: phase.stopWanted })
      return due ? inject(core, { ...phase, checkpoint }, stim) : background(core, phase, stim)
    }
    case 'sealing': {
      const limitMs = core.assignment?.spec.checkpoint.timeoutMs ?? 60_000
      if (stim.nowMs - checkpoint.injectedMs <= limitMs) return background(core, phase, stim)
      const missing = tasksOf(core).filter((task) => !checkpoint.sealed.has(task.subtask))
      const names = missing.map((task) => task.subtask).join(', ')
      return giveUpCheckpoint(core, stim, {
        checkpoint,
        failure: failure('CHECKPOINT_TIMEOUT', {
          detail: `checkpoint ${checkpoint.checkpoint} was not sealed by tasks ${names} in time`,
        }),
      })
    }
    case 'deciding': {
      const again = resend(checkpoint.pending, stim.nowMs)
      if (again === undefined) return go(core, phase)
      return go(core, { ...phase, checkpoint: { ...checkpoint, pending: again } }, [
        txn(again.request),
      ])
    }
    case 'committing':
      return background(core, phase, stim)
  }
}

function onWorkers(core: PipelineCore, phase: Running, stim: Stimulus): PipelineStep {
  const live = new Set(core.workers.map((worker) => worker.key))
  const lost = tasksOf(core).find((task) => !live.has(task.worker))
  if (lost !== undefined) {
    const detail = `worker ${lost.worker} is lost with task ${lost.subtask}`
    return onFailure(core, phase, { stim, failure: failure('WORKER_LOST', { detail }) })
  }
  return wantsRebalance(core) ? onTick(core, withStop(phase, 'rebalance'), stim) : go(core, phase)
}

/** A failure ends the attempt, except while P6 is not settled: then it waits for the outcome. */
function onFailure(
  core: PipelineCore,
  phase: Running,
  on: { readonly stim: Stimulus; readonly failure: Failure },
): PipelineStep {
  const { checkpoint } = phase
  if (checkpoint.kind !== 'deciding') {
    return giveUpCheckpoint(core, on.stim, { checkpoint, failure: on.failure })
  }
  const failed = checkpoint.failed ?? on.failure
  return go(core, { ...phase, checkpoint: { ...checkpoint, failed } })
}

function giveUpCheckpoint(
  core: PipelineCore,
  stim: Stimulus,
  cause: { readonly checkpoint: CheckpointPhase; readonly failure: Failure },
): PipelineStep {
  const { checkpoint } = cause
  if (checkpoint.kind !== 'sealing') return giveUp(core, stim, { failure: cause.failure })
  const ended: PipelineEffect = {
    kind: 'checkpoint-ended',
    summary: {
      checkpoint: checkpoint.checkpoint,
      attempt: core.attempt.attempt,
      state: 'aborted',
      figures: {
        decidedAtMs: stim.wallMs,
        records: 0,
        rows: 0,
        sealMs: stim.nowMs - checkpoint.injectedMs,
        decideMs: 0,
        commitMs: 0,
      },
    },
    cause: cause.failure,
  }
  const givesUp = checkpoint.checkpoint
  return preceded([ended], giveUp(core, stim, { failure: cause.failure, givesUp }))
}

type Received = Stimulus & { readonly from: WorkerKey; readonly message: PipelineMessage }

function onMessage(state: PipelineState, phase: Running, stim: Received): PipelineStep {
  const { core } = state
  const { message } = stim
  switch (message.kind) {
    case 'barrier-wanted': {
      const wanted = message.reason === 'full' ? 'full' : 'data'
      const checkpoint = {
        ...phase.checkpoint,
        wanted: stronger(phase.checkpoint.wanted, wanted),
      }
      return onTick(core, { ...phase, checkpoint }, stim)
    }
    case 'sealed':
      return onSealed(state, phase, { ...stim, message })
    case 'committed':
      return onCommitted(state, phase, { ...stim, message })
    case 'task-failed': {
      if (!isOwner(core, stim.from, message.subtask)) return stay(state)
      return onFailure(core, phase, { stim, failure: message.failure })
    }
    case 'inspected':
      return onInspectedRunning(core, phase, { stim, message })
    case 'partitions-found':
    case 'task-started':
    case 'tasks-ended':
    case 'resolve-committed':
    case 'resolve-aborted':
      return stay(state)
  }
}

/** P1: the number comes from the reserved block; without one the barrier waits for the block. */
function inject(
  core: PipelineCore,
  phase: Running & { readonly checkpoint: In<'idle'> },
  stim: Stimulus,
): PipelineStep {
  if (needsIds(core)) return background(core, phase, stim)
  const number = checkpointNumber(core.ids.next)
  const stop = phase.stopWanted
  const sealing: In<'sealing'> = {
    kind: 'sealing',
    checkpoint: number,
    stop,
    injectedMs: stim.nowMs,
    sealed: new Map(),
    wanted: 'no',
  }
  const after: PipelineCore = { ...core, ids: { ...core.ids, next: core.ids.next + 1n } }
  const barriers = workersOf(core).map((to) => barrierTo(after, to, sealing))
  return go(after, { ...phase, stopWanted: undefined, checkpoint: sealing }, barriers)
}

type SealedStim = Received & { readonly message: Extract<PipelineMessage, { kind: 'sealed' }> }

/** P5: only the owner's acknowledgement of this very checkpoint counts. */
function onSealed(state: PipelineState, phase: Running, stim: SealedStim): PipelineStep {
  const { core } = state
  const { checkpoint } = phase
  const { message } = stim
  const counts =
    checkpoint.kind === 'sealing' &&
    checkpoint.checkpoint === message.checkpoint &&
    isOwner(core, stim.from, message.subtask)
  if (!counts) return stay(state)
  const sealed = new Map(checkpoint.sealed).set(message.subtask, message)
  const sealing = { ...checkpoint, sealed }
  if (sealed.size < tasksOf(core).length) return go(core, { ...phase, checkpoint: sealing })
  const back = positionGoingBack(core, sealing)
  if (back !== undefined) {
    return giveUpCheckpoint(core, stim, { checkpoint: sealing, failure: back })
  }
  return decide(core, { ...phase, checkpoint: sealing }, stim)
}

/** P6: one Txn; the record holds everything that is needed to finish and to restart. */
function decide(
  core: PipelineCore,
  phase: Running & { readonly checkpoint: In<'sealing'> },
  stim: Stimulus,
): PipelineStep {
  const { checkpoint } = phase
  const record = recordOf(core, checkpoint, stim)
  const request = decideTxn(termOf(core), record, {
    after: newestRecord(core),
    completes: core.confirmed,
  })
  const deciding: In<'deciding'> = {
    kind: 'deciding',
    record,
    stop: checkpoint.stop,
    injectedMs: checkpoint.injectedMs,
    sealedMs: stim.nowMs,
    pending: pendingOf(request, stim.token),
    wanted: checkpoint.wanted,
    failed: undefined,
  }
  return go(core, { ...phase, checkpoint: deciding }, [txn(request)])
}

/** P7 after P6: only now is anything announced. */
function onDecided(
  core: PipelineCore,
  phase: Running & { readonly checkpoint: In<'deciding'> },
  stim: Stimulus,
): PipelineStep {
  if (stim.event.kind !== 'txn') return go(core, phase)
  const { checkpoint } = phase
  const verdict = judgeRecord(stim.event.outcome, {
    term: termOf(core),
    unique: checkpoint.pending.unique,
  })
  switch (verdict.kind) {
    case 'again': {
      const pending = later(checkpoint.pending, stim.nowMs)
      const effect = note('warn', 'decision not settled', { cause: verdict.cause })
      return go(core, { ...phase, checkpoint: { ...checkpoint, pending } }, [effect])
    }
    case 'deposed':
      return standDown(core, verdict.cause)
    case 'decided':
    case 'stored':
      break
  }
  const completed = core.confirmed === undefined ? [] : [core.confirmed]
  const after: PipelineCore = {
    ...core,
    records: [
      ...restated(core.records, completed),
      { record: checkpoint.record, revision: verdict.revision, seenMs: stim.nowMs },
    ],
    confirmed: undefined,
  }
  if (checkpoint.failed !== undefined) return giveUp(after, stim, { failure: checkpoint.failed })
  const committing: In<'committing'> = {
    kind: 'committing',
    record: checkpoint.record,
    revision: verdict.revision,
    stop: checkpoint.stop,
    injectedMs: checkpoint.injectedMs,
    decidedMs: stim.nowMs,
    confirmed: new Set(),
    wanted: checkpoint.wanted,
  }
  const commits = workersOf(after).map((to) => commitTo(after, to, committing))
  return go(after, { ...phase, checkpoint: committing }, commits)
}

type CommittedStim = Received & {
  readonly message: Extract<PipelineMessage, { kind: 'committed' }>
}

function onCommitted(state: PipelineState, phase: Running, stim: CommittedStim): PipelineStep {
  const { core } = state
  const { checkpoint } = phase
  const { message } = stim
  const counts =
    checkpoint.kind === 'committing' &&
    checkpoint.record.checkpoint === message.checkpoint &&
    isOwner(core, stim.from, message.subtask)
  if (!counts) return stay(state)
  if (message.outcome.kind === 'failed') {
    return onFailure(core, phase, { stim, failure: message.outcome.failure })
  }
  if (message.outcome.kind === 'lost') {
    const lost = message.outcome.lost[0]?.failure
    const detail = lost?.detail ?? `checkpoint ${message.checkpoint} lost a transaction`
    return onFailure(core, phase, { stim, failure: failure('DATA_LOSS', { detail }) })
  }
  const confirmed = new Set(checkpoint.confirmed).add(message.subtask)
  const committing = { ...checkpoint, confirmed }
  if (confirmed.size < tasksOf(core).length) {
    return go(core, { ...phase, checkpoint: committing })
  }
  return complete(core, { ...phase, checkpoint: committing }, stim)
}

/** P9: COMPLETED rides on the next decision; a clean stop goes on to its own end. */
function complete(
  core: PipelineCore,
  phase: Running & { readonly checkpoint: In<'committing'> },
  stim: Stimulus,
): PipelineStep {
  const { checkpoint } = phase
  const record = completedRecord(checkpoint, stim)
  const after: PipelineCore = {
    ...core,
    confirmed: record,
    restarts: { consecutive: 0, notBeforeMs: 0, last: undefined },
  }
  const ended: PipelineEffect = {
    kind: 'checkpoint-ended',
    summary: {
      checkpoint: record.checkpoint,
      attempt: record.attempt,
      state: 'completed',
      figures: record.figures,
    },
    cause: undefined,
  }
  if (checkpoint.stop !== undefined) {
    return preceded([ended], endRun(after, checkpoint.stop, stim))
  }
  const idle: In<'idle'> = {
    kind: 'idle',
    dueMs: dueAfter(core, checkpoint.injectedMs),
    wanted: checkpoint.wanted,
  }
  const grown = passedGrowth(after, record) ? withStop(phase, 'growth') : phase
  return preceded([ended], onTick(after, { ...grown, checkpoint: idle }, stim))
}

/**
 * All tasks stand still at a committed checkpoint and end. What follows is decided by advance: the
 * next attempt carries the completion, and its RESOLVE finds nothing to do.
 */
function endRun(core: PipelineCore, stop: StopReason, stim: Stimulus): PipelineStep {
  const untilMs = stim.nowMs + core.settings.quiesceMs
  const waitingFor = workersOf(core)
  const ends = waitingFor.map((to) => send(to, { kind: 'stop-tasks' as const, ...stampOf(core) }))
  if (waitingFor.length === 0) return advance(core, stim)
  return go(core, { kind: 'ending', waitingFor, untilMs, stop }, ends)
}

/** What changed while the tasks were being started is acted upon at the first barrier. */
export const firstIdle = (core: PipelineCore, stim: Stimulus, wanted: Wanted): Phase => ({
  kind: 'running',
  checkpoint: { kind: 'idle', dueMs: dueAfter(core, stim.nowMs), wanted },
  stopWanted: stopForDocument(core) ?? (wantsRebalance(core) ? 'rebalance' : undefined),
})
