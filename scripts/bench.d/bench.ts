import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root, run } from '../cluster.d/shell.ts'
import { latency } from './latency.ts'
import { recovery } from './recovery.ts'
import { w1 } from './w1.ts'

const usage = `use: scripts/bench WORKLOAD [OPTION...]

  w1         a backlog of events of one table, next to plain COPY in the same run
             --events N (1000000)  --workers 1,2  --interval 1s  --runs N (1)
  latency    inserts at a steady rate: time until a row is visible
             --rate N (2000)  --seconds N (40)  --intervals 250ms,...
  recovery   SIGKILL of a worker and of the leader under load
             --tries N (20)  --rate N (500)

The result is printed as JSON and appended to docs/reports/bench.jsonl with revision and date.
Run nothing beside it: it measures.
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    events: { type: 'string', default: '1000000' },
    workers: { type: 'string', default: '1,2' },
    interval: { type: 'string', default: '1s' },
    intervals: { type: 'string', default: '250ms' },
    runs: { type: 'string', default: '1' },
    rate: { type: 'string' },
    seconds: { type: 'string', default: '40' },
    tries: { type: 'string', default: '20' },
    help: { type: 'boolean', default: false },
  },
})

async function result(workload: string | undefined): Promise<object | undefined> {
  switch (workload) {
    case 'w1':
      return w1({
        events: Number(values.events),
        workers: values.workers.split(',').map(Number),
        interval: values.interval,
        runs: Number(values.runs),
      })
    case 'latency':
      return latency({
        rate: Number(values.rate ?? '2000'),
        seconds: Number(values.seconds),
        intervals: values.intervals.split(','),
      })
    case 'recovery':
      return recovery({ tries: Number(values.tries), rate: Number(values.rate ?? '500') })
    default:
      return undefined
  }
}

const figures = values.help ? undefined : await result(positionals[0])
if (figures === undefined) {
  process.stderr.write(usage)
  process.exitCode = values.help ? 0 : 2
} else {
  const revision = (await run('git', ['-C', root, 'rev-parse', '--short', 'HEAD'])).trim()
  const line = JSON.stringify({ at: new Date().toISOString(), revision, ...figures })
  await mkdir(join(root, 'docs', 'reports'), { recursive: true })
  await appendFile(join(root, 'docs', 'reports', 'bench.jsonl'), `${line}\n`)
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
}
