import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root, run } from '../cluster.d/shell.ts'
import { embeddedDemo } from './embedded.ts'
import { realDemo } from './real.ts'
import { say, title } from './screen.ts'

const usage = `use: scripts/demo [--keep] [--embedded] [--seconds N] [--rate N]

Real change events of a real database arrive exactly once in another while processes die.
  --keep       stay up afterwards, for play
  --embedded   without Kafka, Debezium and etcd (also taken when they cannot be had here)
  --seconds N  length of the live part (60)
  --rate N     transactions a second at the source (100)
`

const { values } = parseArgs({
  options: {
    keep: { type: 'boolean', default: false },
    embedded: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '60' },
    rate: { type: 'string', default: '100' },
    help: { type: 'boolean', default: false },
  },
})

async function canHaveStack(): Promise<boolean> {
  try {
    await run(join(root, 'scripts', 'stack'), ['fetch'])
    return true
  } catch (error) {
    say(`Kafka, Debezium or etcd cannot be had here: ${String(error).slice(0, 300)}`)
    return false
  }
}

async function main(): Promise<void> {
  const options = {
    keep: values.keep,
    seconds: Number(values.seconds),
    transactionsPerSecond: Number(values.rate),
  }
  title('onceflow demo')
  const real = !values.embedded && (await canHaveStack())
  if (!real) say('using the embedded default: one process, a file log, SQLite, PostgreSQL from npm')
  const verdict = real ? await realDemo(options) : await embeddedDemo(options)
  title(
    verdict === 'clean'
      ? 'VERDICT: clean. Every change is there exactly once.'
      : 'VERDICT: violations',
  )
  process.exitCode = verdict === 'clean' ? 0 : 8
}

if (values.help) process.stdout.write(usage)
else await main()
