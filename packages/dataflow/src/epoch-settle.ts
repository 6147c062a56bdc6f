// What happens to a cut epoch: sealed, decided, committed. Every function takes a state of any kind
// and returns the same kind; the caller goes on from there.

import { type CheckpointNumber, invariant } from '@onceflow/model'
import { lossOf, sendCommitted, sendSealed } from './task-message.ts'
import type {
  Previous,
  SinkProgress,
  TaskCore,
  TaskEffect,
  TaskEvent,
  TaskState,
} from './task-state.ts'

type Event<Kind extends TaskEvent['kind']> = Extract<TaskEvent, { kind: Kind }>
type Committing = Extract<Previous, { kind: 'committing' }>

export interface Settled<S extends TaskState> {
  readonly state: S
  readonly effects: readonly TaskEffect[]
  /** confirmed: the previous checkpoint is committed everywhere; the next cut may be made. */
  readonly turn: 'confirmed' | 'same'
}

const commitRetryFirstMs = 50
const commitRetryMostMs = 5_000

/** R7: the pause doubles up to the bound, and the retries have no end. */
export function commitRetryMs(tries: number): number {
  return Math.min(commitRetryMostMs, commitRetryFirstMs * 2 ** Math.min(tries - 1, 16))
}

function same<S extends TaskState>(state: S, ...effects: readonly TaskEffect[]): Settled<S> {
  return { state, effects, turn: 'same' }
}

/** P4 is done on every sink; `say` is no where the attempt is over for this task anyway. */
export function settleSeal<S extends TaskState>(
  state: S,
  event: Event<'sealed'>,
  say: 'acknowledge' | 'keep-quiet',
): Settled<S> {
  const { previous } = state
  invariant(previous.kind === 'sealing', 'a seal ends only where one was begun')
  const { cut } = previous
  invariant(cut.checkpoint === event.checkpoint, 'a seal ends with the number it was begun with')
  const { handles, contexts, rows, sealMs } = event
  const facts = { handles, contexts, rows, sealMs }
  const next: S = { ...state, previous: { kind: 'sealed', cut, facts } }
  return say === 'keep-quiet' ? same(next) : same(next, sendSealed(next, cut, facts))
}

/** preCommit failed on a sink: what others sealed stays until Abort or RESOLVE. */
export function breakSeal<S extends TaskState>(state: S): S {
  const { previous } = state
  invariant(previous.kind === 'sealing', 'a seal fails only where one was begun')
  return { ...state, previous: { kind: 'broken', cut: previous.cut } }
}

/** P7: a Commit arrived, its stamp was checked. */
export function settleDecision<S extends TaskState>(
  state: S,
  { permit }: Event<'commit'>,
): Settled<S> {
  const { previous } = state
  const { checkpoint } = permit
  if (permit.attempt !== state.task.attempt) return same(state)
  if (checkpoint <= committedUpTo(state)) {
    return same(state, confirmAgain(state, checkpoint))
  }
  if (previous.kind === 'none' || previous.cut.checkpoint !== checkpoint) return same(state)
  if (previous.kind === 'lost') return same(state, sayLost(state, previous))
  if (previous.kind !== 'sealed') return same(state)
  const sinks = previous.facts.handles.map(
    ({ sink, kind }): SinkProgress => ({
      sink,
      state: kind === 'sealed' ? 'in-flight' : 'committed',
      tries: 0,
      failure: undefined,
      commitMs: 0,
    }),
  )
  const commits = sinks.flatMap(({ sink, state: now }): TaskEffect[] =>
    now === 'in-flight' ? [{ kind: 'commit', sink, permit }] : [],
  )
  const begun = conclude(state, { kind: 'committing', cut: previous.cut, permit, sinks })
  return { ...begun, effects: [...commits, ...begun.effects] }
}

