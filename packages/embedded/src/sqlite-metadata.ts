import { DatabaseSync } from 'node:sqlite'
import { fail } from '@onceflow/model'
import type {
  Clock,
  LeaseGrant,
  LeaseId,
  MetadataStore,
  Subscription,
  TimerHandle,
} from '@onceflow/ports'
import { SqliteEntries } from './sqlite-entries.ts'
import { SqliteMetadataStore } from './sqlite-metadata-store.ts'

export interface SqliteMetadataOptions {
  readonly clock: Clock
  /** File of the database; its folder must exist. */
  readonly file: string
}

interface Lease {
  readonly ttlMs: number
  timer: TimerHandle
}

interface Watcher {
  readonly prefix: string
  readonly onHint: () => void
}

/** Shortest lease that is granted, as in etcd. */
const ttlMsMin = 2_000

/**
 * The decision store of one process, in one file; each coordinator in the process connects to it.
 *
 * Invariants: the process holds the file's exclusive lock while it is open, so a lease that is
 * found in the file belongs to a process that is gone, and ends at once; what is told as applied is
 * synchronised to the disk; leases and watches live in memory only.
 */
export class SqliteMetadata {
  readonly clock: Clock
  readonly entries: SqliteEntries
  readonly #database: DatabaseSync
  readonly #leases = new Map<LeaseId, Lease>()
  readonly #watchers = new Set<Watcher>()
  readonly #stores = new Set<SqliteMetadataStore>()
  #leaseCount = 0

  private constructor(options: SqliteMetadataOptions, database: DatabaseSync) {
    this.clock = options.clock
    this.#database = database
    this.entries = new SqliteEntries(database)
    this.entries.dropLeased()
  }

  /** Throws METADATA_UNREACHABLE when another process has the file, METADATA_FORMAT for another. */
  static open(options: SqliteMetadataOptions): SqliteMetadata {
    const database = openDatabase(options.file)
    try {
      return new SqliteMetadata(options, database)
    } catch (thrown) {
      database.close()
      throw thrown
    }
  }

  connect(): MetadataStore {
    const store = new SqliteMetadataStore(this)
    this.#stores.add(store)
    return store
  }

  async close(): Promise<void> {
    for (const store of this.#stores) await store.close()
    for (const { timer } of this.#leases.values()) timer.cancel()
    this.#leases.clear()
    if (this.#database.isOpen) this.#database.close()
  }

  hasLease(lease: LeaseId): boolean {
    return this.#leases.has(lease)
  }

  grantLease(ttlMs: number): LeaseGrant {
    const granted = Math.max(Math.ceil(ttlMs / 1_000) * 1_000, ttlMsMin)
    this.#leaseCount += 1
    const lease = `lease-${this.#leaseCount}`
    this.#leases.set(lease, { ttlMs: granted, timer: this.#expiry(lease, granted) })
    return { lease, ttlMs: granted }
  }

  keepLeaseAlive(id: LeaseId): 'alive' | 'gone' {
    const lease = this.#leases.get(id)
    if (lease === undefined) return 'gone'
    lease.timer.cancel()
    lease.timer = this.#expiry(id, lease.ttlMs)
    return 'alive'
  }

  revokeLease(id: LeaseId): void {
    const lease = this.#leases.get(id)
    if (lease === undefined) return
    lease.timer.cancel()
    this.#leases.delete(id)
    this.hint(this.entries.deleteOfLease(id))
  }

  watch(prefix: string, onHint: () => void): Subscription {
    const watcher = { prefix, onHint }
    this.#watchers.add(watcher)
    return { cancel: () => void this.#watchers.delete(watcher) }
  }

  /** Calls the watchers of these keys back, after the caller has gone on. */
  hint(keys: readonly string[]): void {
    for (const watcher of this.#watchers) {
      if (!keys.some((key) => key.startsWith(watcher.prefix))) continue
      queueMicrotask(() => {
        if (this.#watchers.has(watcher)) watcher.onHint()
      })
    }
  }

  #expiry(id: LeaseId, ttlMs: number): TimerHandle {
    return this.clock.after(ttlMs, () => this.revokeLease(id))
  }
}

function openDatabase(file: string): DatabaseSync {
  try {
    const database = new DatabaseSync(file, { timeout: 1_000 })
    // FULL: a commit returns when it is on the disk. EXCLUSIVE: the first access locks the file.
    database.exec('PRAGMA locking_mode = EXCLUSIVE')
    database.exec('PRAGMA journal_mode = WAL')
    database.exec('PRAGMA synchronous = FULL')
    return database
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown)
    fail('METADATA_UNREACHABLE', {
      detail: `${file}: ${text}`,
      hint: 'one process at a time may use the embedded store; check the folder and its rights',
    })
  }
}
