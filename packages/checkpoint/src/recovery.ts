import { advance } from './advance.ts'
import type { Stimulus } from './event.ts'
import { restated } from './record.ts'
import { resolveCommit } from './resolve.ts'
import type { Phase, PipelineCore, PipelineState, WorkerKey } from './state.ts'
import {
  go,
  note,
  type PipelineStep,
  preceded,
  resent,
  send,
  settled,
  stampOf,
  stay,
  stillToEnd,
  termOf,
} from './step.ts'
import { judgeAttempt, judgeRepeatable } from './txn.ts'

/**
 * From the Txn of R3 to the end of the old tasks, and the status of a stopped pipeline.
 */
type In<K extends Phase['kind']> = Extract<Phase, { readonly kind: K }>

export function whenStoringAttempt(
  state: PipelineState,
  phase: In<'storing-attempt'>,
  stim: Stimulus,
): PipelineStep {
  if (stim.event.kind === 'tick') return resent(state, phase, stim)
  if (stim.event.kind === 'reconnected') return go(state.core, withHolder(phase, stim.event))
  if (stim.event.kind !== 'txn' || stim.event.tag !== 'move') return stay(state)
  const verdict = judgeAttempt(stim.event.outcome, {
    term: termOf(state.core),
    unique: phase.pending.unique,
  })
  return settled(state, stim, {
    phase,
    verdict,
    stored: ({ revision }) => {
      const core: PipelineCore = {
        ...state.core,
        attempt: phase.attempt,
        attemptRevision: revision,
        assignment: phase.assignment,
        records: restated(state.core.records, phase.completes),
        confirmed: undefined,
        growth: undefined,
        givenUp: undefined,
        status: phase.stops ?? state.core.status,
        statusStored: phase.stops === undefined ? state.core.statusStored : 'yes',
      }
      const aborts = phase.holders.map((to) => abortOf(core, to, phase))
      if (aborts.length === 0) return resolveCommit(core, stim, { tries: 0 })
      const untilMs = stim.nowMs + core.settings.quiesceMs
      return go(core, { kind: 'quiescing', waitingFor: phase.holders, untilMs }, aborts)
    },
  })
}

/** A worker that comes back with tasks while the attempt is stored is told with the others. */
function withHolder(
  phase: In<'storing-attempt'>,
  back: Extract<Stimulus['event'], { kind: 'reconnected' }>,
): In<'storing-attempt'> {
  const holds = back.tasks.length > 0 && !phase.holders.includes(back.worker)
  return holds ? { ...phase, holders: [...phase.holders, back.worker] } : phase
}

const abortOf = (core: PipelineCore, to: WorkerKey, phase: In<'storing-attempt'>) =>
  send(to, {
    kind: 'abort',
    ...stampOf(core),
    next: core.attempt.attempt,
    checkpoint: phase.givesUp,
    revision: core.attemptRevision,
  })

/** Tasks of lower attempts get a short time to end by themselves; RESOLVE fences the rest. */
export function whenQuiescing(
  state: PipelineState,
  phase: In<'quiescing'>,
  stim: Stimulus,
): PipelineStep {
  const { core } = state
  const { event } = stim
  const waitingFor = stillToEnd(phase.waitingFor, event)
  if (event.kind === 'reconnected' && waitingFor.includes(event.worker)) {
    return stay(state, [
      send(event.worker, {
        kind: 'abort',
        ...stampOf(core),
        next: core.attempt.attempt,
        checkpoint: undefined,
        revision: core.attemptRevision,
      }),
    ])
  }
  if (waitingFor.length > 0 && stim.nowMs < phase.untilMs) {
    return go(core, { ...phase, waitingFor })
  }
  return resolveCommit(core, stim, { tries: 0 })
}

export function whenStoringStatus(
  state: PipelineState,
  phase: In<'storing-status'>,
  stim: Stimulus,
): PipelineStep {
  if (stim.event.kind === 'tick') return resent(state, phase, stim)
  if (stim.event.kind !== 'txn' || stim.event.tag !== 'move') return stay(state)
  const verdict = judgeRepeatable(stim.event.outcome, state.core.leaderEpoch)
  return settled(state, stim, {
    phase,
    verdict,
    stored: () => {
      const core: PipelineCore = {
        ...state.core,
        status: phase.status,
        statusStored: 'yes',
      }
      const stopped = note('error', 'pipeline stopped', { code: phase.status.failure.code })
      // What the operator asked for meanwhile is not lost; nothing else wakes a parked pipeline.
      const next =
        core.docRevision === phase.seen
          ? go(core, { kind: 'parked', reason: 'stopped' })
          : advance(core, stim)
      return preceded([stopped], next)
    },
  })
}
