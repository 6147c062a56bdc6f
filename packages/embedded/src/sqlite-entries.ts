import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { fail, invariant, type Revision, revision } from '@onceflow/model'
import type {
  Compare,
  LeaseId,
  RangePage,
  RangeRequest,
  StoredValue,
  TxnOutcome,
  TxnRequest,
  Write,
} from '@onceflow/ports'

const formatVersion = 1n

// Keys and values are blobs: SQLite compares those byte by byte, as etcd does, and text would end
// at its first zero character.
const schema = `
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS entries (
    key BLOB PRIMARY KEY,
    value BLOB NOT NULL,
    created INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    lease TEXT
  ) STRICT, WITHOUT ROWID;
  INSERT OR IGNORE INTO meta VALUES ('format', ${formatVersion}), ('revision', 1);
`

export interface Executed {
  readonly outcome: TxnOutcome
  /** Keys that changed. */
  readonly keys: readonly string[]
}

/**
 * Keys with revisions in two tables.
 *
 * Invariants: `revision` grows by one with each change, and every key of a change has it; a change
 * is one transaction of the database, together with the revision.
 */
export class SqliteEntries {
  readonly #database: DatabaseSync
  readonly #statements: { readonly [Name in keyof typeof sql]: StatementSync }
  #revision: bigint

  constructor(database: DatabaseSync) {
    this.#database = database
    database.exec(schema)
    const statement = (text: string): StatementSync => {
      const prepared = database.prepare(text)
      prepared.setReadBigInts(true)
      return prepared
    }
    this.#statements = {
      meta: statement(sql.meta),
      get: statement(sql.get),
      put: statement(sql.put),
      remove: statement(sql.remove),
      leased: statement(sql.leased),
      ofLease: statement(sql.ofLease),
      setRevision: statement(sql.setRevision),
      ascending: statement(sql.ascending),
      descending: statement(sql.descending),
    }
    const version = this.#meta('format')
    if (version !== formatVersion) {
      fail('METADATA_FORMAT', { detail: `embedded store: format ${version}` })
    }
    this.#revision = this.#meta('revision')
  }

  currentRevision(): Revision {
    return revision(this.#revision)
  }

  execute(request: TxnRequest, isAlive: (lease: LeaseId) => boolean): Executed {
    if (!request.compares.every((compare) => this.#holds(compare))) {
      const reads = request.elseReads.map((key) => this.#get(key))
      return { outcome: { kind: 'refused', revision: this.currentRevision(), reads }, keys: [] }
    }
    const ended = request.writes.some(
      (write) => write.kind === 'put' && write.lease !== undefined && !isAlive(write.lease),
    )
    if (ended) return { outcome: { kind: 'not-applied', cause: 'lease not found' }, keys: [] }
    const changes = request.writes.filter(
      (write) => write.kind === 'put' || this.#get(write.key) !== undefined,
    )
    const failed = this.#change(changes)
    if (failed !== undefined) return { outcome: failed, keys: [] }
    const keys = changes.map((write) => write.key)
    return { outcome: { kind: 'applied', revision: this.currentRevision() }, keys }
  }

  range(request: RangeRequest): RangePage {
    const start = bytesOf(request.prefix)
    const end = afterPrefix(start)
    const statement =
      request.order === 'descending' ? this.#statements.descending : this.#statements.ascending
    const rows = statement.all({
      start,
      end,
      after: request.after === undefined ? null : bytesOf(request.after),
      before: request.before === undefined ? null : bytesOf(request.before),
      limit: request.limit + 1,
    })
    const values = rows.slice(0, request.limit).map((row) => {
      const value = storedValue(row)
      return request.keysOnly === 'yes' ? { ...value, value: '' } : value
    })
    const more = rows.length > request.limit ? 'yes' : 'no'
    return { values, more, revision: this.currentRevision() }
  }

  deleteOfLease(lease: LeaseId): readonly string[] {
    return this.#deleteRows(this.#statements.ofLease.all({ lease }))
  }

  /** Keys whose lease was granted by an earlier process. */
  dropLeased(): void {
    this.#deleteRows(this.#statements.leased.all())
  }

  #deleteRows(rows: readonly Record<string, unknown>[]): readonly string[] {
    const keys = rows.map((row) => textOf(row['key']))
    const failed = this.#change(keys.map((key) => ({ kind: 'delete', key })))
    if (failed?.kind === 'not-applied' || failed?.kind === 'unknown') {
      fail('METADATA_UNREACHABLE', { detail: `embedded store: ${failed.cause}` })
    }
    return keys
  }

  /** Undefined when it is stored. */
  #change(writes: readonly Write[]): TxnOutcome | undefined {
    if (writes.length === 0) return undefined
    const next = this.#revision + 1n
    try {
      this.#database.exec('BEGIN IMMEDIATE')
      for (const write of writes) this.#write(write, next)
      this.#statements.setRevision.run({ revision: next })
    } catch (thrown) {
      return this.#rolledBack(messageOf(thrown))
    }
    try {
      this.#database.exec('COMMIT')
    } catch (thrown) {
      return this.#rolledBack(messageOf(thrown))
    }
    this.#revision = next
    return undefined
  }

  /** What can be rolled back was not stored; what cannot is known after a new start only. */
  #rolledBack(cause: string): TxnOutcome {
    try {
      this.#database.exec('ROLLBACK')
      return { kind: 'not-applied', cause }
    } catch {
      return { kind: 'unknown', cause }
    }
  }

  #write(write: Write, next: bigint): void {
    const key = bytesOf(write.key)
    if (write.kind === 'delete') {
      this.#statements.remove.run({ key })
      return
    }
    const lease = write.lease ?? null
    this.#statements.put.run({ key, value: bytesOf(write.value), revision: next, lease })
  }

  #holds(compare: Compare): boolean {
    const found = this.#get(compare.key)
    switch (compare.kind) {
      case 'absent':
        return found === undefined
      case 'created':
        return (found?.created ?? 0n) === compare.revision
      case 'modified':
        return (found?.modified ?? 0n) === compare.revision
      case 'value':
        return found?.value === compare.value
      default:
        return compare satisfies never
    }
  }

  #get(key: string): StoredValue | undefined {
    const row = this.#statements.get.get({ key: bytesOf(key) })
    return row === undefined ? undefined : storedValue(row)
  }

  #meta(name: string): bigint {
    const value = this.#statements.meta.get({ name })?.['value']
    invariant(typeof value === 'bigint', `meta ${name} is an integer`)
    return value
  }
}

