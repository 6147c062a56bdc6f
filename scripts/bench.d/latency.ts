import { Product, pipelineYaml } from '../cluster.d/product.ts'
import { sleep, until } from '../cluster.d/shell.ts'
import { quantile } from './figures.ts'
import { quietStack, say } from './quiet-stack.ts'
import { ordersTable } from './w1.ts'

export interface LatencyOptions {
  readonly rate: number
  readonly seconds: number
  readonly intervals: readonly string[]
}

/**
 * Workload L: inserts at a steady rate; latency is the commit time in PostgreSQL minus the time at
 * which the event was produced, which each row carries. The first ten seconds are left out.
 */
export async function latency(options: LatencyOptions): Promise<object> {
  const stack = await quietStack()
  try {
    const figures: object[] = []
    for (const interval of options.intervals) {
      const topic = `latency-${interval}`
      await stack.createTopic(topic, 4)
      await stack.sql('DROP TABLE IF EXISTS orders')
      await stack.sql(ordersTable)
      const product = new Product(stack)
      try {
        await product.coordinator('c1')
        await product.worker('w1')
        const name = `latency-${interval}`
        await product.apply(
          name,
          pipelineYaml(stack, { name, topic, interval, parallelism: undefined, start: 'earliest' }),
        )
        await until('the fence', 60_000, async () =>
          Number(await stack.sql('SELECT count(*) FROM onceflow.fence').catch(() => '0')) > 0
            ? true
            : undefined,
        )
        await sleep(2_000)
        const events = options.rate * options.seconds
        say(`${interval}: ${options.rate} events/s for ${options.seconds} s`)
        const rate = ['--rate', String(options.rate), '--ts', '--inserts-only']
        await stack.generate(['--events', String(events), '--topic', topic, ...rate])
        await until('all rows', 60_000, async () =>
          Number(await stack.sql('SELECT count(*) FROM orders')) >= events ? true : undefined,
        )
        const text = await stack.sql(
          `SELECT round(extract(epoch from pg_xact_commit_timestamp(xmin) - updated_at) * 1000, 1)
             FROM orders WHERE id > ${options.rate * 10} ORDER BY id`,
        )
        const values = text.trim().split('\n').map(Number)
        const at = (share: number) => Math.round(quantile(values, share))
        const figure = {
          interval,
          rate: options.rate,
          rows: values.length,
          p50Ms: at(0.5),
          p90Ms: at(0.9),
          p99Ms: at(0.99),
          maxMs: at(1),
        }
        say(JSON.stringify(figure))
        figures.push(figure)
      } finally {
        await product.stop()
        await stack.sql('DROP SCHEMA IF EXISTS onceflow CASCADE')
      }
    }
    return { workload: 'L', figures }
  } finally {
    await stack.down()
  }
}
