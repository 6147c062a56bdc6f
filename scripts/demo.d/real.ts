import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Product } from '../cluster.d/product.ts'
import { sleep, until } from '../cluster.d/shell.ts'
import { type Stack, startStack } from '../cluster.d/stack.ts'
import { say, title } from './screen.ts'
import { Workload } from './workload.ts'

const tables = ['accounts', 'transfers', 'orders', 'order_lines']

export interface DemoOptions {
  readonly seconds: number
  readonly transactionsPerSecond: number
  readonly keep: boolean
}

/** The demo on real Kafka, Debezium, PostgreSQL and etcd; the audit's verdict. */
export async function realDemo(options: DemoOptions): Promise<'clean' | 'violations'> {
  title('A stack: Kafka, Debezium, two PostgreSQL servers, etcd')
  say('fetching what is missing and starting (the first time this downloads about 90 MB)')
  const stack = await startStack({
    only: 'kafka,etcd,source,target,connect',
    dir: undefined,
    targetSettings: ['track_commit_timestamp = on'],
    env: process.env,
  })
  const product = new Product(stack)
  try {
    await prepareSource(stack)
    const verdict = await story(stack, product, options)
    if (options.keep) await stay(stack, product)
    return verdict
  } finally {
    title('Leaving')
    say('stopping everything')
    await product.stop()
    await stack.down()
  }
}

async function prepareSource(stack: Stack): Promise<void> {
  const schema = await readFile(join(import.meta.dirname, 'schema.sql'), 'utf8')
  await stack.psql('source', schema)
  say('source database has accounts, transfers, orders, order_lines; starting Debezium on it')
  const list = tables.map((table) => `public\\.${table}`).join(',')
  await stack.command([
    ...['connector', 'create', 'demo', '--tables', list, '--partitions', '4'],
    ...['--schemas', 'on', '--streaming'],
    // How long Debezium gathers changes; its default of half a second would hide our own latency.
    ...['--set', 'poll.interval.ms=20'],
  ])
  say('Debezium has taken its snapshot and streams')
}

async function story(
  stack: Stack,
  product: Product,
  options: DemoOptions,
): Promise<'clean' | 'violations'> {
  title('onceflow: two coordinators, two workers, one pipeline')
  await product.coordinator('c1')
  await product.coordinator('c2')
  await product.worker('w1')
  await product.worker('w2')
  await product.apply('demo', yaml(stack))
  say('pipeline applied; waiting until its first rows are in the target')
  await until('rows in the target', 90_000, async () =>
    (await targetCount(stack, 'accounts')) >= 500 ? true : undefined,
  )
  const load = new Workload(stack.dir, options.transactionsPerSecond)
  title(`Live workload: ${options.transactionsPerSecond} transactions a second`)
  await drama(stack, product, options.seconds * 1_000)
  await load.stop()
  say(`workload over: ${load.transactions} transactions; waiting until all of it has arrived`)
  await until('the target to have everything', 120_000, () => settled(stack))
  return ending(stack, product)
}

/** Kills at random moments while data flows; every line tells what the target has. */
async function drama(stack: Stack, product: Product, lengthMs: number): Promise<void> {
  const endMs = performance.now() + lengthMs
  const at = (share: number) => performance.now() + lengthMs * (share + Math.random() * 0.08)
  const acts: { readonly atMs: number; readonly play: () => Promise<void> }[] = [
    { atMs: at(0.15), play: () => killWorker(product) },
    { atMs: at(0.4), play: () => killLeader(product) },
    { atMs: at(0.65), play: () => addWorker(product) },
    { atMs: at(0.8), play: () => killWorker(product) },
  ]
  while (performance.now() < endMs) {
    const act = acts[0]
    if (act !== undefined && performance.now() >= act.atMs) {
      acts.shift()
      await act.play()
    }
    say(await progress(stack, product))
    await sleep(1_000)
  }
}

async function killWorker(product: Product): Promise<void> {
  const name = Math.random() < 0.5 ? 'w1' : 'w2'
  say(`*** SIGKILL of worker ${name}`)
  product.kill(name)
  await sleep(500)
  await product.worker(name)
}

