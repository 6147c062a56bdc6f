import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, run, sleep, until } from '../cluster.d/shell.ts'
import { say, title } from './screen.ts'

interface DevFacts {
  readonly address: string
  readonly logDirectory: string
  readonly database: {
    readonly host: string
    readonly port: number
    readonly database: string
    readonly user: string
    readonly password: string
  }
}

export interface EmbeddedOptions {
  readonly seconds: number
  readonly transactionsPerSecond: number
  readonly keep: boolean
}

/** The demo on `onceflow dev`: the events are generated here, the process is killed on the way. */
export async function embeddedDemo(options: EmbeddedOptions): Promise<'clean' | 'violations'> {
  const dir = mkdtempSync(join(tmpdir(), 'onceflow-dev-'))
  title('onceflow dev: one process, nothing to install')
  let dev = await startDev(dir)
  try {
    const facts = factsOf(dir)
    const events = new EventFile(facts.logDirectory)
    events.append(500)
    const file = join(dir, 'pipeline.yaml')
    writeFileSync(file, yaml(facts), { mode: 0o600 })
    const cli = (words: readonly string[]) =>
      run(join(root, 'scripts', 'onceflow'), words, {
        ...process.env,
        ONCEFLOW_ADDRESS: factsOf(dir).address,
      })
    await cli(['apply', '-f', file])
    say('pipeline applied; events flow, and the process is killed once')
    const steps = Math.min(options.seconds, 30)
    for (let step = 0; step < steps; step += 1) {
      events.append(options.transactionsPerSecond)
      await sleep(1_000)
      say(`${events.count} events written`)
      if (step !== Math.floor(steps / 2)) continue
      say('*** SIGKILL of the process')
      await killed(dev)
      dev = await startDev(dir)
    }
    await until('all events to be committed', 60_000, async () => {
      const text = await cli(['status', '-o', 'json']).catch(() => '{}')
      return /"lagRecords":\s*"?0"?/.test(text) ? true : undefined
    })
    await sleep(2_000)
    title('The audit')
    return await audit(cli, file)
  } finally {
    await stopped(dev)
    if (!options.keep) rmSync(dir, { recursive: true, force: true })
  }
}

async function audit(
  cli: (words: readonly string[]) => Promise<string>,
  file: string,
): Promise<'clean' | 'violations'> {
  try {
    process.stdout.write(await cli(['audit', 'demo', '-f', file, '--exclusive']))
    return 'clean'
  } catch (error) {
    process.stdout.write(`${String(error)}\n`)
    return 'violations'
  }
}

async function startDev(dir: string): Promise<ChildProcess> {
  rmSync(join(dir, 'dev.json'), { force: true })
  const words = ['dev', '--no-demo', '--directory', dir, '--listen', '127.0.0.1:0']
  const log = join(dir, 'dev.log')
  const child = spawn(join(root, 'scripts', 'onceflow'), words, {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stderr?.on('data', (chunk: Buffer) => appendFileSync(log, chunk))
  child.stdout?.on('data', (chunk: Buffer) => appendFileSync(log, chunk))
  await until('onceflow dev to be up', 60_000, async () => {
    if (child.exitCode !== null) throw new Error(readFileSync(log, 'utf8').slice(-2_000))
    try {
      return factsOf(dir)
    } catch {
      return undefined
    }
  })
  return child
}

const factsOf = (dir: string): DevFacts =>
  JSON.parse(readFileSync(join(dir, 'dev.json'), 'utf8')) as DevFacts

const killed = (child: ChildProcess): Promise<void> => end(child, 'SIGKILL')
const stopped = (child: ChildProcess): Promise<void> => end(child, 'SIGTERM')

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill(signal)
  })
}

/** Debezium events with schema of one table, as lines of the file log. */
class EventFile {
  readonly #file: string
  count = 0

  constructor(directory: string) {
    this.#file = join(directory, 'demo.public.items.jsonl')
  }

  append(events: number): void {
    const lines: string[] = []
    for (let index = 0; index < events; index += 1) lines.push(this.#line())
    appendFileSync(this.#file, `${lines.join('\n')}\n`)
  }

  #line(): string {
    const offset = this.count
    this.count += 1
    const id = 1 + (offset % 5_000)
    const row = { id, name: `item ${id}`, version: offset }
    const value = JSON.stringify({ schema, payload: envelope(row, offset) })
    const key = JSON.stringify({ schema: keySchema, payload: { id } })
    const record = { topic: 'demo.public.items', partition: 0, offset, timestamp: Date.now() }
    return JSON.stringify({ ...record, key, value, headers: [] })
  }
}

const fields = [
  { type: 'int64', optional: false, field: 'id' },
  { type: 'string', optional: true, field: 'name' },
  { type: 'int64', optional: true, field: 'version' },
]
const row = (field: string) => ({
  type: 'struct',
  optional: true,
  name: 'demo.Value',
  fields,
  field,
})
const keySchema = { type: 'struct', optional: false, name: 'demo.Key', fields: fields.slice(0, 1) }
const schema = {
  type: 'struct',
  optional: false,
  name: 'demo.public.items.Envelope',
  version: 2,
  fields: [
    row('before'),
    row('after'),
    {
      type: 'struct',
      optional: false,
      name: 'io.debezium.connector.postgresql.Source',
      field: 'source',
      fields: [
        { type: 'string', optional: false, field: 'connector' },
        { type: 'int64', optional: false, field: 'ts_ms' },
        { type: 'string', optional: false, field: 'db' },
        { type: 'string', optional: false, field: 'schema' },
        { type: 'string', optional: false, field: 'table' },
        { type: 'int64', optional: true, field: 'lsn' },
      ],
    },
    { type: 'string', optional: false, field: 'op' },
    { type: 'int64', optional: true, field: 'ts_ms' },
  ],
}

const envelope = (after: object, lsn: number) => ({
  before: null,
  after,
  source: {
    connector: 'postgresql',
    ts_ms: Date.now(),
    db: 'demo',
    schema: 'public',
    table: 'items',
    lsn: lsn + 1_000,
  },
  op: lsn < 5_000 ? 'c' : 'u',
  ts_ms: Date.now(),
})

const yaml = (facts: DevFacts): string => `version: 1
name: demo
source:
  kind: file
  directory: ${facts.logDirectory}
  topics: [demo.public.items]
sinks:
  - kind: postgres
    name: target
    host: ${facts.database.host}
    port: ${facts.database.port}
    database: ${facts.database.database}
    user: ${facts.database.user}
    password: ${facts.database.password}
    sslmode: disable
checkpoint:
  interval: 250ms
`
