import { Product, pipelineYaml } from '../cluster.d/product.ts'
import { sleep, until } from '../cluster.d/shell.ts'
import type { Stack } from '../cluster.d/stack.ts'
import { quantile } from './figures.ts'
import { quietStack, say } from './quiet-stack.ts'
import { ordersTable } from './w1.ts'

export interface RecoveryOptions {
  readonly tries: number
  readonly rate: number
}

type Victim = 'worker' | 'leader'

/** SIGKILL of a worker and of the leader under load: time until a new ledger row is committed. */
export async function recovery(options: RecoveryOptions): Promise<object> {
  const stack = await quietStack()
  const product = new Product(stack)
  try {
    await stack.createTopic('recovery', 4)
    await stack.sql(ordersTable)
    await product.coordinator('c1')
    await product.coordinator('c2')
    await product.worker('w1')
    await product.worker('w2')
    await product.apply('recovery', yaml(stack))
    const seconds = options.tries * 2 * 25
    const events = options.rate * seconds
    const load = stack.generate([
      ...['--events', String(events), '--topic', 'recovery'],
      ...['--rate', String(options.rate), '--inserts-only'],
    ])
    load.catch(() => undefined)
    await until('the first commit', 60_000, () => newest(stack, 0n))
    const worker = await tries(stack, product, { victim: 'worker', count: options.tries })
    const leader = await tries(stack, product, { victim: 'leader', count: options.tries })
    return { workload: 'R', rate: options.rate, worker, leader }
  } finally {
    await product.stop()
    await stack.down()
  }
}

const yaml = (stack: Stack): string =>
  pipelineYaml(stack, {
    name: 'recovery',
    topic: 'recovery',
    interval: '250ms',
    parallelism: undefined,
    start: 'earliest',
  })

async function newest(stack: Stack, above: bigint): Promise<bigint | undefined> {
  const text = await stack
    .sql('SELECT coalesce(max(checkpoint), 0) FROM onceflow.ledger')
    .catch(() => '0')
  const value = BigInt(text.trim() === '' ? '0' : text.trim())
  return value > above ? value : undefined
}

async function tries(
  stack: Stack,
  product: Product,
  on: { readonly victim: Victim; readonly count: number },
): Promise<object> {
  const times: number[] = []
  for (let index = 0; index < on.count; index += 1) {
    await sleep(2_000 + Math.random() * 1_000)
    const name = on.victim === 'worker' ? (index % 2 === 0 ? 'w1' : 'w2') : await leaderOf(product)
    const before = (await newest(stack, -1n)) ?? 0n
    const startMs = performance.now()
    product.kill(name)
    // A checkpoint that was already decided may still become visible: it is not a recovery yet.
    await sleep(300)
    const seen = (await newest(stack, -1n)) ?? before
    await until('a commit after the kill', 60_000, () => newest(stack, seen))
    times.push(performance.now() - startMs)
    say(`${on.victim} ${name}: ${Math.round(times.at(-1) ?? 0)} ms`)
    if (on.victim === 'worker') await product.worker(name)
    else await product.coordinator(name)
    await sleep(3_000)
  }
  const at = (share: number) => Math.round(quantile(times, share))
  return { tries: times.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) }
}

async function leaderOf(product: Product): Promise<string> {
  const text = await product.cli(['cluster', 'status', '-o', 'json'])
  const status = JSON.parse(text) as { readonly leader: { readonly id: string } }
  return status.leader.id
}
