// RESOLVE, phase two (2): roll back strays of lower attempts.
//
//   listing --nothing of ours left--> done
//      |  \--gid of no lower attempt, or at the retire mark--> stopped
//      |--a decided one (a failover brought it back)--> committing --> listing
//      |--a stray--> rolling-back --done, 42704--> next, then listing again
//                         \--55000, broken--> pausing --> listing
//
// The list is read again until nothing is left, since a late PREPARE may follow the first reading.
import { type Failure, invariant } from '@onceflow/model'
import { gidPrefix } from './gid.ts'
import { type Effort, failureOfAnswer, newEffort, nextTry, type Patience } from './patience.ts'
import { type CommitState, commitEffect, reduceCommit, startCommit } from './prepared-commit.ts'
import { type Effect, type StatementEvent, settled } from './statement.ts'
import { type Decisions, type ResolveScope, survey } from './stray.ts'

export interface ResolveAbortInput {
  readonly scope: ResolveScope
  readonly decisions: Decisions
  readonly patience: Patience
}

interface Common {
  readonly input: ResolveAbortInput
  readonly effort: Effort
  readonly rolledBack: number
}

export type ResolveAbortState =
  | (Common & { readonly kind: 'listing' })
  /** The first is being rolled back. */
  | (Common & { readonly kind: 'rolling-back'; readonly strays: readonly string[] })
  | (Common & { readonly kind: 'committing'; readonly commit: CommitState })
  | (Common & { readonly kind: 'pausing'; readonly delayMs: number })
  | { readonly kind: 'finished'; readonly result: ResolveAbortResult }

export type ResolveAbortResult =
  | {
      readonly kind: 'done'
      readonly rolledBack: number
      readonly foreign: readonly string[]
    }
  | { readonly kind: 'stopped'; readonly failure: Failure }
  | { readonly kind: 'unreachable'; readonly failure: Failure }

type Live = Exclude<ResolveAbortState, { kind: 'finished' }>

export const startResolveAbort = (input: ResolveAbortInput, nowMs: number): ResolveAbortState => ({
  kind: 'listing',
  input,
  effort: newEffort(input.patience, nowMs),
  rolledBack: 0,
})

export function resolveAbortEffect(state: ResolveAbortState): Effect | undefined {
  switch (state.kind) {
    case 'listing':
      return { kind: 'list-prepared', prefix: gidPrefix(state.input.scope) }
    case 'rolling-back': {
      const [gid] = state.strays
      invariant(gid !== undefined, 'rolling back means that there is a stray')
      return { kind: 'rollback-prepared', gid }
    }
    case 'committing':
      return commitEffect(state.commit)
    case 'pausing':
      return { kind: 'wait', delayMs: state.delayMs }
    case 'finished':
      return undefined
  }
}

export function reduceResolveAbort(
  state: ResolveAbortState,
  event: StatementEvent,
): ResolveAbortState {
  switch (state.kind) {
    case 'listing':
      return whenListing(state, event)
    case 'rolling-back':
      return whenRollingBack(state, event)
    case 'committing':
      return whenCommitting(state, event)
    case 'pausing':
      return { ...common(state), kind: 'listing' }
    case 'finished':
      return state
  }
}

function whenListing(state: Live & { kind: 'listing' }, event: StatementEvent): ResolveAbortState {
  const answer = settled(event.answer)
  if (answer.kind !== 'prepared') return pause(state, event)
  const { scope, decisions, patience } = state.input
  const found = survey(answer.gids, scope, decisions)
  if (found.stop !== undefined) return stop(found.stop)
  const [goal] = found.decided
  if (goal !== undefined) {
    const commit = startCommit(goal, { patience, nowMs: event.nowMs })
    return { ...common(state), kind: 'committing', commit }
  }
  if (found.strays.length > 0) {
    return { ...common(state), kind: 'rolling-back', strays: found.strays }
  }
  const { rolledBack } = state
  return { kind: 'finished', result: { kind: 'done', rolledBack, foreign: found.foreign } }
}

function whenRollingBack(
  state: Live & { kind: 'rolling-back' },
  event: StatementEvent,
): ResolveAbortState {
  const answer = settled(event.answer)
  // 42704: somebody else has finished it; if it was committed, the ledger says so later (4).
  const gone = answer.kind === 'refused' && answer.sqlstate === '42704'
  if (answer.kind !== 'done' && !gone) return pause(state, event)
  const next = { ...common(state), rolledBack: state.rolledBack + (gone ? 0 : 1) }
  const [, ...strays] = state.strays
  if (strays.length === 0) return { ...next, kind: 'listing' }
  return { ...next, kind: 'rolling-back', strays }
}

function whenCommitting(
  state: Live & { kind: 'committing' },
  event: StatementEvent,
): ResolveAbortState {
  const commit = reduceCommit(state.commit, event)
  if (commit.kind !== 'finished') return { ...state, commit }
  const { outcome } = commit
  switch (outcome.kind) {
    case 'committed':
      return { ...common(state), kind: 'listing' }
    case 'unknown':
      return { kind: 'finished', result: { kind: 'unreachable', failure: outcome.failure } }
    case 'lost':
      return stop(outcome.failure)
  }
}

function pause(state: Live, event: StatementEvent): ResolveAbortState {
  const answer = settled(event.answer)
  invariant(answer.kind === 'broken' || answer.kind === 'refused', `not an answer: ${answer.kind}`)
  const again = nextTry(state.effort, event.nowMs)
  if (again.kind === 'exhausted') {
    const cause = failureOfAnswer(answer, 'RESOLVE cannot roll back')
    return { kind: 'finished', result: { kind: 'unreachable', failure: cause } }
  }
  return { ...common(state), effort: again.effort, kind: 'pausing', delayMs: again.delayMs }
}

const stop = (cause: Failure): ResolveAbortState => ({
  kind: 'finished',
  result: { kind: 'stopped', failure: cause },
})

const common = ({ input, effort, rolledBack }: Live): Common => ({ input, effort, rolledBack })