/** P8: one sink has answered. */
export function settleCommit<S extends TaskState>(
  state: S,
  event: Event<'commit-outcome'>,
): Settled<S> {
  const { previous } = state
  if (previous.kind !== 'committing' || previous.cut.checkpoint !== event.checkpoint) {
    return same(state)
  }
  const sinks = previous.sinks.map((each) =>
    each.sink === event.sink ? answered(each, event) : each,
  )
  const { sink, checkpoint, outcome } = event
  const tries = sinks.find((each) => each.sink === sink)?.tries ?? 1
  const next = { ...previous, sinks }
  if (outcome.kind === 'unknown') {
    const timer = { kind: 'commit', sink, checkpoint } as const
    const wait: TaskEffect = { kind: 'wait', timer, delayMs: commitRetryMs(tries) }
    return same({ ...state, previous: next }, wait)
  }
  return conclude(state, next)
}

function answered(sink: SinkProgress, event: Event<'commit-outcome'>): SinkProgress {
  const { outcome } = event
  return {
    sink: sink.sink,
    state: outcome.kind === 'unknown' ? 'waiting' : outcome.kind,
    tries: sink.tries + 1,
    failure: outcome.kind === 'committed' ? undefined : outcome.failure,
    commitMs: sink.commitMs + event.commitMs,
  }
}

/** The pause of R7 is over: this sink commits again. */
export function retryCommit<S extends TaskState>(state: S, timer: CommitTimer): Settled<S> {
  const { previous } = state
  if (previous.kind !== 'committing' || previous.cut.checkpoint !== timer.checkpoint) {
    return same(state)
  }
  if (!previous.sinks.some(({ sink, state: now }) => sink === timer.sink && now === 'waiting')) {
    return same(state)
  }
  const sinks = previous.sinks.map(
    (each): SinkProgress => (each.sink === timer.sink ? { ...each, state: 'in-flight' } : each),
  )
  const effect: TaskEffect = { kind: 'commit', sink: timer.sink, permit: previous.permit }
  return same({ ...state, previous: { ...previous, sinks } }, effect)
}
export interface CommitTimer {
  readonly sink: SinkProgress['sink']
  readonly checkpoint: CheckpointNumber
}

function conclude<S extends TaskState>(state: S, previous: Committing): Settled<S> {
  const { cut, sinks } = previous
  const loss = lossOf(state, cut, sinks)
  const commitMs = Math.max(0, ...sinks.map((each) => each.commitMs))
  const open = sinks.some((each) => each.state === 'in-flight' || each.state === 'waiting')
  if (loss !== undefined) {
    const next: Previous = open ? previous : { kind: 'lost', cut, outcome: loss }
    const said = { checkpoint: cut.checkpoint, outcome: loss, commitMs }
    return same({ ...state, previous: next }, sendCommitted(state, said))
  }
  if (open) return same({ ...state, previous })
  const next: S = {
    ...state,
    previous: { kind: 'none' },
    lastCommitted: cut.checkpoint,
    lastCommitMs: commitMs,
    newestVisibleMs: Math.max(state.newestVisibleMs, cut.newestMs),
  }
  const effects = [
    confirmAgain(next, cut.checkpoint),
    { kind: 'publish', positions: cut.to } as const,
  ]
  return { state: next, effects, turn: 'confirmed' }
}

/** A Commit of what is committed is answered alike, whoever asks and however often. */
export function confirmAgain(core: TaskCore, checkpoint: CheckpointNumber): TaskEffect {
  const commitMs = checkpoint === core.lastCommitted ? core.lastCommitMs : 0
  return sendCommitted(core, { checkpoint, outcome: { kind: 'done' }, commitMs })
}

export function sayLost(core: TaskCore, previous: Extract<Previous, { kind: 'lost' }>): TaskEffect {
  const { cut, outcome } = previous
  return sendCommitted(core, { checkpoint: cut.checkpoint, outcome, commitMs: 0 })
}

const committedUpTo = (core: TaskCore): CheckpointNumber => core.lastCommitted ?? core.task.restored
