import { type FailureClass, type FailureCode, failureCodes } from './failure-codes.ts'
import type { RecordPosition } from './position.ts'

/** What the world did to us, as data: it travels in messages, the API and the log. */
export interface Failure {
  readonly code: FailureCode
  /** What comes next: retry in a new attempt, fence (we are stale: stop), fatal (an operator). */
  readonly class: FailureClass
  /** A lower-case fact with the values that matter; never a secret, never a row's content. */
  readonly detail: string
  /** What the operator can do about it. */
  readonly hint: string
  readonly position?: RecordPosition
  readonly field?: string
}

export interface FailureInput {
  readonly detail: string
  readonly hint?: string
  readonly class?: FailureClass
  readonly position?: RecordPosition
  readonly field?: string
}

/** Builds a failure; class and hint come from the code's entry unless given. */
export function failure(code: FailureCode, input: FailureInput): Failure {
  const entry = failureCodes[code]
  return {
    code,
    class: input.class ?? entry.class,
    detail: input.detail,
    hint: input.hint ?? entry.hint,
    ...(input.position === undefined ? {} : { position: input.position }),
    ...(input.field === undefined ? {} : { field: input.field }),
  }
}

/** The only error type that our own code throws on purpose, apart from InvariantViolation. */
export class OnceflowError extends Error {
  override readonly name = 'OnceflowError'
  readonly failure: Failure

  constructor(cause: Failure, options?: { readonly cause?: unknown }) {
    super(failureText(cause), options)
    this.failure = cause
  }
}

export function fail(code: FailureCode, input: FailureInput): never {
  throw new OnceflowError(failure(code, input))
}

/** One line for people: `CODE: detail (at topic/partition@offset, field f). hint`. */
export function failureText(cause: Failure): string {
  const place = cause.position
  const at = place === undefined ? '' : ` at ${place.topic}/${place.partition}@${place.offset}`
  const field = cause.field === undefined ? '' : ` field ${JSON.stringify(cause.field)}`
  return `${cause.code}: ${cause.detail}${at}${field}. ${cause.hint}`
}

/** The failure of anything thrown: ours as it is, anything else as UNEXPECTED. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof OnceflowError) return thrown.failure
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
  return failure('UNEXPECTED', { detail: text })
}
