import { type LeaderEpoch, type Position, unreachable } from '@onceflow/model'
import { emptyEpoch, type Flowing, goOn, reasonOf, takeIn, takeOver } from './epoch-intake.ts'
import {
  breakSeal,
  confirmAgain,
  retryCommit,
  type Settled,
  sayLost,
  settleCommit,
  settleDecision,
  settleSeal,
} from './epoch-settle.ts'
import { endTask, whenEnding } from './task-end.ts'
import { sendFailed, sendSealed, sendStale, sendStarted, sendWanted } from './task-message.ts'
import type { Stamped, Step, TaskEffect, TaskEvent, TaskIdentity, TaskState } from './task-state.ts'

type State<Kind extends TaskState['kind']> = Extract<TaskState, { kind: Kind }>
type Event<Kind extends TaskEvent['kind']> = Extract<TaskEvent, { kind: Kind }>

export interface TaskStart {
  readonly task: TaskIdentity
  readonly leaderEpoch: LeaderEpoch
  readonly positions: readonly Position[]
}

/** A task begins while its sinks and its reader are being opened. */
export function openingTask(start: TaskStart): TaskState {
  return {
    kind: 'opening',
    task: start.task,
    leaderEpoch: start.leaderEpoch,
    positions: start.positions,
    previous: { kind: 'none' },
    pending: undefined,
    lastBarrier: undefined,
    lastCommitted: undefined,
    lastCommitMs: 0,
    invoking: undefined,
    polling: 'no',
    newestVisibleMs: 0,
  }
}

export function reduceTask(before: TaskState, event: TaskEvent): Step {
  if (isStale(before, event)) return { state: before, effects: [sendStale(before)] }
  const state = raised(before, event)
  switch (state.kind) {
    case 'opening':
      return whenOpening(state, event)
    case 'running':
    case 'stopped':
      return whenFlowing(state, event)
    case 'failed':
      return whenFailed(state, event)
    case 'ending':
      return whenEnding(state, event)
    case 'closing':
      return event.kind === 'closed' ? stay({ ...state, kind: 'ended' }) : stay(state)
    case 'ended':
      return stay(state)
    default:
      return unreachable(state)
  }
}

const stay = (state: TaskState, ...effects: readonly TaskEffect[]): Step => ({ state, effects })

const isOver = ({ kind }: TaskState): boolean => kind === 'closing' || kind === 'ended'

function isStamped(event: TaskEvent): event is TaskEvent & Stamped {
  return 'attempt' in event
}

/** R5: lower than what is known. An ended task answers nothing: the worker's memory does. */
function isStale(state: TaskState, event: TaskEvent): boolean {
  if (!isStamped(event) || isOver(state)) return false
  return event.leaderEpoch < state.leaderEpoch || event.attempt < state.task.attempt
}

/** A task raises its leader epoch before it looks at what the message asks. */
function raised(state: TaskState, event: TaskEvent): TaskState {
  if (!('leaderEpoch' in event) || event.leaderEpoch <= state.leaderEpoch) return state
  return { ...state, leaderEpoch: event.leaderEpoch }
}

function whenOpening(state: State<'opening'>, event: TaskEvent): Step {
  switch (event.kind) {
    case 'opened': {
      const open = emptyEpoch(state.positions)
      const running: Flowing = { ...state, kind: 'running', open, queue: [], queueHead: 0 }
      const step = goOn(running)
      return { state: step.state, effects: [sendStarted(running), ...step.effects] }
    }
    case 'barrier':
      return stay(withBarrier(state, event))
    case 'commit': {
      const { state: next, effects } = settleDecision(state, event)
      return { state: next, effects }
    }
    case 'step-failed':
      return failTask(state, event)
    case 'abort':
    case 'stop-tasks':
    case 'superseded':
      return leave(state, event)
    case 'polled':
    case 'invoked':
    case 'sealed':
    case 'commit-outcome':
    case 'link-up':
    case 'tick':
    case 'closed':
      return stay(state)
  }
}

function whenFlowing(state: Flowing, event: TaskEvent): Step {
  switch (event.kind) {
    case 'polled':
      return goOn(takeIn(state, event.batches))
    case 'invoked': {
      const taken = takeOver(state, event)
      const step = goOn(taken.state)
      return { state: step.state, effects: [...taken.effects, ...step.effects] }
    }
    case 'barrier':
      return goOn(withBarrier(state, event))
    case 'sealed':
      return goOnAfter(settleSeal(state, event, 'acknowledge'))
    case 'commit':
      return goOnAfter(settleDecision(state, event))
    case 'commit-outcome':
      return goOnAfter(settleCommit(state, event))
    case 'tick':
      if (event.timer.kind === 'end') return stay(state)
      return goOnAfter(retryCommit(state, event.timer))
    case 'step-failed':
      return failTask(state, event)
    case 'abort':
    case 'stop-tasks':
    case 'superseded':
      return leave(state, event)
    case 'link-up':
      return stay(state, ...saidAgain(state))
    case 'opened':
    case 'closed':
      return stay(state)
  }
}

