// Change events as Debezium writes them for a table of accounts between which money moves: enough
// for a first look without a source database. The sum over all accounts never changes.

export const demoTopic = 'demo.public.accounts'

export interface DemoAccount {
  readonly id: number
  readonly owner: string
  readonly balance: number
  /** Counts the changes of the row. */
  readonly version: number
}

export interface DemoEvent {
  readonly key: string
  readonly value: string
}

const rowFields = [
  { type: 'int32', optional: false, field: 'id' },
  { type: 'string', optional: false, field: 'owner' },
  { type: 'int64', optional: false, field: 'balance' },
  { type: 'int64', optional: false, field: 'version' },
]

const row = (field: string) => ({
  type: 'struct',
  fields: rowFields,
  optional: true,
  name: `${demoTopic}.Value`,
  field,
})

const sourceField = {
  type: 'struct',
  fields: [
    { type: 'string', optional: false, field: 'version' },
    { type: 'string', optional: false, field: 'connector' },
    { type: 'string', optional: false, field: 'name' },
    { type: 'int64', optional: false, field: 'ts_ms' },
    { type: 'string', optional: true, field: 'snapshot' },
    { type: 'string', optional: false, field: 'db' },
    { type: 'string', optional: false, field: 'schema' },
    { type: 'string', optional: false, field: 'table' },
    { type: 'int64', optional: true, field: 'txId' },
    { type: 'int64', optional: true, field: 'lsn' },
  ],
  optional: false,
  name: 'io.debezium.connector.postgresql.Source',
  field: 'source',
}

const valueSchema = {
  type: 'struct',
  fields: [
    row('before'),
    row('after'),
    sourceField,
    { type: 'string', optional: false, field: 'op' },
    { type: 'int64', optional: true, field: 'ts_ms' },
  ],
  optional: false,
  name: `${demoTopic}.Envelope`,
  version: 2,
}

const keySchema = {
  type: 'struct',
  fields: [{ type: 'int32', optional: false, field: 'id' }],
  optional: false,
  name: `${demoTopic}.Key`,
}

/** A source database that exists only in its events. */
export class DemoDatabase {
  readonly #accounts: DemoAccount[]
  #lsn = 0

  constructor(accounts: number) {
    this.#accounts = Array.from({ length: accounts }, (_, index) => ({
      id: index + 1,
      owner: `owner ${index + 1}`,
      balance: 1000,
      version: 1,
    }))
  }

  /** One create for each account. */
  begin(nowMs: number): readonly DemoEvent[] {
    this.#lsn += 1
    return this.#accounts.map((after) => this.#event({ op: 'c', before: null, after, nowMs }))
  }

  /** Moves money between two accounts: two updates of one source transaction. */
  transfer(fraction: () => number, nowMs: number): readonly DemoEvent[] {
    this.#lsn += 1
    const from = Math.floor(fraction() * this.#accounts.length)
    const step = 1 + Math.floor(fraction() * (this.#accounts.length - 1))
    const to = (from + step) % this.#accounts.length
    const amount = 1 + Math.floor(fraction() * 50)
    return [this.#change(from, -amount, nowMs), this.#change(to, amount, nowMs)]
  }

  #change(index: number, amount: number, nowMs: number): DemoEvent {
    const before = this.#accounts[index]
    if (before === undefined) throw new RangeError(`there is no account at ${index}`)
    const after = {
      ...before,
      balance: before.balance + amount,
      version: before.version + 1,
    }
    this.#accounts[index] = after
    return this.#event({ op: 'u', before, after, nowMs })
  }

  #event(change: {
    readonly op: 'c' | 'u'
    readonly before: DemoAccount | null
    readonly after: DemoAccount
    readonly nowMs: number
  }): DemoEvent {
    const { op, before, after, nowMs } = change
    const source = {
      version: 'demo',
      connector: 'postgresql',
      name: 'demo',
      ts_ms: nowMs,
      snapshot: 'false',
      db: 'demo',
      schema: 'public',
      table: 'accounts',
      txId: this.#lsn,
      lsn: this.#lsn,
    }
    const payload = { before, after, source, op, ts_ms: nowMs }
    return {
      key: JSON.stringify({ schema: keySchema, payload: { id: after.id } }),
      value: JSON.stringify({ schema: valueSchema, payload }),
    }
  }
}
