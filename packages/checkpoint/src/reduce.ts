import { failure, unreachable } from '@onceflow/model'
import { advance, giveUp } from './advance.ts'
import { background, onBackground } from './background.ts'
import type { PipelineEvent, PipelineMessage, Stimulus } from './event.ts'
import * as recovery from './recovery.ts'
import * as resolve from './resolve.ts'
import { whenRunning } from './running.ts'
import { whenStarting } from './starting.ts'
import type { Phase, PipelineState, WorkerKey } from './state.ts'
import {
  go,
  note,
  type PipelineStep,
  pendingOf,
  preceded,
  resent,
  send,
  settled,
  stampOf,
  stay,
  stillToEnd,
  termOf,
  txn,
} from './step.ts'
import type { StatusDoc } from './stored.ts'
import { judgeGone, statusTxn } from './txn.ts'

/** One event in, the next state and what to do about it out. Pure: see SPEC.md. */
export function reduce(before: PipelineState, stim: Stimulus): PipelineStep {
  const state = observed(before, stim.event)
  const { event } = stim
  if (event.kind === 'txn' && event.tag !== 'move') return onBackground(state, stim, event.tag)
  if (event.kind === 'message' && isForeign(state, event.message)) {
    return stay(state, [note('debug', 'message dropped', { kind: event.message.kind })])
  }
  if (event.kind === 'reconnected') return onReconnected(state, stim, event)
  return inPhase(state, stim)
}

/** Facts that every phase takes in the same way, before it reacts. */
function observed(state: PipelineState, event: PipelineEvent): PipelineState {
  if (event.kind === 'workers') return { ...state, core: { ...state.core, workers: event.workers } }
  if (event.kind !== 'document') return state
  const resumes = state.core.status !== undefined && event.status === undefined
  return {
    ...state,
    core: {
      ...state.core,
      doc: event.doc,
      docRevision: event.revision,
      status: event.status,
      statusStored: event.status === undefined ? 'yes' : state.core.statusStored,
      restarts: resumes ? { consecutive: 0, notBeforeMs: 0, last: undefined } : state.core.restarts,
    },
  }
}

/** R5: what does not carry our attempt and leader epoch is not for this attempt. */
function isForeign(state: PipelineState, message: PipelineMessage): boolean {
  if (message.kind === 'tasks-ended') return false
  const { attempt, leaderEpoch } = stampOf(state.core)
  return message.attempt !== attempt || message.leaderEpoch !== leaderEpoch
}

/** A worker is back: tasks of lower attempts are told that they are over, orders are repeated. */
function onReconnected(
  state: PipelineState,
  stim: Stimulus,
  event: Extract<PipelineEvent, { kind: 'reconnected' }>,
): PipelineStep {
  const { core } = state
  const old = event.tasks.some((task) => task.attempt < core.attempt.attempt)
  const step = inPhase(state, stim)
  return old ? preceded(abortOld(state, event.worker), step) : step
}

const abortOld = (state: PipelineState, to: WorkerKey) => [
  send(to, {
    kind: 'abort',
    ...stampOf(state.core),
    next: state.core.attempt.attempt,
    checkpoint: undefined,
    revision: state.core.attemptRevision,
  }),
]

function inPhase(state: PipelineState, stim: Stimulus): PipelineStep {
  const { phase } = state
  switch (phase.kind) {
    case 'waiting':
      return whenWaiting(state, stim)
    case 'inspecting':
      return whenInspecting(state, phase, stim)
    case 'storing-attempt':
      return recovery.whenStoringAttempt(state, phase, stim)
    case 'quiescing':
      return recovery.whenQuiescing(state, phase, stim)
    case 'resolving-commit':
      return resolve.whenResolvingCommit(state, phase, stim)
    case 'storing-completed':
      return resolve.whenStoringCompleted(state, phase, stim)
    case 'resolving-abort':
      return resolve.whenResolvingAbort(state, phase, stim)
    case 'storing-resolved':
      return resolve.whenStoringResolved(state, phase, stim)
    case 'storing-status':
      return recovery.whenStoringStatus(state, phase, stim)
    case 'starting':
      return whenStarting(state, phase, stim)
    case 'running':
      return whenRunning(state, phase, stim)
    case 'ending':
      return whenEnding(state, phase, stim)
    case 'storing-gone':
      return whenStoringGone(state, phase, stim)
    case 'parked':
      return stim.event.kind === 'document' ? advance(state.core, stim) : stay(state)
    case 'gone':
    case 'deposed':
      return stay(state)
    default:
      return unreachable(phase)
  }
}

