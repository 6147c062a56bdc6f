import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root, run } from './shell.ts'

/** Which services a stack has, and whether the target is tuned for measuring. */
export interface StackOptions {
  readonly only: string
  /** Where it lies; undefined: a folder of its own that is deleted in the end. */
  readonly dir: string | undefined
  /** Settings of the target, such as `track_commit_timestamp = on`. */
  readonly targetSettings: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** A stack of its own: broker, decision store and databases. */
export interface Stack {
  readonly dir: string
  readonly brokers: string
  readonly etcd: string
  readonly target: { readonly host: string; readonly port: number; readonly user: string }
  /** What `scripts/stack status --env` tells. */
  readonly facts: ReadonlyMap<string, string>
  /** A query on the target; the answer without decoration. */
  sql(text: string): Promise<string>
  psql(database: 'source' | 'target', text: string): Promise<string>
  /** Any other command of scripts/stack. */
  command(words: readonly string[]): Promise<string>
  /** Runs the event generator against a topic; the figures it printed. */
  generate(words: readonly string[]): Promise<ReadonlyMap<string, string>>
  createTopic(topic: string, partitions: number): Promise<void>
  /** Process ids of a service and all its children. */
  pids(service: 'target' | 'kafka-1' | 'etcd-1'): Promise<readonly number[]>
  down(): Promise<void>
}

const command = join(root, 'scripts', 'stack')

export async function startStack(options: StackOptions): Promise<Stack> {
  const temporary = options.dir === undefined
  const dir = options.dir ?? join(await mkdtemp(join(tmpdir(), 'onceflow-')), 'stack')
  const base = 20_000 + Math.floor(Math.random() * 400) * 24
  const { only, env } = options
  await run(command, ['up', '--dir', dir, '--port-base', String(base), '--only', only], env)
  const facts = parseFacts(await run(command, ['status', '--dir', dir, '--env']))
  const url = new URL(need(facts, 'TARGET_URL'))
  const brokers = need(facts, 'KAFKA_BROKERS')
  const psql = (database: 'source' | 'target', text: string) =>
    run(command, ['psql', '--dir', dir, database, '-qtA', '-v', 'ON_ERROR_STOP=1', '-c', text])
  for (const setting of options.targetSettings) await psql('target', `ALTER SYSTEM SET ${setting}`)
  if (options.targetSettings.length > 0) {
    await run(command, ['stop', '--dir', dir, 'target'])
    await run(command, ['start', '--dir', dir, 'target'])
  }
  return {
    dir,
    brokers,
    facts,
    etcd: need(facts, 'ETCD_ENDPOINTS'),
    target: { host: url.hostname, port: Number(url.port), user: url.username },
    sql: (text) => psql('target', text),
    psql,
    command: (words) => run(command, [words[0] ?? '', '--dir', dir, ...words.slice(1)]),
    generate: (words) => generate(facts, ['--bootstrap', brokers, ...words]),
    createTopic: async (topic, partitions) => {
      const words = ['--bootstrap-server', brokers, '--create', '--topic', topic]
      const tool = 'org.apache.kafka.tools.TopicCommand'
      const count = ['--partitions', String(partitions), '--replication-factor', '1']
      await run(command, ['tool', '--dir', dir, tool, ...words, ...count])
    },
    pids: (service) => pidsOf(dir, service),
    down: async () => {
      await run(command, [temporary ? 'wipe' : 'down', '--dir', dir])
      if (temporary) await rm(dirname(dir), { recursive: true, force: true })
    },
  }
}

async function generate(
  facts: ReadonlyMap<string, string>,
  words: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const out = await mkdtemp(join(tmpdir(), 'onceflow-gen-'))
  const classpath = need(facts, 'KAFKA_CLASSPATH')
  const source = join(root, 'scripts', 'bench.d', 'Gen.java')
  try {
    await run('java', ['-cp', classpath, source, '--out', out, '--name', 'gen', ...words])
    return parseFacts(await readFile(join(out, 'gen.env'), 'utf8'))
  } finally {
    await rm(out, { recursive: true, force: true })
  }
}

async function pidsOf(dir: string, service: string): Promise<readonly number[]> {
  const facts = parseFacts(await run(command, ['status', '--dir', dir, '--env']))
  const name = `${service.toUpperCase().replaceAll('-', '_')}_PID`
  const root_ = Number(need(facts, name))
  const table = await run('ps', ['-eo', 'pid=,ppid='])
  const children = new Map<number, number[]>()
  for (const line of table.trim().split('\n')) {
    const [pid = 0, parent = 0] = line.trim().split(/\s+/).map(Number)
    children.set(parent, [...(children.get(parent) ?? []), pid])
  }
  const found: number[] = []
  const visit = (pid: number): void => {
    found.push(pid)
    for (const child of children.get(pid) ?? []) visit(child)
  }
  visit(root_)
  return found
}

function parseFacts(text: string): ReadonlyMap<string, string> {
  const pairs = text
    .split('\n')
    .map((line) => /^(?:export )?([A-Z0-9_]+)=(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map((match): [string, string] => [match[1] ?? '', unquoted(match[2] ?? '')])
  return new Map(pairs)
}

/** Values are quoted for a shell. */
const unquoted = (text: string): string =>
  text.replace(/^(['"])(.*)\1$/, '$2').replaceAll(/\\(.)/g, '$1')

function need(facts: ReadonlyMap<string, string>, name: string): string {
  const value = facts.get(name)
  if (value === undefined) throw new Error(`scripts/stack status does not tell ${name}`)
  return value
}
