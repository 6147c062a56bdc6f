import type { Revision } from '@onceflow/model'

/**
 * The consensus store: keys with revisions, Txns that compare and then write, leases.
 *
 * The promise each adapter must keep:
 * - a Txn is atomic and linearizable; its revision is greater than that of every earlier one;
 * - `applied` is told only when it is durable; `not-applied` only when it can never take effect;
 *   everything else is `unknown`, and an unknown Txn may still take effect later;
 * - the adapter never sends a Txn twice by itself (a lost answer is the caller's to settle, R2);
 * - a key with a lease vanishes when the lease has not been kept alive for its TTL, never before;
 * - watches are hints: events may be missing, late or repeated (R9).
 */
export interface MetadataStore {
  txn(request: TxnRequest): Promise<TxnOutcome>
  /** One page in key order; a read for start-up and for people, never the base of a decision. */
  range(request: RangeRequest): Promise<RangePage>
  /** Calls back when a key under the prefix may have changed; also after each reconnect. */
  watch(prefix: string, onHint: () => void): Subscription
  grantLease(ttlMs: number): Promise<LeaseGrant>
  /** Resolves when acknowledged. Rejects with an OnceflowError when not. */
  keepLeaseAlive(lease: LeaseId): Promise<'alive' | 'gone'>
  revokeLease(lease: LeaseId): Promise<void>
  close(): Promise<void>
}

export type LeaseId = string

export interface LeaseGrant {
  readonly lease: LeaseId
  /** What the store granted; may differ from what was asked. */
  readonly ttlMs: number
}

export type Compare =
  | { readonly kind: 'absent'; readonly key: string }
  | { readonly kind: 'created'; readonly key: string; readonly revision: Revision }
  | { readonly kind: 'modified'; readonly key: string; readonly revision: Revision }
  | { readonly kind: 'value'; readonly key: string; readonly value: string }

export type Write =
  | { readonly kind: 'put'; readonly key: string; readonly value: string; readonly lease?: LeaseId }
  | { readonly kind: 'delete'; readonly key: string }

/** No key twice in `writes`; at most 120 compares, 120 writes, 120 reads; values up to 1 MiB. */
export interface TxnRequest {
  /** All must hold. */
  readonly compares: readonly Compare[]
  readonly writes: readonly Write[]
  /** Keys read, in the same Txn, when a compare failed. */
  readonly elseReads: readonly string[]
}

export interface StoredValue {
  readonly key: string
  readonly value: string
  readonly created: Revision
  readonly modified: Revision
}

export type TxnOutcome =
  | { readonly kind: 'applied'; readonly revision: Revision }
  /** A compare failed: nothing was written. reads: one entry for each elseReads key, in order. */
  | {
      readonly kind: 'refused'
      readonly revision: Revision
      readonly reads: readonly (StoredValue | undefined)[]
    }
  /** Certainly not stored and never will be (the store said no before it looked). */
  | { readonly kind: 'not-applied'; readonly cause: string }
  /** No answer: it may be stored now, later or never. */
  | { readonly kind: 'unknown'; readonly cause: string }

export interface RangeRequest {
  readonly prefix: string
  readonly limit: number
  /** Keys greater than this one. */
  readonly after?: string
  /** Keys lower than this one: the next page of a descending range. */
  readonly before?: string
  readonly order?: 'ascending' | 'descending'
  readonly keysOnly?: 'yes' | 'no'
}

export interface RangePage {
  readonly values: readonly StoredValue[]
  readonly more: 'yes' | 'no'
  readonly revision: Revision
}

export interface Subscription {
  cancel(): void
}