type In<K extends Phase['kind']> = Extract<Phase, { readonly kind: K }>

/** Where nothing else follows, COMPLETED of the last checkpoint is stored at once (P9). */
function rested(step: PipelineStep, stim: Stimulus): PipelineStep {
  const { core, phase } = step.state
  return phase.kind === 'waiting' ? preceded(step.effects, background(core, phase, stim)) : step
}

function whenWaiting(state: PipelineState, stim: Stimulus): PipelineStep {
  switch (stim.event.kind) {
    case 'tick':
    case 'workers':
    case 'document': {
      return rested(advance(state.core, stim), stim)
    }
    case 'message':
    case 'reconnected':
    case 'txn':
    case 'checkpoint-wanted':
      return stay(state)
  }
}

function whenInspecting(
  state: PipelineState,
  phase: In<'inspecting'>,
  stim: Stimulus,
): PipelineStep {
  const { core } = state
  const { event } = stim
  // The answer to the old spec is waited for: with its like under way, two could not be told apart.
  if (event.kind === 'document' && core.doc.desired !== 'running') return advance(core, stim)
  if (event.kind === 'message' && event.message.kind === 'inspected') {
    const { result } = event.message
    if (event.from !== phase.worker) return stay(state)
    if (phase.generation !== core.doc.generation) return advance(core, stim)
    if (result.kind === 'ok' && result.partitions.length === 0) {
      const detail = 'the source has no partition of the topics that the pipeline selects'
      return onInspectionFailed(state, stim, [failure('TOPIC_MISSING', { detail })])
    }
    if (result.kind === 'ok') {
      return advance({ ...core, inspected: { generation: core.doc.generation, ...result } }, stim)
    }
    return onInspectionFailed(state, stim, result.failures)
  }
  const gone = event.kind === 'workers' && !event.workers.some((w) => w.key === phase.worker)
  const back = event.kind === 'reconnected' && event.worker === phase.worker
  if (gone || back || stim.nowMs >= phase.untilMs) return advance(core, stim)
  return stay(state)
}

/** What can pass is tried again with a back-off; a preflight problem stops the pipeline. */
function onInspectionFailed(
  state: PipelineState,
  stim: Stimulus,
  failures: readonly StatusDoc['failure'][],
): PipelineStep {
  const { core } = state
  const first = failures.find((item) => item.class !== 'retry') ?? failures[0]
  const cause = first ?? failure('PREFLIGHT_FAILED', { detail: 'the inspection failed' })
  if (cause.class === 'retry') return giveUp(core, stim, { failure: cause })
  const others = failures.length - 1
  const detail = others > 0 ? `${cause.detail} (and ${others} more problems)` : cause.detail
  const status: StatusDoc = { failure: { ...cause, detail }, atMs: stim.wallMs }
  const request = statusTxn(termOf(core), status)
  const pending = pendingOf(request, stim.token)
  return go(core, { kind: 'storing-status', pending, status, seen: core.docRevision }, [
    ...failures.map((item) => note('error', 'preflight', { code: item.code, detail: item.detail })),
    txn(request),
  ])
}

function whenEnding(state: PipelineState, phase: In<'ending'>, stim: Stimulus): PipelineStep {
  const { event } = stim
  const waitingFor = stillToEnd(phase.waitingFor, event)
  if (event.kind === 'reconnected' && waitingFor.includes(event.worker)) {
    return stay(state, [send(event.worker, { kind: 'stop-tasks', ...stampOf(state.core) })])
  }
  if (waitingFor.length > 0 && stim.nowMs < phase.untilMs) {
    return go(state.core, { ...phase, waitingFor })
  }
  return rested(advance(state.core, stim), stim)
}

function whenStoringGone(
  state: PipelineState,
  phase: In<'storing-gone'>,
  stim: Stimulus,
): PipelineStep {
  if (stim.event.kind === 'tick') return resent(state, phase, stim)
  if (stim.event.kind !== 'txn') return stay(state)
  return settled(state, stim, {
    phase,
    verdict: judgeGone(stim.event.outcome, termOf(state.core)),
    stored: () => {
      const doc = { ...state.core.doc, desired: 'gone' as const }
      return advance({ ...state.core, doc }, stim)
    },
  })
}
