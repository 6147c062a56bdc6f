import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../cluster.d/shell.ts'

/** Transactions of a shop and a bank on the source database, at a steady pace, until stopped. */
export class Workload {
  readonly #psql: ChildProcess
  readonly #timer: NodeJS.Timeout
  readonly #errors: string[] = []
  #transfers = 0
  #orders = 0
  transactions = 0

  constructor(dir: string, perSecond: number) {
    const words = ['psql', '--dir', dir, 'source', '-qtA', '-v', 'ON_ERROR_STOP=1']
    this.#psql = spawn(join(root, 'scripts', 'stack'), words, { stdio: ['pipe', 'ignore', 'pipe'] })
    this.#psql.stderr?.on('data', (chunk: Buffer) => this.#errors.push(chunk.toString('utf8')))
    const stepMs = 50
    const perStep = Math.max(1, Math.round((perSecond * stepMs) / 1_000))
    this.#timer = setInterval(() => {
      for (let index = 0; index < perStep; index += 1) this.#send(this.#next())
    }, stepMs)
  }

  /** Sends nothing more and waits until the source has committed everything. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    const ended = new Promise<number | null>((resolve) => {
      this.#psql.once('exit', resolve)
    })
    this.#psql.stdin?.end()
    const code = await ended
    if (code !== 0) throw new Error(`the workload failed: ${this.#errors.join('').slice(0, 500)}`)
  }

  #send(sql: string): void {
    this.transactions += 1
    this.#psql.stdin?.write(`${sql}\n`)
  }

  #next(): string {
    const kind = Math.random()
    if (kind < 0.5) return this.#transfer()
    if (kind < 0.75 || this.#orders < 20) return this.#newOrder()
    if (kind < 0.93) return this.#changeOrder()
    return this.#dropOrder()
  }

  /** The sum of all balances never changes: what the audit calls conservation. */
  #transfer(): string {
    this.#transfers += 1
    const debit = 1 + Math.floor(Math.random() * 500)
    const credit = 1 + ((debit + Math.floor(Math.random() * 499)) % 500)
    const amount = (1 + Math.floor(Math.random() * 5_000)) / 100
    const [low, high] = debit < credit ? [debit, credit] : [credit, debit]
    return `BEGIN; SELECT id FROM accounts WHERE id IN (${low}, ${high}) ORDER BY id FOR UPDATE;
      UPDATE accounts SET balance = balance - ${amount}, changed_at = clock_timestamp()
        WHERE id = ${debit};
      UPDATE accounts SET balance = balance + ${amount}, changed_at = clock_timestamp()
        WHERE id = ${credit};
      INSERT INTO transfers VALUES (${this.#transfers}, ${debit}, ${credit}, ${amount},
        '{"channel": "demo", "n": ${this.#transfers}}'); COMMIT;`
  }

  #newOrder(): string {
    this.#orders += 1
    const id = this.#orders
    const lines = Array.from(
      { length: 1 + Math.floor(Math.random() * 3) },
      (_item, line) =>
        `(${id}, ${line + 1}, 'article ${Math.floor(Math.random() * 999)}',` +
        ` ${1 + Math.floor(Math.random() * 9)}, ${(Math.random() * 90 + 1).toFixed(2)})`,
    )
    return `BEGIN; INSERT INTO orders VALUES (${id}, 'customer ${id % 97}', 'new');
      INSERT INTO order_lines VALUES ${lines.join(', ')}; COMMIT;`
  }

  #changeOrder(): string {
    const id = 1 + Math.floor(Math.random() * this.#orders)
    const status = ['paid', 'packed', 'sent', 'returned'][Math.floor(Math.random() * 4)] ?? 'paid'
    return `UPDATE orders SET status = '${status}', changed_at = clock_timestamp()
      WHERE id = ${id};`
  }

  #dropOrder(): string {
    const id = 1 + Math.floor(Math.random() * this.#orders)
    return `BEGIN; DELETE FROM order_lines WHERE order_id = ${id};
      DELETE FROM orders WHERE id = ${id}; COMMIT;`
  }
}
