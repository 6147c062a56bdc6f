import { Client } from 'pg'
import { accountsDef, type BankTable, transfersDef } from './bank-workload.ts'
import type { Row } from './debezium-event.ts'

export interface LedgerLine {
  readonly pipeline: string
  readonly sink: string
  readonly subtask: number
  readonly checkpoint: bigint
  readonly attempt: bigint
  readonly from: ReadonlyMap<string, bigint>
  readonly to: ReadonlyMap<string, bigint>
}

export interface BankView {
  readonly accounts: ReadonlyMap<string, Row>
  readonly transfers: ReadonlyMap<string, Row>
  /** Newest position of each partition in the ledger, by `topic/partition`. */
  readonly positions: ReadonlyMap<string, bigint>
}

interface StoredPosition {
  readonly topic: string
  readonly partition: number
  readonly offset: string
}

/** The target as an outside reader sees it. Connects anew when the server went away. */
export class TargetDatabase {
  readonly #port: () => number
  #client: Client | undefined
  /** Snapshots have a connection of their own, and come one after the other. */
  #snapshots: TargetDatabase | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(port: () => number) {
    this.#port = port
  }

  async query(sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = this.#client ?? (await this.#connect())
    try {
      const { rows } = await client.query<Record<string, unknown>>(sql, [...values])
      return rows
    } catch (error) {
      const { code } = error as { readonly code?: string }
      // What the server refused leaves the connection usable; anything else does not.
      if (code === undefined || !/^[0-9A-Z]{5}$/.test(code) || code.startsWith('57P')) {
        this.#client = undefined
        void client.end().catch(() => undefined)
      }
      throw error
    }
  }

  async #connect(): Promise<Client> {
    const client = new Client({
      host: '127.0.0.1',
      port: this.#port(),
      user: 'postgres',
      database: 'target',
      connectionTimeoutMillis: 3_000,
      application_name: 'cluster-test',
    })
    client.on('error', () => {
      if (this.#client === client) this.#client = undefined
    })
    await client.connect()
    this.#client = client
    return client
  }

  async close(): Promise<void> {
    await this.#snapshots?.close()
    await this.#client?.end().catch(() => undefined)
    this.#client = undefined
  }

  async createBank(schema: string): Promise<void> {
    await this.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
    await this.query(
      `CREATE TABLE ${schema}.accounts (id bigint PRIMARY KEY, owner text,` +
        ' balance numeric(14,2), version bigint)',
    )
    await this.query(
      `CREATE TABLE ${schema}.transfers (id bigint PRIMARY KEY, source bigint,` +
        ' destination bigint, amount numeric(14,2), note text)',
    )
  }

  /** Tables and ledger in one snapshot. */
  bank(schema: string, pipeline: string): Promise<BankView> {
    this.#snapshots ??= new TargetDatabase(this.#port)
    const snapshots = this.#snapshots
    const view = this.#last.then(() => snapshots.#bank(schema, pipeline))
    this.#last = view.catch(() => undefined)
    return view
  }

  async #bank(schema: string, pipeline: string): Promise<BankView> {
    await this.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    try {
      const accounts = await this.#rows(schema, 'accounts')
      const transfers = await this.#rows(schema, 'transfers')
      const positions = await this.query(
        "SELECT DISTINCT ON (p->>'topic', p->>'partition') p->>'topic' AS topic," +
          " p->>'partition' AS partition, p->>'offset' AS \"offset\"" +
          ' FROM onceflow.ledger l, jsonb_array_elements(l.positions_to) p' +
          ' WHERE l.pipeline_uid = $1' +
          " ORDER BY p->>'topic', p->>'partition', l.checkpoint DESC",
        [pipeline],
      )
      return {
        accounts,
        transfers,
        positions: new Map(
          positions.map((row) => [
            `${String(row['topic'])}/${String(row['partition'])}`,
            BigInt(String(row['offset'])),
          ]),
        ),
      }
    } finally {
      await this.query('COMMIT').catch(() => undefined)
    }
  }

  async #rows(schema: string, table: BankTable): Promise<ReadonlyMap<string, Row>> {
    const { columns } = table === 'accounts' ? accountsDef : transfersDef
    const list = columns.map(({ name }) => `${name}::text`).join(', ')
    const rows = await this.query(`SELECT ${list} FROM ${schema}.${table}`)
    return new Map(
      rows.map((row) => [String(row['id']), columns.map(({ name }) => row[name] as string | null)]),
    )
  }

  async ledger(pipeline: string): Promise<readonly LedgerLine[]> {
    const rows = await this.query(
      'SELECT pipeline_uid, sink, subtask, checkpoint::text, attempt::text, positions_from,' +
        ' positions_to FROM onceflow.ledger WHERE pipeline_uid = $1 ORDER BY ledger.checkpoint',
      [pipeline],
    )
    return rows.map((row) => ({
      pipeline: String(row['pipeline_uid']),
      sink: String(row['sink']),
      subtask: Number(row['subtask']),
      checkpoint: BigInt(String(row['checkpoint'])),
      attempt: BigInt(String(row['attempt'])),
      from: placesOf(row['positions_from'] as StoredPosition[]),
      to: placesOf(row['positions_to'] as StoredPosition[]),
    }))
  }

  async newestCheckpoint(pipeline: string): Promise<bigint> {
    const [row] = await this.query(
      'SELECT COALESCE(max(checkpoint), 0)::text AS n FROM onceflow.ledger WHERE pipeline_uid = $1',
      [pipeline],
    )
    return BigInt(String(row?.['n'] ?? '0'))
  }

  async prepared(): Promise<readonly string[]> {
    const rows = await this.query('SELECT gid FROM pg_prepared_xacts ORDER BY gid')
    return rows.map((row) => String(row['gid']))
  }
}

const placesOf = (positions: readonly StoredPosition[]): ReadonlyMap<string, bigint> =>
  new Map(
    positions.map(({ topic, partition, offset }) => [`${topic}/${partition}`, BigInt(offset)]),
  )
