import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Product, pipelineYaml } from '../cluster.d/product.ts'
import { until } from '../cluster.d/shell.ts'
import type { Stack } from '../cluster.d/stack.ts'
import { quantile, usageOf } from './figures.ts'
import { quietStack, say } from './quiet-stack.ts'

export const ordersTable = `CREATE TABLE orders (id bigint PRIMARY KEY, customer_id bigint,
  status text, amount numeric(12,2), note text, email text, version int, attributes jsonb,
  created_at timestamptz, updated_at timestamptz)`

export interface W1Options {
  readonly events: number
  readonly workers: readonly number[]
  readonly interval: string
  readonly runs: number
}

export interface W1Figure {
  readonly workers: number
  readonly eventsPerSecond: number
  readonly ourCpuPerMillion: number
  readonly postgresCpuPerMillion: number
  readonly workerRssMb: number
  readonly coordinatorRssMb: number
  readonly checkpoints: number
  /** Medians over the checkpoints, in milliseconds: barrier to seals, decision, commits. */
  readonly sealMs: number
  readonly decideMs: number
  readonly commitMs: number
  readonly verified: 'yes' | 'no'
}

/** W1 of the design: a backlog of events of one table, next to plain COPY in the same run. */
export async function w1(options: W1Options): Promise<object> {
  const stack = await quietStack()
  try {
    say(`loading ${options.events} events`)
    await stack.createTopic('w1', 4)
    const facts = await stack.generate(['--events', String(options.events), '--topic', 'w1'])
    const rows = Number(facts.get('ROWS'))
    const md5 = facts.get('MD5') ?? ''
    const records = Number(facts.get('RECORDS'))
    const figures: W1Figure[] = []
    let copy = 0
    for (let round = 0; round < options.runs; round += 1) {
      for (const workers of options.workers) {
        const name = `w1-${round}-${workers}`
        const figure = await once(stack, { ...options, name, workers, rows, md5, records })
        figures.push(figure)
        copy = await plainCopy(stack)
        say(`${workers} worker(s): ${figure.eventsPerSecond} events/s, copy-limit ${copy} rows/s`)
      }
    }
    return { workload: 'W1', events: options.events, rows, copyLimitRowsPerSecond: copy, figures }
  } finally {
    await stack.down()
  }
}

interface Once extends W1Options {
  readonly name: string
  readonly rows: number
  readonly md5: string
  /** With tombstones. */
  readonly records: number
}

async function once(
  stack: Stack,
  run: Omit<Once, 'workers'> & { readonly workers: number },
): Promise<W1Figure> {
  await stack.sql('DROP TABLE IF EXISTS orders')
  await stack.sql(ordersTable)
  await stack.sql('CHECKPOINT')
  const product = new Product(stack)
  try {
    await product.coordinator('c1')
    for (let index = 0; index < run.workers; index += 1) await product.worker(`w${index + 1}`)
    const { name, interval } = run
    const postgres = await stack.pids('target')
    const before = await usageOf(postgres)
    await product.apply(
      name,
      pipelineYaml(stack, {
        name,
        topic: 'w1',
        interval,
        parallelism: undefined,
        start: 'earliest',
      }),
    )
    const startMs = await until('the first checkpoint', 60_000, async () => {
      const text = await stack.sql(`SELECT count(*) FROM onceflow.fence`).catch(() => '0')
      return Number(text) > 0 ? performance.now() : undefined
    })
    await until('all events to be applied', 600_000, async () =>
      (await applied(stack)) >= run.records ? true : undefined,
    )
    const seconds = (performance.now() - startMs) / 1_000
    return await measured(stack, { product, postgres, before, run, seconds })
  } finally {
    await product.stop()
    await stack.sql('DROP SCHEMA IF EXISTS onceflow CASCADE')
  }
}

/** Sum over partitions of the newest positions in the ledger: records that are committed. */
export async function applied(stack: Stack): Promise<number> {
  const text = await stack
    .sql(
      `SELECT coalesce(sum(at), 0) FROM (SELECT max((p->>'offset')::bigint) AS at
         FROM onceflow.ledger, jsonb_array_elements(positions_to) p
         GROUP BY p->>'topic', p->>'partition') newest`,
    )
    .catch(() => '0')
  return Number(text)
}

