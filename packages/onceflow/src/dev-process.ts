import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SqliteMetadata, startEmbeddedPostgres } from '@onceflow/embedded'
import { fail } from '@onceflow/model'
import type { DevConfig } from '@onceflow/spec'
import { runCoordinator } from './coordinator-process.ts'
import type { ProcessRuntime, RunningProcess } from './process-options.ts'
import { type ProcessParts, processParts } from './process-parts.ts'
import { systemClock } from './system-clock.ts'
import { runWorker } from './worker-process.ts'

/** Where a pipeline of `onceflow dev` finds its log and its database. */
export interface RunningDev extends RunningProcess {
  /** Folder of the file log: Debezium JSON lines, one file or more. */
  readonly logDirectory: string
  readonly database: DevDatabase
}

export interface DevDatabase {
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password: string
}

/**
 * One process with a coordinator, workers, a file log, SQLite for decisions and a PostgreSQL of its
 * own: no Java, no etcd, nothing to install. Not for production: one process, one disk, no standby.
 * Where everything is stands in `dev.json` of its folder.
 */
export async function startDev(config: DevConfig, runtime: ProcessRuntime): Promise<RunningDev> {
  const parts = processParts(runtime, config.logLevel, { role: 'dev' })
  parts.journal.write('warn', 'onceflow dev: one process on one disk, NOT for production')
  const opened: (() => Promise<void>)[] = []
  try {
    const facts = await openDev(config, parts, opened)
    return { ...facts, stop: () => closeAll(opened) }
  } catch (error) {
    // Above all the database: it is a process of its own, and would outlive this one.
    await closeAll(opened)
    throw error
  }
}

/** Newest first, each once. */
async function closeAll(opened: (() => Promise<void>)[]): Promise<void> {
  for (let close = opened.pop(); close !== undefined; close = opened.pop()) await close()
}

async function openDev(
  config: DevConfig,
  parts: ProcessParts,
  opened: (() => Promise<void>)[],
): Promise<Omit<RunningDev, 'stop'>> {
  const logDirectory = join(config.directory, 'log')
  mkdirSync(logDirectory, { recursive: true })
  // First of all, since it locks the folder: a second start must not touch the first database.
  const metadata = SqliteMetadata.open({
    clock: systemClock,
    file: join(config.directory, 'decisions.sqlite'),
  })
  opened.push(() => metadata.close())
  const server = await databaseOf(config, parts)
  opened.push(() => server.stop())
  const coordinator = await runCoordinator(
    { ...config, node: 'dev', advertise: undefined, leaseTtlMs: 5_000 },
    metadata.connect(),
    parts,
  )
  opened.push(() => coordinator.stop())
  for (let index = 0; index < config.workers; index += 1) {
    const worker = await runWorker(workerOptions(config, index, coordinator.address), parts)
    opened.push(() => worker.stop())
  }
  const facts = { address: coordinator.address, logDirectory, database: server.database }
  writeFileSync(join(config.directory, 'dev.json'), JSON.stringify(facts, null, 2), { mode: 0o600 })
  return { ...facts, metricsPort: coordinator.metricsPort }
}

const workerOptions = (config: DevConfig, index: number, coordinator: string) => ({
  ...config,
  metricsListen: undefined,
  worker: `dev-${index}`,
  coordinators: [coordinator],
  tasksMax: 16,
  drainTimeoutMs: 10_000,
})

async function databaseOf(
  config: DevConfig,
  parts: ProcessParts,
): Promise<{ readonly database: DevDatabase; stop(): Promise<void> }> {
  if (config.postgresUrl !== undefined) {
    const url = urlOf(parts.secrets.resolve(config.postgresUrl))
    const database: DevDatabase = {
      host: url.hostname,
      port: Number(url.port === '' ? '5432' : url.port),
      database: decodeURIComponent(url.pathname.slice(1)),
      user: decodeURIComponent(url.username),
      // Known as a secret of its own too, so that the journal keeps it out.
      password: parts.secrets.resolve({
        kind: 'inline',
        value: decodeURIComponent(url.password),
      }),
    }
    return { database, stop: async () => undefined }
  }
  const server = await startEmbeddedPostgres({ directory: join(config.directory, 'postgres') })
  const { host, port, database, user, password } = server
  return { database: { host, port, database, user, password }, stop: () => server.stop() }
}

/** The URL holds a password, so the complaint does not repeat it. */
function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && /^postgres(?:ql)?:$/.test(url.protocol) && url.pathname.length > 1) {
    return url
  }
  const detail = 'postgres.url is no URL of a database'
  return fail('CONFIG_INVALID', { detail, hint: 'write postgres://user:password@host:5432/name' })
}
