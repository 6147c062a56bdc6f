import { fail } from '@onceflow/model'
import {
  checkTxnRequest,
  type LeaseGrant,
  type LeaseId,
  type MetadataStore,
  type RangePage,
  type RangeRequest,
  type Subscription,
  type TxnOutcome,
  type TxnRequest,
} from '@onceflow/ports'
import type { SqliteMetadata } from './sqlite-metadata.ts'

/** One client of the embedded store. */
export class SqliteMetadataStore implements MetadataStore {
  readonly #metadata: SqliteMetadata
  readonly #subscriptions = new Set<Subscription>()
  #state: 'open' | 'closed' = 'open'

  constructor(metadata: SqliteMetadata) {
    this.#metadata = metadata
  }

  async txn(request: TxnRequest): Promise<TxnOutcome> {
    checkTxnRequest(request)
    if (this.#state === 'closed') return { kind: 'not-applied', cause: 'the store is closed' }
    const { entries } = this.#metadata
    const isAlive = (lease: LeaseId) => this.#metadata.hasLease(lease)
    const { outcome, keys } = entries.execute(request, isAlive)
    this.#metadata.hint(keys)
    return outcome
  }

  async range(request: RangeRequest): Promise<RangePage> {
    return this.#opened().entries.range(request)
  }

  watch(prefix: string, onHint: () => void): Subscription {
    const inner = this.#opened().watch(prefix, onHint)
    const subscription = {
      cancel: () => {
        inner.cancel()
        this.#subscriptions.delete(subscription)
      },
    }
    this.#subscriptions.add(subscription)
    return subscription
  }

  async grantLease(ttlMs: number): Promise<LeaseGrant> {
    return this.#opened().grantLease(ttlMs)
  }

  async keepLeaseAlive(lease: LeaseId): Promise<'alive' | 'gone'> {
    return this.#opened().keepLeaseAlive(lease)
  }

  async revokeLease(lease: LeaseId): Promise<void> {
    this.#opened().revokeLease(lease)
  }

  async close(): Promise<void> {
    this.#state = 'closed'
    for (const subscription of [...this.#subscriptions]) subscription.cancel()
  }

  #opened(): SqliteMetadata {
    if (this.#state === 'closed') {
      fail('METADATA_UNREACHABLE', { detail: 'the client of the embedded store is closed' })
    }
    return this.#metadata
  }
}
