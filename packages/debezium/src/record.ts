import type { Change, Failure, IgnoredReason, SourceTable, TableShape } from '@onceflow/model'

/** A record as a log gives it; ports' LogRecord is one. */
export interface DecodableRecord {
  readonly offset: bigint
  readonly key: Uint8Array | null
  /** null is a tombstone. */
  readonly value: Uint8Array | null
  readonly headers: readonly { readonly key: string }[]
}

export interface RecordPlace {
  readonly topic: string
  readonly partition: number
}

/** The record leads to no change; counted by reason. */
export interface Ignored {
  readonly kind: 'ignored'
  readonly reason: IgnoredReason
}

/**
 * The decoder has to know the target of this table first: resolve it, tell the decoder with
 * provide(), and decode the same record again. declared is the table that the record's own schema
 * describes; undefined: the record has none, and the types must come from the catalogue.
 */
export interface NeedsTable {
  readonly kind: 'needs-table'
  readonly source: SourceTable
  readonly declared: TableShape | undefined
}

export interface Failed {
  readonly kind: 'failed'
  readonly failure: Failure
}

export type Decoded = Change | Ignored | NeedsTable | Failed

const reasons: readonly IgnoredReason[] = [
  'tombstone',
  'heartbeat',
  'transaction',
  'schema-change',
  'message',
  'filtered',
]
const byReason: ReadonlyMap<IgnoredReason, Ignored> = new Map(
  reasons.map((reason) => [reason, { kind: 'ignored', reason }]),
)

/** One object for each reason: most topics hold a tombstone for each delete. */
export const ignored = (reason: IgnoredReason): Ignored =>
  byReason.get(reason) ?? { kind: 'ignored', reason }