async function measured(
  stack: Stack,
  on: {
    readonly product: Product
    readonly postgres: readonly number[]
    readonly before: { readonly cpuSeconds: number }
    readonly run: Omit<Once, 'workers'> & { readonly workers: number }
    readonly seconds: number
  },
): Promise<W1Figure> {
  const { run, seconds } = on
  const millions = run.events / 1_000_000
  const after = await usageOf(await stack.pids('target'))
  const own = on.product.processes()
  const all = await usageOf(own.map((one) => one.pid))
  const workers = await usageOf(own.filter((one) => one.name.startsWith('w')).map((one) => one.pid))
  const leaders = await usageOf(own.filter((one) => one.name.startsWith('c')).map((one) => one.pid))
  return {
    workers: run.workers,
    eventsPerSecond: Math.round(run.events / seconds),
    ourCpuPerMillion: round(all.cpuSeconds / millions),
    postgresCpuPerMillion: round((after.cpuSeconds - on.before.cpuSeconds) / millions),
    workerRssMb: workers.peakRssMb,
    coordinatorRssMb: leaders.peakRssMb,
    ...(await phases(on.product, run.name)),
    verified: (await verify(stack, run)) ? 'yes' : 'no',
  }
}

interface CheckpointJson {
  readonly state: string
  readonly sealMs?: string | number
  readonly decideMs?: string | number
  readonly commitMs?: string | number
}

async function phases(product: Product, name: string) {
  const text = await product.cli(['checkpoint', 'list', name, '-o', 'json'])
  const parsed = JSON.parse(text) as
    | { readonly checkpoints?: readonly CheckpointJson[] }
    | readonly CheckpointJson[]
  const all = 'length' in parsed ? parsed : (parsed.checkpoints ?? [])
  if (process.env['ONCEFLOW_BENCH_TRACE'] !== undefined) say(JSON.stringify(all))
  const done = all.filter((one) => /COMPLETED/.test(one.state))
  const median = (pick: (one: CheckpointJson) => string | number | undefined) =>
    Math.round(
      quantile(
        done.map((one) => Number(pick(one) ?? 0)),
        0.5,
      ),
    )
  return {
    checkpoints: done.length,
    sealMs: median((one) => one.sealMs),
    decideMs: median((one) => one.decideMs),
    commitMs: median((one) => one.commitMs),
  }
}

const round = (value: number): number => Math.round(value * 10) / 10

/** The generator's digest: md5 over the md5 of every row's canonical text, in key order. */
async function verify(
  stack: Stack,
  expected: { readonly rows: number; readonly md5: string },
): Promise<boolean> {
  const micros = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint`
  const text = await stack.sql(
    `SELECT count(*), md5(string_agg(md5(concat_ws(chr(1), id, customer_id, status, amount, note,
       email, version, attributes::text, ${micros('created_at')}, ${micros('updated_at')})), ''
       ORDER BY id)) FROM orders`,
  )
  return text.trim() === `${expected.rows}|${expected.md5}`
}

/** A1, the copy-limit: the final rows by COPY into an empty table with a primary key. */
async function plainCopy(stack: Stack): Promise<number> {
  await stack.sql('DROP TABLE IF EXISTS orders_copy')
  await stack.sql(ordersTable.replace('orders', 'orders_copy'))
  // The server writes it and reads it, as the user it runs as.
  const file = join(tmpdir(), `onceflow-bench-copy-${process.pid}.bin`)
  await stack.sql(`COPY orders TO '${file}' WITH (FORMAT binary)`)
  const rows = Number(await stack.sql('SELECT count(*) FROM orders'))
  const startMs = performance.now()
  await stack.sql(`COPY orders_copy FROM '${file}' WITH (FORMAT binary)`)
  const seconds = (performance.now() - startMs) / 1_000
  await stack.sql('DROP TABLE orders_copy')
  await rm(file, { force: true })
  return Math.round(rows / seconds)
}
