import { type Failure, failure } from '@onceflow/model'
import type { Answer } from './statement.ts'

/** How long and how often something is tried again; time comes in with the events. */
export interface Patience {
  readonly budgetMs: number
  readonly firstDelayMs: number
  readonly delayMaxMs: number
}

export const defaultPatience: Patience = {
  budgetMs: 20_000,
  firstDelayMs: 20,
  delayMaxMs: 2_000,
}

/** One run of tries: since when, and how many have failed. */
export interface Effort {
  readonly patience: Patience
  readonly startedMs: number
  readonly failures: number
}

export const newEffort = (patience: Patience, nowMs: number): Effort => ({
  patience,
  startedMs: nowMs,
  failures: 0,
})

export type NextTry =
  | { readonly kind: 'again'; readonly delayMs: number; readonly effort: Effort }
  | { readonly kind: 'exhausted' }

/** The delay doubles up to its bound; a try that would begin after the budget is not made. */
export function nextTry(effort: Effort, nowMs: number): NextTry {
  const { patience, startedMs, failures } = effort
  const delayMs = Math.min(patience.firstDelayMs * 2 ** Math.min(failures, 30), patience.delayMaxMs)
  if (nowMs + delayMs - startedMs > patience.budgetMs) return { kind: 'exhausted' }
  return { kind: 'again', delayMs, effort: { ...effort, failures: failures + 1 } }
}

/** What is said when the budget is used up: why the last try failed. */
export function failureOfAnswer(answer: Answer, what: string): Failure {
  switch (answer.kind) {
    case 'broken':
      return failure(answer.code, { detail: `${what}: ${answer.detail}`, class: 'retry' })
    case 'refused':
      return refusal(answer, what)
    default:
      return failure('SINK_CONFLICT', { detail: what })
  }
}

function refusal(answer: Answer & { kind: 'refused' }, what: string): Failure {
  const detail = `${what}: SQLSTATE ${answer.sqlstate}: ${answer.detail}`
  if (answer.sqlstate === '42501') {
    return failure('SINK_AUTH', {
      detail,
      hint: 'a prepared transaction is finished by the role that made it: use one role throughout',
    })
  }
  return failure('SINK_CONFLICT', { detail })
}