function goOnAfter(settled: Settled<Flowing>): Step {
  if (settled.turn === 'same') return { state: settled.state, effects: settled.effects }
  const step = goOn(settled.state)
  return { state: step.state, effects: [...settled.effects, ...step.effects] }
}

/** A barrier counts once, and only when it is above every one before it. */
function withBarrier<S extends State<'opening'> | Flowing>(state: S, event: Event<'barrier'>): S {
  const last = state.lastBarrier ?? state.task.restored
  if (event.attempt !== state.task.attempt || event.checkpoint <= last) return state
  const { checkpoint, stop } = event
  return { ...state, lastBarrier: checkpoint, pending: { checkpoint, stop } }
}

/** Reading ends; a sealed transaction stays as it is until Commit, Abort or RESOLVE. */
function failTask(state: State<'opening'> | Flowing, event: Event<'step-failed'>): Step {
  const after = event.step === 'seal' ? breakSeal(state) : state
  const { task, leaderEpoch, positions, previous, lastBarrier, lastCommitted } = after
  const { lastCommitMs, newestVisibleMs, invoking } = after
  const failed: State<'failed'> = {
    kind: 'failed',
    failure: event.failure,
    task,
    leaderEpoch,
    positions,
    previous,
    lastBarrier,
    lastCommitted,
    lastCommitMs,
    newestVisibleMs,
    invoking: event.step === 'invoke' ? undefined : invoking,
    pending: undefined,
    polling: 'no',
  }
  return stay(failed, { kind: 'close-reader' }, sendFailed(failed))
}

function whenFailed(state: State<'failed'>, event: TaskEvent): Step {
  switch (event.kind) {
    case 'invoked':
      return stay({ ...state, invoking: undefined })
    case 'sealed':
      return stay(settleSeal(state, event, 'keep-quiet').state)
    case 'commit':
      return withoutTurn(settleDecision(state, event))
    case 'commit-outcome':
      return withoutTurn(settleCommit(state, event))
    case 'tick':
      if (event.timer.kind === 'end') return stay(state)
      return withoutTurn(retryCommit(state, event.timer))
    case 'step-failed':
      if (event.step === 'seal') return stay(breakSeal(state))
      return stay(event.step === 'invoke' ? { ...state, invoking: undefined } : state)
    case 'abort':
    case 'stop-tasks':
    case 'superseded':
      return leave(state, event)
    case 'link-up':
      return stay(state, sendFailed(state))
    case 'opened':
    case 'polled':
    case 'barrier':
    case 'closed':
      return stay(state)
  }
}

function withoutTurn({ state, effects }: Settled<State<'failed'>>): Step {
  return { state, effects }
}

type Leaving = Event<'abort'> | Event<'stop-tasks'> | Event<'superseded'>

function leave(state: TaskState, event: Leaving): Step {
  switch (event.kind) {
    case 'superseded':
      return endTask(state, { cause: 'superseded', givenUp: undefined })
    case 'stop-tasks':
      return endTask(state, { cause: 'stop', givenUp: undefined })
    case 'abort':
      // An Abort without a stored attempt above ours proves nothing (R3).
      if (event.next <= state.task.attempt) return stay(state)
      // An attempt is given up for the next one (R3): what a later one gave up is not ours.
      if (event.next - 1n !== state.task.attempt) {
        return endTask(state, { cause: 'superseded', givenUp: undefined })
      }
      return endTask(state, { cause: 'abort', givenUp: event.checkpoint })
  }
}

/** What may have been lost with the old stream; a leader takes each of these twice. */
function saidAgain(state: Flowing): readonly TaskEffect[] {
  const { previous, lastBarrier, lastCommitted, pending, open } = state
  const effects: TaskEffect[] = []
  if (lastBarrier === undefined) effects.push(sendStarted(state))
  if (previous.kind === 'none' && lastCommitted !== undefined) {
    effects.push(confirmAgain(state, lastCommitted))
  }
  if (previous.kind === 'sealed') effects.push(sendSealed(state, previous.cut, previous.facts))
  if (previous.kind === 'lost') effects.push(sayLost(state, previous))
  const reason = reasonOf(open)
  if (reason !== undefined && pending === undefined && state.kind === 'running') {
    effects.push(sendWanted(state, reason))
  }
  return effects
}
