import { checkpointNumber, type Failure, failure, type SinkName } from '@onceflow/model'
import type { KnownCheckpoint, LeaderMessage, RecordOfHandles } from '@onceflow/ports'
import { advance, pickWorker, startPositions } from './advance.ts'
import type { PipelineMessage, Stimulus } from './event.ts'
import { type CheckpointRecord, restated, type StoredRecord } from './record.ts'
import { startTasks } from './starting.ts'
import {
  newestRecord,
  type Phase,
  type PipelineCore,
  type PipelineState,
  type WorkerKey,
} from './state.ts'
import {
  go,
  note,
  type PipelineStep,
  pendingOf,
  resent,
  send,
  settled,
  stampOf,
  stay,
  termOf,
  txn,
} from './step.ts'
import type { ResolvedDoc, StatusDoc } from './stored.ts'
import { judgeRecord, judgeRepeatable, resolvedTxn, restateTxn, statusTxn } from './txn.ts'

/**
 * RESOLVE of a stored attempt, in two phases (R4), and checkpoint 0 (R10). Every order may be
 * carried out by any worker and is repeated, in the same attempt, when its worker is lost or its
 * sink cannot be reached.
 */
type In<K extends Phase['kind']> = Extract<Phase, { readonly kind: K }>

export function resolveCommit(
  core: PipelineCore,
  stim: Stimulus,
  order: { readonly tries: number; readonly not?: WorkerKey },
): PipelineStep {
  const worker = pickWorker(core, order.not)
  const spec = core.assignment?.spec ?? core.doc.spec
  const message: LeaderMessage = {
    kind: 'resolve-commit',
    ...stampOf(core),
    spec,
    revision: core.attemptRevision,
    open: core.records.filter(({ record }) => isOpen(record)).map(handlesOf),
    known: core.records.map(knownOf),
    retireMark: core.retireMark,
  }
  return orderTo(core, stim, { kind: 'resolving-commit', worker, message, tries: order.tries })
}

function orderTo(
  core: PipelineCore,
  stim: Stimulus,
  order: {
    readonly kind: 'resolving-commit' | 'resolving-abort'
    readonly worker: WorkerKey | undefined
    readonly message: LeaderMessage
    readonly tries: number
  },
): PipelineStep {
  const { worker, tries, message } = order
  const untilMs =
    worker === undefined ? Number.POSITIVE_INFINITY : stim.nowMs + core.settings.orderMs
  const phase: Phase =
    message.kind === 'resolve-abort'
      ? { kind: 'resolving-abort', worker, untilMs, tries, revision: message.revision }
      : { kind: 'resolving-commit', worker, untilMs, tries }
  return go(core, phase, worker === undefined ? [] : [send(worker, message)])
}

const isOpen = (record: CheckpointRecord): boolean => record.state === 'committed'

const handlesOf = ({ record }: StoredRecord): RecordOfHandles => ({
  checkpoint: record.checkpoint,
  attempt: record.attempt,
  handles: record.handles.filter((handle) => handle.kind === 'sealed'),
})

const knownOf = ({ record }: StoredRecord): KnownCheckpoint => ({
  checkpoint: record.checkpoint,
  attempt: record.attempt,
  state:
    record.state === 'completed' ? 'completed' : record.state === 'undone' ? 'undone' : 'committed',
})

export function whenResolvingCommit(
  state: PipelineState,
  phase: In<'resolving-commit'>,
  stim: Stimulus,
): PipelineStep {
  const { core } = state
  const { event } = stim
  if (event.kind === 'message' && event.message.kind === 'resolve-committed') {
    return onResolveCommitted(core, stim, { message: event.message, phase })
  }
  return retriedOrder(state, stim, {
    phase,
    again: (tries, not) =>
      resolveCommit(core, stim, not === undefined ? { tries } : { tries, not }),
  })
}

type Committed = Extract<PipelineMessage, { kind: 'resolve-committed' }>
type Aborted = Extract<PipelineMessage, { kind: 'resolve-aborted' }>