const sql = {
  meta: 'SELECT value FROM meta WHERE name = :name',
  get: 'SELECT key, value, created, modified FROM entries WHERE key = :key',
  put: `INSERT INTO entries VALUES (:key, :value, :revision, :revision, :lease)
    ON CONFLICT (key) DO UPDATE SET value = :value, modified = :revision, lease = :lease`,
  remove: 'DELETE FROM entries WHERE key = :key',
  leased: 'SELECT key FROM entries WHERE lease IS NOT NULL',
  ofLease: 'SELECT key FROM entries WHERE lease = :lease',
  setRevision: "UPDATE meta SET value = :revision WHERE name = 'revision'",
  ascending: rangeSql('ASC'),
  descending: rangeSql('DESC'),
}

function rangeSql(order: 'ASC' | 'DESC'): string {
  return `SELECT key, value, created, modified FROM entries
    WHERE key >= :start AND (:end IS NULL OR key < :end)
      AND (:after IS NULL OR key > :after) AND (:before IS NULL OR key < :before)
    ORDER BY key ${order} LIMIT :limit`
}

function storedValue(row: Record<string, unknown>): StoredValue {
  const { created, modified } = row
  invariant(typeof created === 'bigint' && typeof modified === 'bigint', 'revisions are integers')
  return {
    key: textOf(row['key']),
    value: textOf(row['value']),
    created: revision(created),
    modified: revision(modified),
  }
}

/** The first key after all that begin with the prefix; null when there is none (prefix ''). */
function afterPrefix(prefix: Uint8Array): Uint8Array | null {
  const last = prefix.at(-1)
  if (last === undefined) return null
  // UTF-8 holds no byte 0xff.
  const end = Uint8Array.from(prefix)
  end[end.length - 1] = last + 1
  return end
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

function textOf(bytes: unknown): string {
  invariant(bytes instanceof Uint8Array, 'keys and values are blobs')
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)
