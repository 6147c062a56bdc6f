// RESOLVE, phase one: commit what is decided (R4 (1)).
//
//   checking-fence --higher--> stopped
//        | (before the list, and before each commit)
//   listing --gid of no lower attempt, or at the retire mark--> stopped
//        |
//   committing one decided transaction after the other --proved gone--> noted as lost
//        |
//   finished: done with what is lost · stopped · unreachable (the same RESOLVE is asked for again)
import { type Failure, failure, invariant } from '@onceflow/model'
import { gidPrefix } from './gid.ts'
import { type Effort, failureOfAnswer, newEffort, nextTry, type Patience } from './patience.ts'
import {
  type CommitGoal,
  type CommitState,
  commitEffect,
  reduceCommit,
  startCommit,
} from './prepared-commit.ts'
import { type Effect, type StatementEvent, settled } from './statement.ts'
import { type Decisions, type ResolveScope, survey } from './stray.ts'

export interface ResolveCommitInput {
  readonly scope: ResolveScope
  readonly decisions: Decisions
  /** Transactions of decided records that are not COMPLETED. */
  readonly open: readonly CommitGoal[]
  readonly patience: Patience
}

export interface LostCommit {
  readonly goal: CommitGoal
  readonly failure: Failure
}

interface Common {
  readonly input: ResolveCommitInput
  readonly effort: Effort
  readonly lost: readonly LostCommit[]
  readonly foreign: readonly string[]
}

export type ResolveCommitState =
  /** queue undefined: the prepared transactions are not listed yet. */
  | (Common & {
      readonly kind: 'checking-fence'
      readonly queue: readonly CommitGoal[] | undefined
    })
  | (Common & { readonly kind: 'listing' })
  /** queue: what follows after the one being committed. */
  | (Common & {
      readonly kind: 'committing'
      readonly commit: CommitState
      readonly queue: readonly CommitGoal[]
    })
  | (Common & {
      readonly kind: 'pausing'
      readonly delayMs: number
      readonly queue: readonly CommitGoal[] | undefined
    })
  | {
      readonly kind: 'finished'
      readonly result: ResolveCommitResult
      readonly foreign: readonly string[]
    }

export type ResolveCommitResult =
  | { readonly kind: 'done'; readonly lost: readonly LostCommit[] }
  | { readonly kind: 'stopped'; readonly failure: Failure }
  | { readonly kind: 'unreachable'; readonly failure: Failure }

type Live = Exclude<ResolveCommitState, { kind: 'finished' }>

export const startResolveCommit = (
  input: ResolveCommitInput,
  nowMs: number,
): ResolveCommitState => ({
  kind: 'checking-fence',
  input,
  effort: newEffort(input.patience, nowMs),
  lost: [],
  foreign: [],
  queue: undefined,
})

export function resolveCommitEffect(state: ResolveCommitState): Effect | undefined {
  switch (state.kind) {
    case 'checking-fence':
      return { kind: 'read-fence' }
    case 'listing':
      return { kind: 'list-prepared', prefix: gidPrefix(state.input.scope) }
    case 'committing':
      return commitEffect(state.commit)
    case 'pausing':
      return { kind: 'wait', delayMs: state.delayMs }
    case 'finished':
      return undefined
  }
}

export function reduceResolveCommit(
  state: ResolveCommitState,
  event: StatementEvent,
): ResolveCommitState {
  switch (state.kind) {
    case 'checking-fence':
      return whenCheckingFence(state, event)
    case 'listing':
      return whenListing(state, event)
    case 'committing':
      return whenCommitting(state, event)
    case 'pausing':
      return { ...common(state), kind: 'checking-fence', queue: state.queue }
    case 'finished':
      return state
  }
}

function whenCheckingFence(
  state: Live & { kind: 'checking-fence' },
  event: StatementEvent,
): ResolveCommitState {
  const answer = settled(event.answer)
  if (answer.kind !== 'fence') return pause(state, event, state.queue)
  const { scope } = state.input
  if (answer.attempt !== undefined && answer.attempt > scope.attempt) {
    return stop(state, staleByFence(scope.attempt, answer.attempt))
  }
  if (state.queue === undefined) return { ...common(state), kind: 'listing' }
  const [goal, ...queue] = state.queue
  if (goal === undefined) {
    return {
      kind: 'finished',
      result: { kind: 'done', lost: state.lost },
      foreign: state.foreign,
    }
  }
  const { patience } = state.input
  const commit = startCommit(goal, { patience, nowMs: event.nowMs })
  return { ...common(state), kind: 'committing', commit, queue }
}

function whenListing(state: Live & { kind: 'listing' }, event: StatementEvent): ResolveCommitState {
  const answer = settled(event.answer)
  if (answer.kind !== 'prepared') return pause(state, event, undefined)
  const { scope, decisions, open } = state.input
  const found = survey(answer.gids, scope, decisions)
  if (found.stop !== undefined) return stop(state, found.stop)
  const asked = new Set(open.map((goal) => goal.gid))
  const queue = [...open, ...found.decided.filter((goal) => !asked.has(goal.gid))].sort(
    byCheckpoint,
  )
  return { ...common(state), kind: 'checking-fence', foreign: found.foreign, queue }
}

function byCheckpoint(a: CommitGoal, b: CommitGoal): number {
  if (a.row.checkpoint === b.row.checkpoint) return a.row.subtask - b.row.subtask
  return a.row.checkpoint < b.row.checkpoint ? -1 : 1
}

function whenCommitting(
  state: Live & { kind: 'committing' },
  event: StatementEvent,
): ResolveCommitState {
  const commit = reduceCommit(state.commit, event)
  if (commit.kind !== 'finished') return { ...state, commit }
  const { outcome, goal } = commit
  if (outcome.kind === 'unknown') {
    return {
      kind: 'finished',
      result: { kind: 'unreachable', failure: outcome.failure },
      foreign: state.foreign,
    }
  }
  const lost =
    outcome.kind === 'lost' ? [...state.lost, { goal, failure: outcome.failure }] : state.lost
  return { ...common(state), kind: 'checking-fence', lost, queue: state.queue }
}

function pause(
  state: Live,
  event: StatementEvent,
  queue: readonly CommitGoal[] | undefined,
): ResolveCommitState {
  const answer = settled(event.answer)
  invariant(answer.kind === 'broken' || answer.kind === 'refused', `not an answer: ${answer.kind}`)
  const again = nextTry(state.effort, event.nowMs)
  if (again.kind === 'exhausted') {
    const cause = failureOfAnswer(answer, 'RESOLVE cannot read the sink')
    return {
      kind: 'finished',
      result: { kind: 'unreachable', failure: cause },
      foreign: state.foreign,
    }
  }
  return { ...common(state), effort: again.effort, kind: 'pausing', delayMs: again.delayMs, queue }
}

const stop = (state: Live, cause: Failure): ResolveCommitState => ({
  kind: 'finished',
  result: { kind: 'stopped', failure: cause },
  foreign: state.foreign,
})

const common = ({ input, effort, lost, foreign }: Live): Common => ({
  input,
  effort,
  lost,
  foreign,
})

export const staleByFence = (ours: bigint, fence: bigint): Failure =>
  failure('FENCED', { detail: `RESOLVE of attempt ${ours} found the fence at attempt ${fence}` })