function onResolveCommitted(
  core: PipelineCore,
  stim: Stimulus,
  answer: { readonly message: Committed; readonly phase: In<'resolving-commit'> },
): PipelineStep {
  const { outcome } = answer.message
  if (outcome.kind === 'failed') {
    return onOrderFailed(core, stim, { failure: outcome.failure, phase: answer.phase })
  }
  const lost = outcome.kind === 'lost' ? outcome.lost : []
  const lostNumbers = new Set(lost.map((item) => item.checkpoint))
  const standing = core.records
    .filter(({ record }) => isOpen(record))
    .map(({ record, revision }) => ({
      record: {
        ...record,
        state: lostNumbers.has(record.checkpoint) ? ('lost' as const) : ('completed' as const),
      },
      revision,
    }))
  if (standing.length === 0) return resolveAbort(core, stim, { revision: core.attemptRevision })
  const first = lost[0]
  const stops: StatusDoc | undefined =
    first === undefined
      ? undefined
      : {
          failure: { ...first.failure, code: 'DATA_LOSS', class: 'fatal' },
          atMs: stim.wallMs,
        }
  const request = restateTxn(termOf(core), standing, stops)
  const records = standing.map(({ record }) => record)
  return go(
    core,
    { kind: 'storing-completed', pending: pendingOf(request, stim.token), records, stops },
    [txn(request)],
  )
}

/** Settles what the outcome of a RESOLVE order says when it is not done. */
function onOrderFailed(
  core: PipelineCore,
  stim: Stimulus,
  order: {
    readonly failure: Failure
    readonly phase: In<'resolving-commit'> | In<'resolving-abort'>
  },
): PipelineStep {
  const { phase } = order
  const seen = note('warn', 'RESOLVE failed', {
    code: order.failure.code,
    detail: order.failure.detail,
    tries: phase.tries,
  })
  const restarts = { ...core.restarts, last: order.failure }
  if (order.failure.class === 'retry') {
    const { backOffMinMs, backOffMaxMs } = core.settings
    const pauseMs = Math.min(backOffMinMs * 2 ** Math.min(phase.tries, 20), backOffMaxMs)
    const untilMs = stim.nowMs + pauseMs
    const next = { ...phase, worker: undefined, untilMs, tries: phase.tries + 1 }
    return go({ ...core, restarts }, next, [seen])
  }
  const status: StatusDoc = { failure: order.failure, atMs: stim.wallMs }
  const request = statusTxn(termOf(core), status)
  return go(
    { ...core, restarts },
    {
      kind: 'storing-status',
      pending: pendingOf(request, stim.token),
      status,
      seen: core.docRevision,
    },
    [seen, txn(request)],
  )
}

/** An order whose worker is lost, silent or back on a new stream goes out again. */
function retriedOrder(
  state: PipelineState,
  stim: Stimulus,
  order: {
    readonly phase: In<'resolving-commit'> | In<'resolving-abort'>
    readonly again: (tries: number, not: WorkerKey | undefined) => PipelineStep
  },
): PipelineStep {
  const { event } = stim
  const { phase } = order
  const gone =
    event.kind === 'workers' &&
    phase.worker !== undefined &&
    !event.workers.some((worker) => worker.key === phase.worker)
  const back = event.kind === 'reconnected' && event.worker === phase.worker
  const none = event.kind === 'workers' && phase.worker === undefined && isForever(phase)
  if (gone || back || none || stim.nowMs >= phase.untilMs) {
    return order.again(phase.tries, back ? undefined : phase.worker)
  }
  return stay(state)
}

const isForever = (phase: { readonly untilMs: number }): boolean =>
  phase.untilMs === Number.POSITIVE_INFINITY

export function whenStoringCompleted(
  state: PipelineState,
  phase: In<'storing-completed'>,
  stim: Stimulus,
): PipelineStep {
  if (stim.event.kind === 'tick') return resent(state, phase, stim)
  if (stim.event.kind !== 'txn' || stim.event.tag !== 'move') return stay(state)
  const verdict = judgeRepeatable(stim.event.outcome, state.core.leaderEpoch)
  return settled(state, stim, {
    phase,
    verdict,
    stored: ({ revision }) => {
      const core: PipelineCore = {
        ...state.core,
        records: restated(state.core.records, phase.records),
        status: phase.stops ?? state.core.status,
        statusStored: phase.stops === undefined ? state.core.statusStored : 'yes',
      }
      return resolveAbort(core, stim, { revision })
    },
  })
}

function resolveAbort(
  core: PipelineCore,
  stim: Stimulus,
  order: {
    readonly revision: PipelineCore['attemptRevision']
    readonly tries?: number
    readonly not?: WorkerKey | undefined
  },
): PipelineStep {
  const newest = newestRecord(core)?.record
  const heads = writesNoMore(core) ? [] : (newest?.heads ?? [])
  const message: LeaderMessage = {
    kind: 'resolve-abort',
    ...stampOf(core),
    spec: core.assignment?.spec ?? core.doc.spec,
    revision: order.revision,
    known: core.records.map(knownOf),
    retireMark: core.retireMark,
    heads,
    newestDecided: newest?.checkpoint ?? checkpointNumber(0n),
  }
  return orderTo(core, stim, {
    kind: 'resolving-abort',
    worker: pickWorker(core, order.not),
    message,
    tries: order.tries ?? 0,
  })
}

