import { invariant, type Revision, revision } from '@onceflow/model'
import type {
  Clock,
  Compare,
  LeaseGrant,
  LeaseId,
  RangePage,
  RangeRequest,
  StoredValue,
  Subscription,
  TimerHandle,
  TxnOutcome,
  TxnRequest,
  Write,
} from '@onceflow/ports'
import { MemoryMetadataStore } from './memory-metadata-store.ts'

interface Lease {
  readonly ttlMs: number
  readonly keys: Set<string>
  deadlineMs: number
  timer: TimerHandle
}

interface Entry extends StoredValue {
  readonly lease: LeaseId | undefined
}

/** Shortest lease that is granted, as in etcd. */
const ttlMsMin = 2_000

/**
 * The twin of the store itself, which several coordinators share: each gets a client by connect().
 *
 * Invariants: the revision grows by one with each Txn that changes something; every write of a Txn
 * has the revision of the Txn; a key has at most one lease; a lease ends by the clock or by revoke.
 */
export class MemoryMetadata {
  readonly clock: Clock
  readonly #entries = new Map<string, Entry>()
  readonly #leases = new Map<LeaseId, Lease>()
  readonly #watchers = new Set<{ readonly prefix: string; readonly onHint: () => void }>()
  #revision = 1n
  #leaseCount = 0

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** A client of its own, with its own faults. */
  connect(): MemoryMetadataStore {
    return new MemoryMetadataStore(this)
  }

  currentRevision(): Revision {
    return revision(this.#revision)
  }

  get(key: string): StoredValue | undefined {
    return withoutLease(this.#entries.get(key))
  }

  /** All keys in order, for assertions. */
  keys(): readonly string[] {
    return [...this.#entries.keys()].sort()
  }

  execute(request: TxnRequest): TxnOutcome {
    const unknownLease = request.writes.find(
      (write) =>
        write.kind === 'put' && write.lease !== undefined && !this.#leases.has(write.lease),
    )
    if (!request.compares.every((compare) => this.#holds(compare))) {
      const reads = request.elseReads.map((key) => this.get(key))
      return { kind: 'refused', revision: this.currentRevision(), reads }
    }
    if (unknownLease !== undefined) return { kind: 'not-applied', cause: 'lease not found' }
    this.#write(request.writes)
    return { kind: 'applied', revision: this.currentRevision() }
  }

  range(request: RangeRequest): RangePage {
    const descending = request.order === 'descending'
    const { after, before } = request
    const keys = this.keys().filter(
      (key) =>
        key.startsWith(request.prefix) &&
        (after === undefined || key > after) &&
        (before === undefined || key < before),
    )
    if (descending) keys.reverse()
    const values: StoredValue[] = []
    for (const key of keys.slice(0, request.limit)) {
      const value = this.get(key)
      invariant(value !== undefined, `key ${key} was listed and is stored`)
      values.push(request.keysOnly === 'yes' ? { ...value, value: '' } : value)
    }
    const more = keys.length > request.limit ? 'yes' : 'no'
    return { values, more, revision: this.currentRevision() }
  }

  watch(prefix: string, onHint: () => void): Subscription {
    const watcher = { prefix, onHint }
    this.#watchers.add(watcher)
    return { cancel: () => void this.#watchers.delete(watcher) }
  }

  grantLease(ttlMs: number): LeaseGrant {
    const granted = Math.max(Math.ceil(ttlMs / 1_000) * 1_000, ttlMsMin)
    this.#leaseCount += 1
    const lease = `lease-${this.#leaseCount}`
    const timer = this.clock.after(granted, () => this.#expire(lease))
    const deadlineMs = this.clock.monotonicMs() + granted
    this.#leases.set(lease, { ttlMs: granted, keys: new Set(), deadlineMs, timer })
    return { lease, ttlMs: granted }
  }

  keepLeaseAlive(id: LeaseId): 'alive' | 'gone' {
    const lease = this.#leases.get(id)
    if (lease === undefined) return 'gone'
    lease.timer.cancel()
    lease.deadlineMs = this.clock.monotonicMs() + lease.ttlMs
    lease.timer = this.clock.after(lease.ttlMs, () => this.#expire(id))
    return 'alive'
  }

  /** Ends the lease and deletes its keys, as one change. */
  revokeLease(id: LeaseId): void {
    const lease = this.#leases.get(id)
    if (lease === undefined) return
    lease.timer.cancel()
    this.#leases.delete(id)
    this.#write([...lease.keys].map((key) => ({ kind: 'delete', key })))
  }

  #expire(id: LeaseId): void {
    const lease = this.#leases.get(id)
    if (lease === undefined) return
    invariant(this.clock.monotonicMs() >= lease.deadlineMs, 'a lease never ends before its TTL')
    this.revokeLease(id)
  }

  #holds(compare: Compare): boolean {
    const entry = this.#entries.get(compare.key)
    switch (compare.kind) {
      case 'absent':
        return entry === undefined
      case 'created':
        return (entry?.created ?? 0n) === compare.revision
      case 'modified':
        return (entry?.modified ?? 0n) === compare.revision
      case 'value':
        return entry?.value === compare.value
      default:
        return compare satisfies never
    }
  }

  #write(writes: readonly Write[]): void {
    const changing = writes.filter((write) => write.kind === 'put' || this.#entries.has(write.key))
    if (changing.length === 0) return
    this.#revision += 1n
    for (const write of changing) this.#writeOne(write)
    this.#hint(changing.map((write) => write.key))
  }

  #writeOne(write: Write): void {
    const { key } = write
    const before = this.#entries.get(key)
    if (before?.lease !== undefined) this.#leases.get(before.lease)?.keys.delete(key)
    if (write.kind === 'delete') {
      this.#entries.delete(key)
      return
    }
    const modified = revision(this.#revision)
    const created = before?.created ?? modified
    this.#entries.set(key, { key, value: write.value, created, modified, lease: write.lease })
    if (write.lease !== undefined) this.#leases.get(write.lease)?.keys.add(key)
  }

  #hint(keys: readonly string[]): void {
    for (const watcher of this.#watchers) {
      if (!keys.some((key) => key.startsWith(watcher.prefix))) continue
      queueMicrotask(() => {
        if (this.#watchers.has(watcher)) watcher.onHint()
      })
    }
  }
}

function withoutLease(entry: Entry | undefined): StoredValue | undefined {
  if (entry === undefined) return undefined
  const { key, value, created, modified } = entry
  return { key, value, created, modified }
}
