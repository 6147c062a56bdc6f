// The three-valued commit of one prepared transaction (SPEC.md, PC rules):
//
//   committing --ok--------------------------------------------------> committed
//       |  \--42704--> confirming (ledger) --row----------------------> committed
//       |                   |      \--no row, same session------------> lost
//       |--broken--> pausing --> looking (pg_prepared_xacts) --there--> committing
//       |                           \--not there--> confirming
//       \--55000, other refusal--> pausing --> committing
//   any pause beyond the budget --> unknown (the caller asks again: R7)
import { type Failure, failure, invariant } from '@onceflow/model'
import { type Effort, failureOfAnswer, newEffort, nextTry, type Patience } from './patience.ts'
import {
  type Answer,
  type Effect,
  type LedgerRow,
  type StatementEvent,
  settled,
} from './statement.ts'

/** A decided transaction: holding one means that its decision is stored. */
export interface CommitGoal {
  readonly gid: string
  readonly row: LedgerRow
}

export type CommitState =
  /** COMMIT PREPARED is on its way. */
  | { readonly kind: 'committing'; readonly goal: CommitGoal; readonly effort: Effort }
  /** The server does not know the gid; the ledger tells whether it was committed. */
  | {
      readonly kind: 'confirming'
      readonly goal: CommitGoal
      readonly effort: Effort
      /** The session that said that there is no such transaction. */
      readonly session: number
    }
  /** The outcome of COMMIT PREPARED is not known: is it still prepared? */
  | { readonly kind: 'looking'; readonly goal: CommitGoal; readonly effort: Effort }
  | {
      readonly kind: 'pausing'
      readonly goal: CommitGoal
      readonly effort: Effort
      readonly delayMs: number
      readonly next: 'committing' | 'looking'
    }
  | { readonly kind: 'finished'; readonly goal: CommitGoal; readonly outcome: CommitVerdict }

export type CommitVerdict =
  | { readonly kind: 'committed' }
  | { readonly kind: 'unknown'; readonly failure: Failure }
  | { readonly kind: 'lost'; readonly failure: Failure }

export interface StartInput {
  readonly patience: Patience
  readonly nowMs: number
}

export const startCommit = (goal: CommitGoal, input: StartInput): CommitState => ({
  kind: 'committing',
  goal,
  effort: newEffort(input.patience, input.nowMs),
})

/** What is to be carried out now; undefined when nothing is left. */
export function commitEffect(state: CommitState): Effect | undefined {
  switch (state.kind) {
    case 'committing':
      return { kind: 'commit-prepared', gid: state.goal.gid }
    case 'confirming':
      return { kind: 'find-ledger', row: state.goal.row }
    case 'looking':
      return { kind: 'find-prepared', gid: state.goal.gid }
    case 'pausing':
      return { kind: 'wait', delayMs: state.delayMs }
    case 'finished':
      return undefined
  }
}

export function reduceCommit(state: CommitState, event: StatementEvent): CommitState {
  switch (state.kind) {
    case 'committing':
      return whenCommitting(state, event)
    case 'confirming':
      return whenConfirming(state, event)
    case 'looking':
      return whenLooking(state, event)
    case 'pausing':
      return { kind: state.next, goal: state.goal, effort: state.effort }
    case 'finished':
      return state
  }
}

type Live = CommitState & { readonly kind: 'committing' | 'confirming' | 'looking' }

function whenCommitting(
  state: CommitState & { kind: 'committing' },
  event: StatementEvent,
): CommitState {
  const answer = settled(event.answer)
  if (answer.kind === 'done') return finish(state, { kind: 'committed' })
  if (answer.kind === 'broken') return pause(state, event, 'looking')
  invariant(answer.kind === 'refused', `no answer to COMMIT PREPARED: ${answer.kind}`)
  if (answer.sqlstate !== '42704') return pause(state, event, 'committing')
  return {
    kind: 'confirming',
    goal: state.goal,
    effort: state.effort,
    session: event.session,
  }
}

function whenConfirming(
  state: CommitState & { kind: 'confirming' },
  event: StatementEvent,
): CommitState {
  const { answer } = event
  if (answer.kind !== 'presence') return pause(state, event, 'looking')
  if (answer.value === 'present') return finish(state, { kind: 'committed' })
  // Another session may be another server: after a failover the transaction can be prepared there.
  if (event.session !== state.session) return pause(state, event, 'looking')
  const { row, gid } = state.goal
  return finish(state, {
    kind: 'lost',
    failure: failure('DATA_LOSS', {
      detail:
        `transaction ${gid} of decided checkpoint ${row.checkpoint}, subtask ${row.subtask}, ` +
        'is neither prepared nor in the ledger',
    }),
  })
}

function whenLooking(state: CommitState & { kind: 'looking' }, event: StatementEvent): CommitState {
  const { answer } = event
  if (answer.kind !== 'presence') return pause(state, event, 'looking')
  const { goal, effort } = state
  if (answer.value === 'present') return { kind: 'committing', goal, effort }
  return { kind: 'confirming', goal, effort, session: event.session }
}

function pause(state: Live, event: StatementEvent, next: 'committing' | 'looking'): CommitState {
  const again = nextTry(state.effort, event.nowMs)
  if (again.kind === 'exhausted') {
    return finish(state, { kind: 'unknown', failure: unsettled(state.goal, event.answer) })
  }
  return { kind: 'pausing', goal: state.goal, effort: again.effort, delayMs: again.delayMs, next }
}

const unsettled = (goal: CommitGoal, answer: Answer): Failure =>
  failureOfAnswer(settled(answer), `the commit of ${goal.gid} is not settled`)

const finish = (state: Live, outcome: CommitVerdict): CommitState => ({
  kind: 'finished',
  goal: state.goal,
  outcome,
})