/**
 * Nothing will be written after a deletion, nor under a spec that was replaced: what its sinks lack
 * must not hold either up. The attempt that runs the new spec compares all heads again.
 */
function writesNoMore({ doc, assignment }: PipelineCore): boolean {
  if (doc.desired === 'deleted') return true
  return assignment?.goal === 'settle' && assignment.generation !== doc.generation
}

export function whenResolvingAbort(
  state: PipelineState,
  phase: In<'resolving-abort'>,
  stim: Stimulus,
): PipelineStep {
  const { core } = state
  const { event } = stim
  if (event.kind === 'message' && event.message.kind === 'resolve-aborted') {
    return onResolveAborted(core, stim, { message: event.message, phase })
  }
  return retriedOrder(state, stim, {
    phase,
    again: (tries, not) => resolveAbort(core, stim, { revision: phase.revision, tries, not }),
  })
}

function onResolveAborted(
  core: PipelineCore,
  stim: Stimulus,
  answer: { readonly message: Aborted; readonly phase: In<'resolving-abort'> },
): PipelineStep {
  const { outcome } = answer.message
  if (outcome.kind === 'failed') {
    return onOrderFailed(core, stim, { failure: outcome.failure, phase: answer.phase })
  }
  if (outcome.kind === 'lost') {
    const lost = outcome.lost[0]?.failure ?? failure('DATA_LOSS', { detail: 'a head is missing' })
    return onOrderFailed(core, stim, { failure: { ...lost, class: 'fatal' }, phase: answer.phase })
  }
  const resolved = resolvedDoc(core)
  const initial = isFirstRun(core) ? initialRecord(core, stim) : undefined
  const request = resolvedTxn(termOf(core), resolved, initial)
  return go(
    core,
    { kind: 'storing-resolved', pending: pendingOf(request, stim.token), resolved, initial },
    [txn(request)],
  )
}

const isFirstRun = (core: PipelineCore): boolean =>
  core.assignment?.goal === 'run' && core.records.length === 0

function resolvedDoc(core: PipelineCore): ResolvedDoc {
  const tasks = core.assignment?.tasks ?? []
  const subtasks = Math.max(core.resolved?.subtasks ?? 0, ...tasks.map((task) => task.subtask + 1))
  const sinks = new Set<SinkName>(core.resolved?.sinks ?? [])
  for (const sink of core.assignment?.spec.sinks ?? []) sinks.add(sink.name)
  return { attempt: core.attempt.attempt, subtasks, sinks: [...sinks] }
}

/** Checkpoint 0: the first durable cut, before the first output (R10). */
function initialRecord(core: PipelineCore, stim: Stimulus): CheckpointRecord {
  const positions = startPositions(core)
  return {
    checkpoint: checkpointNumber(0n),
    attempt: core.attempt.attempt,
    leaderEpoch: core.leaderEpoch,
    unique: stim.token,
    kind: 'initial',
    state: 'completed',
    positions,
    handles: [],
    contexts: [],
    heads: [],
    joined: positions,
    figures: {
      decidedAtMs: stim.wallMs,
      records: 0,
      rows: 0,
      sealMs: 0,
      decideMs: 0,
      commitMs: 0,
    },
  }
}

export function whenStoringResolved(
  state: PipelineState,
  phase: In<'storing-resolved'>,
  stim: Stimulus,
): PipelineStep {
  if (stim.event.kind === 'tick') return resent(state, phase, stim)
  if (stim.event.kind !== 'txn' || stim.event.tag !== 'move') return stay(state)
  const { outcome } = stim.event
  const verdict =
    phase.initial === undefined
      ? judgeRepeatable(outcome, state.core.leaderEpoch)
      : judgeRecord(outcome, { term: termOf(state.core), unique: phase.pending.unique })
  return settled(state, stim, {
    phase,
    verdict,
    stored: ({ revision }) => {
      const initial =
        phase.initial === undefined ? [] : [{ record: phase.initial, revision, seenMs: stim.nowMs }]
      const core: PipelineCore = {
        ...state.core,
        resolved: phase.resolved,
        records: [...state.core.records, ...initial],
      }
      if (core.assignment?.goal === 'settle') return advance(core, stim)
      return changedMeanwhile(core) ? advance(core, stim) : startTasks(core, stim)
    },
  })
}

/** The operator changed his mind during RESOLVE: no task is started for what is not wanted. */
const changedMeanwhile = (core: PipelineCore): boolean =>
  core.doc.desired !== 'running' ||
  core.status !== undefined ||
  core.assignment?.generation !== core.doc.generation