async function killLeader(product: Product): Promise<void> {
  const name = await leaderOf(product)
  say(`*** SIGKILL of the leader, coordinator ${name}`)
  product.kill(name)
  await sleep(500)
  await product.coordinator(name)
}

async function addWorker(product: Product): Promise<void> {
  say('*** a third worker joins')
  await product.worker('w3')
}

async function leaderOf(product: Product): Promise<string> {
  return until('a leader', 30_000, async () => {
    const text = await product.cli(['cluster', 'status', '-o', 'json']).catch(() => undefined)
    if (text === undefined) return undefined
    return (JSON.parse(text) as { readonly leader: { readonly id: string } }).leader.id
  })
}

async function progress(stack: Stack, product: Product): Promise<string> {
  const counts = await stack
    .sql(
      `SELECT (SELECT max(checkpoint) FROM onceflow.ledger),
         (SELECT max(attempt) FROM onceflow.fence)`,
    )
    .catch(() => '|')
  const [checkpoint, attempt] = counts.trim().split('|')
  const state = await pipelineState(product)
  const rows: string[] = []
  for (const table of tables) rows.push(`${table} ${await targetCount(stack, table)}`)
  const line = `${state.padEnd(8)} checkpoint ${checkpoint}  attempt ${attempt}  rows: `
  return line + rows.join('  ')
}

async function pipelineState(product: Product): Promise<string> {
  const text = await product.cli(['pipeline', 'get', 'demo', '-o', 'json']).catch(() => undefined)
  if (text === undefined) return 'no leader'
  const { state } = JSON.parse(text) as { readonly state: string }
  return state.replace(/^.*STATE_/, '').toLowerCase()
}

const targetCount = async (stack: Stack, table: string): Promise<number> =>
  Number(await stack.sql(`SELECT count(*) FROM ${table}`).catch(() => '0'))

/** At rest: every table has as many rows as at the source, and the newest change of each. */
async function settled(stack: Stack): Promise<true | undefined> {
  for (const table of tables) {
    const text = `SELECT count(*), max(changed_at) FROM ${table}`
    const source = await stack.psql('source', text)
    const target = await stack.sql(text).catch(() => '')
    if (source !== target) return undefined
  }
  return true
}

async function ending(stack: Stack, product: Product): Promise<'clean' | 'violations'> {
  title('The audit: every row of the target against the topics, and against the source itself')
  const source = stack.facts.get('SOURCE_URL') ?? ''
  let verdict: 'clean' | 'violations' = 'clean'
  try {
    process.stdout.write(
      await product.cli(['audit', 'demo', '--exclusive', '--source-url', source]),
    )
  } catch (error) {
    verdict = 'violations'
    process.stdout.write(`${String(error)}\n`)
  }
  title('Latency: from the change at the source to the commit in the target')
  const text = await stack.sql(
    `SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)),
            round(percentile_cont(0.99) WITHIN GROUP (ORDER BY ms)), round(max(ms)), count(*)
       FROM (SELECT extract(epoch FROM pg_xact_commit_timestamp(xmin) - changed_at) * 1000 AS ms
               FROM transfers) t`,
  )
  const [p50, p99, max, rows] = text.trim().split('|')
  say(`${rows} transfers: p50 ${p50} ms, p99 ${p99} ms, longest ${max} ms`)
  say('(Debezium and Kafka included; the longest ones waited for the kills above)')
  return verdict
}

async function stay(stack: Stack, product: Product): Promise<void> {
  title('Kept up for play: Ctrl-C ends it')
  say(`export ONCEFLOW_ADDRESS=${product.addresses()}; scripts/onceflow status`)
  say(`scripts/stack psql --dir ${stack.dir} target`)
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
}

const yaml = (stack: Stack): string => `version: 1
name: demo
source:
  kind: kafka
  brokers: [${stack.brokers}]
  topic_pattern: demo\\.public\\..*
sinks:
  - kind: postgres
    name: target
    host: ${stack.target.host}
    port: ${stack.target.port}
    database: target
    user: ${stack.target.user}
    sslmode: disable
checkpoint:
  interval: 250ms
`
