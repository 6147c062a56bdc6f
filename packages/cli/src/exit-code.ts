import { type Failure, type FailureCode, OnceflowError } from '@onceflow/model'

/** What a script may rely on; docs/cli.md lists them. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  precondition: 4,
  denied: 5,
  unavailable: 6,
  endedWithError: 7,
  checkFailed: 8,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A command line or a file that cannot be right, whatever the cluster says. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly hint: string

  constructor(text: string, hint: string) {
    super(text)
    this.hint = hint
  }
}

/** Something that was waited for has ended, and not well. */
export class EndedWithError extends Error {
  override readonly name = 'EndedWithError'
  readonly failure: Failure

  constructor(cause: Failure) {
    super(cause.detail)
    this.failure = cause
  }
}

/** A check was carried out, and what it checked is not as it should be. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed'
}

const byCode: Partial<Record<FailureCode, ExitCode>> = {
  UNEXPECTED: exitCodes.failed,
  LIMIT_EXCEEDED: exitCodes.failed,
  SPEC_INVALID: exitCodes.usage,
  CONFIG_INVALID: exitCodes.usage,
  INVALID_ARGUMENT: exitCodes.usage,
  NOT_FOUND: exitCodes.notFound,
  ETAG_MISMATCH: exitCodes.precondition,
  ACCESS_DENIED: exitCodes.denied,
  SOURCE_AUTH: exitCodes.denied,
  SINK_AUTH: exitCodes.denied,
}

function codeOfFailure(failure: Failure): ExitCode {
  const known = byCode[failure.code]
  if (known !== undefined) return known
  return failure.class === 'retry' ? exitCodes.unavailable : exitCodes.precondition
}

export function exitCodeOf(thrown: unknown): ExitCode {
  if (thrown instanceof UsageError) return exitCodes.usage
  if (thrown instanceof EndedWithError) return exitCodes.endedWithError
  if (thrown instanceof CheckFailed) return exitCodes.checkFailed
  if (thrown instanceof OnceflowError) return codeOfFailure(thrown.failure)
  return exitCodes.failed
}
