/**
 * A source that never waits: updates of a few orders and, in a table without a key, one row per
 * tick. A tick applied twice is a row too many, a lost one a row too few.
 */

import { FileLogWriter } from '@onceflow/embedded'

const orders = 7

export const shopTables =
  'CREATE TABLE orders (id integer PRIMARY KEY, n bigint NOT NULL);' +
  ' CREATE TABLE ticks (n bigint NOT NULL)'

export class ShopLog {
  readonly #writer: FileLogWriter
  #timer: NodeJS.Timeout | undefined
  sent = 0

  private constructor(writer: FileLogWriter) {
    this.#writer = writer
    writer.createTopic('orders', 2)
    writer.createTopic('ticks', 2)
  }

  static async open(directory: string): Promise<ShopLog> {
    return new ShopLog(await FileLogWriter.open(directory))
  }

  start(): void {
    this.#timer = setInterval(() => this.append(5), 10)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  append(count: number): void {
    const records = Array.from({ length: count }, (_item, index) => {
      const n = this.sent + index
      const id = n % orders
      const tick = { topic: 'ticks', partition: n % 2, key: null, value: event('ticks', n, { n }) }
      const order = {
        topic: 'orders',
        partition: id % 2,
        key: JSON.stringify({ id }),
        value: event('orders', n, { id, n }),
      }
      return [tick, order]
    })
    this.#writer.append(records.flat())
    this.sent += count
  }

  /** What the target must hold of the orders. */
  lastByOrder(): readonly { readonly id: number; readonly n: string }[] {
    return Array.from({ length: orders }, (_item, id) => {
      const last = this.sent - 1 - ((this.sent - 1 - id) % orders)
      return { id, n: String(last) }
    })
  }
}

const startMs = Date.UTC(2026, 0, 31)

function event(table: 'orders' | 'ticks', n: number, after: object): string {
  const commit = startMs + n
  const lsn = 1_000 + n
  return JSON.stringify({
    before: null,
    after,
    source: {
      version: '3.6.1.Final',
      connector: 'postgresql',
      name: 'shop',
      ts_ms: commit,
      snapshot: 'false',
      db: 'shop',
      sequence: JSON.stringify([String(lsn - 1), String(lsn)]),
      schema: 'public',
      table,
      txId: n,
      lsn,
      xmin: null,
    },
    transaction: null,
    op: table === 'orders' ? 'u' : 'c',
    ts_ms: commit,
  })
}
