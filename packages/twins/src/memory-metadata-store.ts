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
import type { MemoryMetadata } from './memory-metadata.ts'

/**
 * What befalls the next Txn of a client:
 * applied: stored, the answer is lost; lost: never arrives, and nobody can know; late: no answer,
 * stored when deliverLate() is called; not-applied: the store said no before it looked.
 */
export type TxnFault = 'applied' | 'lost' | 'late' | 'not-applied'

/** One client of a MemoryMetadata; its faults are its own, as a cut network is. */
export class MemoryMetadataStore implements MetadataStore {
  /** Every Txn that was asked for, in order. */
  readonly requests: TxnRequest[] = []
  readonly #server: MemoryMetadata
  readonly #subscriptions = new Map<Subscription, () => void>()
  readonly #faults: TxnFault[] = []
  readonly #late: TxnRequest[] = []
  #network: 'up' | 'down' = 'up'
  #delayMs = 0
  #waiting: (() => void)[] = []
  #holding: 'yes' | 'no' = 'no'
  #closed: 'yes' | 'no' = 'no'

  constructor(server: MemoryMetadata) {
    this.#server = server
  }

  /** The faults of the next Txns, one each. */
  failNextTxns(...faults: readonly TxnFault[]): void {
    this.#faults.push(...faults)
  }

  /** Stores what a `late` fault kept back. */
  deliverLate(): readonly TxnOutcome[] {
    return this.#late.splice(0).map((request) => this.#server.execute(request))
  }

  /** Every answer takes this long by the clock. */
  setDelay(delayMs: number): void {
    this.#delayMs = delayMs
  }

  /** Requests wait, before they take effect, until release(). */
  hold(): void {
    this.#holding = 'yes'
  }

  release(): void {
    this.#holding = 'no'
    for (const resume of this.#waiting.splice(0)) resume()
  }

  /** Cut from the store: Txns are unknown and have no effect, all else rejects. */
  disconnect(): void {
    this.#network = 'down'
  }

  /** Watchers get a hint, as after every reconnect. */
  connect(): void {
    this.#network = 'up'
    for (const onHint of this.#subscriptions.values()) queueMicrotask(onHint)
  }

  async txn(request: TxnRequest): Promise<TxnOutcome> {
    checkTxnRequest(request)
    if (this.#closed === 'yes') return { kind: 'not-applied', cause: 'the store is closed' }
    this.requests.push(request)
    const fault = this.#faults.shift()
    await this.#travel()
    if (this.#network === 'down') return { kind: 'unknown', cause: 'twin: disconnected' }
    switch (fault) {
      case undefined:
        return this.#server.execute(request)
      case 'applied':
        this.#server.execute(request)
        return { kind: 'unknown', cause: 'twin: the answer was lost' }
      case 'lost':
        return { kind: 'unknown', cause: 'twin: the request was lost' }
      case 'late':
        this.#late.push(request)
        return { kind: 'unknown', cause: 'twin: the request is late' }
      case 'not-applied':
        return { kind: 'not-applied', cause: 'twin: refused before it was looked at' }
      default:
        return fault satisfies never
    }
  }

  async range(request: RangeRequest): Promise<RangePage> {
    await this.#reach()
    return this.#server.range(request)
  }

  watch(prefix: string, onHint: () => void): Subscription {
    this.#assertOpen()
    const inner = this.#server.watch(prefix, () => {
      if (this.#network === 'up') onHint()
    })
    const subscription = {
      cancel: () => {
        inner.cancel()
        this.#subscriptions.delete(subscription)
      },
    }
    this.#subscriptions.set(subscription, onHint)
    return subscription
  }

  async grantLease(ttlMs: number): Promise<LeaseGrant> {
    await this.#reach()
    return this.#server.grantLease(ttlMs)
  }

  async keepLeaseAlive(lease: LeaseId): Promise<'alive' | 'gone'> {
    await this.#reach()
    return this.#server.keepLeaseAlive(lease)
  }

  async revokeLease(lease: LeaseId): Promise<void> {
    await this.#reach()
    this.#server.revokeLease(lease)
  }

  async close(): Promise<void> {
    this.#closed = 'yes'
    for (const subscription of [...this.#subscriptions.keys()]) subscription.cancel()
  }

  async #reach(): Promise<void> {
    this.#assertOpen()
    await this.#travel()
    if (this.#network === 'down') fail('METADATA_UNREACHABLE', { detail: 'twin: disconnected' })
  }

  async #travel(): Promise<void> {
    if (this.#delayMs > 0) {
      await new Promise<void>((resolve) => this.#server.clock.after(this.#delayMs, resolve))
    }
    if (this.#holding === 'yes') {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  #assertOpen(): void {
    if (this.#closed === 'yes') {
      fail('METADATA_UNREACHABLE', { detail: 'the client of the metadata store is closed' })
    }
  }
}
