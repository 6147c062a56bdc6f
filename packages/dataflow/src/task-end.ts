// How a task ends. Calls on a sink never overlap, so it first waits for those in flight; a bound on
// that wait leaves the rest to RESOLVE.

import type { CheckpointNumber } from '@onceflow/model'
import { breakSeal, settleSeal } from './epoch-settle.ts'
import type {
  EndCause,
  Previous,
  SinkProgress,
  Step,
  TaskCore,
  TaskEffect,
  TaskEvent,
  TaskState,
} from './task-state.ts'

type Ending = Extract<TaskState, { kind: 'ending' }>

/** Longest wait for calls in flight once a task was told to end. */
export const endWaitMs = 10_000

export interface EndOrder {
  readonly cause: EndCause
  /** The checkpoint given up by R3; undefined when what is sealed is not ours to roll back. */
  readonly givenUp: CheckpointNumber | undefined
}

export function endTask(state: TaskState, order: EndOrder): Step {
  const { kind, task, leaderEpoch, positions, previous, lastBarrier, lastCommitted } = state
  const { lastCommitMs, newestVisibleMs, invoking } = state
  const ending: Ending = {
    kind: 'ending',
    cause: order.cause,
    opening: kind === 'opening' ? 'yes' : 'no',
    rollBack: mayRollBack(previous, order.givenUp),
    task,
    leaderEpoch,
    positions,
    previous,
    lastBarrier,
    lastCommitted,
    lastCommitMs,
    newestVisibleMs,
    invoking,
    pending: undefined,
    polling: 'no',
  }
  return closeWhenQuiet(ending, [{ kind: 'close-reader' }])
}

/** R3: only the checkpoint that the Abort names, and never one for which a permit was seen. */
function mayRollBack(
  previous: Previous,
  givenUp: CheckpointNumber | undefined,
): CheckpointNumber | undefined {
  switch (previous.kind) {
    case 'sealing':
    case 'broken':
    case 'sealed':
      return previous.cut.checkpoint === givenUp ? givenUp : undefined
    case 'none':
    case 'committing':
    case 'lost':
      return undefined
  }
}

function isQuiet(state: Ending): boolean {
  const { previous } = state
  if (state.opening === 'yes' || state.invoking !== undefined) return false
  if (previous.kind === 'sealing') return false
  if (previous.kind !== 'committing') return true
  return !previous.sinks.some((each) => each.state === 'in-flight')
}

function closeWhenQuiet(state: Ending, effects: readonly TaskEffect[]): Step {
  if (isQuiet(state)) return close(state, effects)
  const first = effects.length > 0
  const wait: TaskEffect = { kind: 'wait', timer: { kind: 'end' }, delayMs: endWaitMs }
  return { state, effects: first ? [...effects, wait] : effects }
}

function close(state: Ending, effects: readonly TaskEffect[]): Step {
  const { opening: _, rollBack, ...core } = state
  // A call that is still running must not be joined by an abort: RESOLVE rolls that back.
  const safe = isQuiet(state) ? rollBack : undefined
  const next: TaskState = { ...core, kind: 'closing' }
  return { state: next, effects: [...effects, { kind: 'close', rollBack: safe }] }
}

export function whenEnding(state: Ending, event: TaskEvent): Step {
  switch (event.kind) {
    case 'opened':
      return closeWhenQuiet({ ...state, opening: 'no' }, [])
    case 'invoked':
      return closeWhenQuiet({ ...state, invoking: undefined }, [])
    case 'sealed':
      return closeWhenQuiet(settleSeal(state, event, 'keep-quiet').state, [])
    case 'commit-outcome':
      return closeWhenQuiet({ ...state, previous: noted(state, event) }, [])
    case 'step-failed':
      return closeWhenQuiet(afterFailedStep(state, event), [])
    case 'abort':
      return { state: givenUpLater(state, event), effects: [] }
    case 'tick':
      return event.timer.kind === 'end' ? close(state, []) : { state, effects: [] }
    case 'polled':
    case 'barrier':
    case 'commit':
    case 'stop-tasks':
    case 'superseded':
    case 'link-up':
    case 'closed':
      return { state, effects: [] }
  }
}

function afterFailedStep(state: Ending, event: Extract<TaskEvent, { kind: 'step-failed' }>) {
  switch (event.step) {
    case 'open':
      return { ...state, opening: 'no' } as const
    case 'invoke':
      return { ...state, invoking: undefined }
    case 'seal':
      return breakSeal(state)
    case 'poll':
      return state
  }
}

/** An outcome that comes late: no retry any more, RESOLVE settles what is not committed. */
function noted(
  core: TaskCore,
  event: Extract<TaskEvent, { kind: 'commit-outcome' }>,
): TaskCore['previous'] {
  const { previous } = core
  if (previous.kind !== 'committing') return previous
  const state = event.outcome.kind === 'unknown' ? 'waiting' : event.outcome.kind
  const sinks = previous.sinks.map(
    (each): SinkProgress => (each.sink === event.sink ? { ...each, state } : each),
  )
  return { ...previous, sinks }
}

/** The Abort of this attempt came after another reason to end. */
function givenUpLater(state: Ending, event: Extract<TaskEvent, { kind: 'abort' }>): Ending {
  const { attempt } = state.task
  if (event.next - 1n !== attempt || state.rollBack !== undefined) return state
  return { ...state, rollBack: mayRollBack(state.previous, event.checkpoint) }
}
