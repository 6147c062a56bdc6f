// The rollback of one prepared transaction that is not decided, by the task that sealed it. What it
// leaves behind when it gives up is a stray, and RESOLVE's to finish.
//
//   rolling-back --ok, 42704--> gone
//        \--55000, broken, other refusals--> pausing --> rolling-back; beyond the budget: unsettled
import type { Failure } from '@onceflow/model'
import { type Effort, failureOfAnswer, newEffort, nextTry } from './patience.ts'
import type { StartInput } from './prepared-commit.ts'
import { type Effect, type StatementEvent, settled } from './statement.ts'

export type RollbackState =
  | { readonly kind: 'rolling-back'; readonly gid: string; readonly effort: Effort }
  | {
      readonly kind: 'pausing'
      readonly gid: string
      readonly effort: Effort
      readonly delayMs: number
    }
  | { readonly kind: 'finished'; readonly outcome: RollbackVerdict }

export type RollbackVerdict =
  | { readonly kind: 'gone' }
  | { readonly kind: 'unsettled'; readonly failure: Failure }

export const startRollback = (gid: string, input: StartInput): RollbackState => ({
  kind: 'rolling-back',
  gid,
  effort: newEffort(input.patience, input.nowMs),
})

export function rollbackEffect(state: RollbackState): Effect | undefined {
  switch (state.kind) {
    case 'rolling-back':
      return { kind: 'rollback-prepared', gid: state.gid }
    case 'pausing':
      return { kind: 'wait', delayMs: state.delayMs }
    case 'finished':
      return undefined
  }
}

export function reduceRollback(state: RollbackState, event: StatementEvent): RollbackState {
  switch (state.kind) {
    case 'rolling-back':
      return whenRollingBack(state, event)
    case 'pausing':
      return { kind: 'rolling-back', gid: state.gid, effort: state.effort }
    case 'finished':
      return state
  }
}

function whenRollingBack(
  state: RollbackState & { kind: 'rolling-back' },
  event: StatementEvent,
): RollbackState {
  const answer = settled(event.answer)
  const absent = answer.kind === 'refused' && answer.sqlstate === '42704'
  if (answer.kind === 'done' || absent) return { kind: 'finished', outcome: { kind: 'gone' } }
  const again = nextTry(state.effort, event.nowMs)
  if (again.kind === 'exhausted') {
    const cause = failureOfAnswer(answer, `the rollback of ${state.gid} is not settled`)
    return { kind: 'finished', outcome: { kind: 'unsettled', failure: cause } }
  }
  return { kind: 'pausing', gid: state.gid, effort: again.effort, delayMs: again.delayMs }
}
