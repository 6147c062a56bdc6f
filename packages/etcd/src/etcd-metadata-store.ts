import { invariant } from '@onceflow/model'
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
import type { IRangeRequest, IRangeResponse } from 'etcd3'
import { type EtcdClients, type EtcdOptions, openClients } from './etcd-clients.ts'
import { keepAliveOnce } from './etcd-lease.ts'
import { EtcdMessages, revisionOf } from './etcd-message.ts'
import {
  isAnswerTooLarge,
  isLeaseGone,
  isTokenInvalid,
  outcomeOf,
  unreachable,
} from './etcd-outcome.ts'
import { EtcdWatch } from './etcd-watch.ts'

export interface EtcdStatus {
  readonly version: string
  /** Of the database file; etcd stops taking writes at its quota (2 GiB unless set). */
  readonly databaseBytes: bigint
}

/**
 * The metadata store on etcd, by its raw calls.
 *
 * Invariants: a Txn is sent at most once; every request has a deadline; a closed store sends
 * nothing and gives no hint.
 */
export class EtcdMetadataStore implements MetadataStore {
  readonly #clients: EtcdClients
  readonly #messages: EtcdMessages
  readonly #deadlineMs: number
  readonly #watches = new Set<EtcdWatch>()
  #state: 'open' | 'closed' = 'open'

  constructor(options: EtcdOptions) {
    this.#clients = openClients(options)
    this.#messages = new EtcdMessages(options.prefix)
    this.#deadlineMs = options.deadlineMs ?? 2_000
  }

  async txn(request: TxnRequest): Promise<TxnOutcome> {
    checkTxnRequest(request)
    if (this.#state === 'closed') return { kind: 'not-applied', cause: 'the store is closed' }
    try {
      const response = await this.#clients.data.kv.txn(this.#messages.txnRequest(request))
      return this.#messages.txnOutcome(request, response)
    } catch (thrown) {
      return outcomeOf(thrown)
    }
  }

  async range(request: RangeRequest): Promise<RangePage> {
    this.#assertOpen('range')
    invariant(request.limit > 0, 'a range has a limit')
    try {
      const response = await this.#rangeThatFits(this.#messages.rangeRequest(request))
      return {
        values: response.kvs.map((found) => this.#messages.storedValue(found)),
        more: response.more ? 'yes' : 'no',
        revision: revisionOf(response.header),
      }
    } catch (thrown) {
      unreachable('range', thrown)
    }
  }

  watch(prefix: string, onHint: () => void): Subscription {
    this.#assertOpen('watch')
    const watch: EtcdWatch = new EtcdWatch(this.#clients.hints, {
      interval: this.#messages.prefixInterval(prefix),
      onHint,
      onEnd: () => void this.#watches.delete(watch),
    })
    this.#watches.add(watch)
    return watch
  }

  async grantLease(ttlMs: number): Promise<LeaseGrant> {
    this.#assertOpen('grant of a lease')
    try {
      const TTL = Math.ceil(ttlMs / 1_000)
      const granted = await this.#clients.lease.leaseClient.leaseGrant({ TTL })
      return { lease: granted.ID, ttlMs: Number(granted.TTL) * 1_000 }
    } catch (thrown) {
      unreachable('grant of a lease', thrown)
    }
  }

  async keepLeaseAlive(lease: LeaseId): Promise<'alive' | 'gone'> {
    this.#assertOpen('keepalive')
    const { leaseClient } = this.#clients.lease
    try {
      return await keepAliveOnce(leaseClient, lease, this.#deadlineMs)
    } catch (thrown) {
      // A stream does not renew an outdated token, a plain call does: the next keepalive has it.
      if (isTokenInvalid(thrown)) await leaseClient.leaseTimeToLive({ ID: lease }).catch(() => {})
      unreachable('keepalive', thrown)
    }
  }

  async revokeLease(lease: LeaseId): Promise<void> {
    this.#assertOpen('revocation of a lease')
    try {
      await this.#clients.lease.leaseClient.leaseRevoke({ ID: lease })
    } catch (thrown) {
      if (!isLeaseGone(thrown)) unreachable('revocation of a lease', thrown)
    }
  }

  /** For metrics and for the preflight. */
  async status(): Promise<EtcdStatus> {
    this.#assertOpen('status')
    try {
      const { version, dbSize } = await this.#clients.data.maintenance.status()
      return { version, databaseBytes: BigInt(dbSize) }
    } catch (thrown) {
      unreachable('status', thrown)
    }
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    // Before the clients: a watch whose client is closed would try to connect for ever.
    for (const watch of [...this.#watches]) watch.cancel()
    for (const client of Object.values(this.#clients)) client.close()
  }

  /** A page whose values exceed the size of an answer is asked for again, half as long. */
  async #rangeThatFits(request: IRangeRequest): Promise<IRangeResponse> {
    for (let limit = Number(request.limit); ; limit = Math.ceil(limit / 2)) {
      try {
        return await this.#clients.data.kv.range({ ...request, limit })
      } catch (thrown) {
        if (!isAnswerTooLarge(thrown) || limit === 1) throw thrown
      }
    }
  }

  #assertOpen(action: string): void {
    if (this.#state === 'closed') unreachable(action, 'the store is closed')
  }
}
