import { InvariantViolation } from '@onceflow/model'
import type { JournalFields, JournalLevel, LeaderMessage, TxnRequest } from '@onceflow/ports'
import type { PipelineEffect, PipelineEvent, Step, Stimulus, TxnTag } from './event.ts'
import type { PendingTxn, Phase, PipelineCore, PipelineState, WorkerKey } from './state.ts'
import type { PipelineTerm, Verdict } from './txn.ts'

export type PipelineStep = Step<PipelineState>

export const go = (
  core: PipelineCore,
  phase: Phase,
  effects: readonly PipelineEffect[] = [],
): PipelineStep => ({ state: { core, phase }, effects })

export const stay = (
  state: PipelineState,
  effects: readonly PipelineEffect[] = [],
): PipelineStep => ({
  state,
  effects,
})

/** The same step with effects before its own. */
export const preceded = (effects: readonly PipelineEffect[], step: PipelineStep): PipelineStep => ({
  state: step.state,
  effects: [...effects, ...step.effects],
})

export const send = (to: WorkerKey, message: LeaderMessage): PipelineEffect => ({
  kind: 'send',
  to,
  message,
})

export const txn = (request: TxnRequest, tag: TxnTag = 'move'): PipelineEffect => ({
  kind: 'txn',
  tag,
  request,
})

export const note = (
  level: JournalLevel,
  text: string,
  fields: JournalFields = {},
): PipelineEffect => ({ kind: 'note', level, text, fields })

export const termOf = (core: PipelineCore): PipelineTerm => ({
  pipeline: core.doc.uid,
  leaderEpoch: core.leaderEpoch,
  attemptRevision: core.attemptRevision,
})

export const pendingOf = (request: TxnRequest, unique: string): PendingTxn => ({
  request,
  unique,
  tries: 1,
  retryAtMs: undefined,
})

export const stampOf = (core: PipelineCore) => ({
  pipeline: core.doc.uid,
  attempt: core.attempt.attempt,
  leaderEpoch: core.leaderEpoch,
})

export const standDown = (core: PipelineCore, cause: string): PipelineStep =>
  go(core, { kind: 'deposed', cause }, [{ kind: 'stand-down', cause }])

type WithPending = Extract<Phase, { readonly pending: PendingTxn }>

/** An unknown outcome: the very same request goes out again after a pause (R2). */
export function postponed(state: PipelineState, phase: WithPending, stim: Stimulus): PipelineStep {
  return go(state.core, { ...phase, pending: later(phase.pending, stim.nowMs) })
}

/** At a tick: sends the pending Txn again when its pause is over. */
export function resent(state: PipelineState, phase: WithPending, stim: Stimulus): PipelineStep {
  const again = resend(phase.pending, stim.nowMs)
  if (again === undefined) return stay(state)
  return go(state.core, { ...phase, pending: again }, [txn(again.request)])
}

export function later(pending: PendingTxn, nowMs: number): PendingTxn {
  const pauseMs = Math.min(20 * 2 ** Math.min(pending.tries, 10), 500)
  return { ...pending, tries: pending.tries + 1, retryAtMs: nowMs + pauseMs }
}

export function resend(pending: PendingTxn, nowMs: number): PendingTxn | undefined {
  if (pending.retryAtMs === undefined || nowMs < pending.retryAtMs) return undefined
  return { ...pending, retryAtMs: undefined }
}

/** The verdicts that mean the same in every phase; the rest is handed to `onStored`. */
export function settled(
  state: PipelineState,
  stim: Stimulus,
  on: {
    readonly phase: WithPending
    readonly verdict: Verdict
    readonly stored: (verdict: Extract<Verdict, { kind: 'stored' }>) => PipelineStep
  },
): PipelineStep {
  switch (on.verdict.kind) {
    case 'stored':
      return on.stored(on.verdict)
    case 'again':
      return postponed(state, on.phase, stim)
    case 'deposed':
      return standDown(state.core, on.verdict.cause)
    case 'decided':
      // Our own P6 is always settled before we give a checkpoint up, and nobody else can store one.
      throw new InvariantViolation(`checkpoint ${on.verdict.record.checkpoint} decided unseen`)
  }
}

/** Workers whose tasks are still to end: without those that said so and those that are lost. */
export function stillToEnd(
  waitingFor: readonly WorkerKey[],
  event: PipelineEvent,
): readonly WorkerKey[] {
  if (event.kind === 'message' && event.message.kind === 'tasks-ended') {
    return waitingFor.filter((key) => key !== event.from)
  }
  if (event.kind !== 'workers') return waitingFor
  const live = new Set(event.workers.map((worker) => worker.key))
  return waitingFor.filter((key) => live.has(key))
}
