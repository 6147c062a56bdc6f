import { fail } from '@onceflow/model'
import type { TxnOutcome } from '@onceflow/ports'

/** The text of a thrown thing, which for an answer of gRPC reads `14 UNAVAILABLE: ...`. */
export const textOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

/**
 * Answers after which a Txn is certainly not stored and never will be: etcd said so before it
 * looked at the compares, or the request never left this process. Everything that is not listed is
 * unknown; so is `database space exceeded`, which etcd also answers to the Txn that it has just
 * applied.
 */
const notApplied: readonly RegExp[] = [
  // A lease that has ended, a key written twice, too many operations, a request too large.
  /etcdserver: requested lease not found/,
  /^3 INVALID_ARGUMENT: etcdserver: /,
  /^8 RESOURCE_EXHAUSTED: grpc: received message larger than max/,
  /^8 RESOURCE_EXHAUSTED: etcdserver: too many requests/,
  /^7 PERMISSION_DENIED: etcdserver: /,
  /^16 UNAUTHENTICATED: etcdserver: /,
  // No connection was there to send it on.
  /^14 UNAVAILABLE: No connection established/,
  /^14 UNAVAILABLE: Name resolution failed/,
]

export function outcomeOf(thrown: unknown): TxnOutcome {
  const cause = textOf(thrown)
  const kind = notApplied.some((pattern) => pattern.test(cause)) ? 'not-applied' : 'unknown'
  return { kind, cause }
}

/** True when our own limit stopped an answer; the request itself was carried out. */
export const isAnswerTooLarge = (thrown: unknown): boolean =>
  /^8 RESOURCE_EXHAUSTED: Received message larger than max/.test(textOf(thrown))

export const isLeaseGone = (thrown: unknown): boolean =>
  textOf(thrown).includes('requested lease not found')

export const isTokenInvalid = (thrown: unknown): boolean =>
  textOf(thrown).includes('invalid auth token')

export function unreachable(action: string, thrown: unknown): never {
  fail('METADATA_UNREACHABLE', { detail: `${action}: ${textOf(thrown)}` })
}
