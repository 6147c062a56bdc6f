import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SqliteMetadata, startEmbeddedPostgres } from '@onceflow/embedded'
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
  mkdirSync(config.directory, { recursive: true })
  const logDirectory = join(config.directory, 'log')
  mkdirSync(logDirectory, { recursive: true })
  const parts = processParts(runtime, config.logLevel, { role: 'dev' })
  parts.journal.write('warn', 'onceflow dev: one process on one disk, NOT for production')
  // First of all, since it locks the folder: a second start must not touch the first one's database.
  const metadata = SqliteMetadata.open({
    clock: systemClock,
    file: join(config.directory, 'decisions.sqlite'),
  })
  const server = await databaseOf(config, parts)
  const store = metadata.connect()
  const coordinator = await runCoordinator(
    { ...config, node: 'dev', advertise: undefined, leaseTtlMs: 5_000 },
    store,
    parts,
  )
  const workers = await Promise.all(
    Array.from({ length: config.workers }, (_item, index) =>
      runWorker(
        {
          ...config,
          metricsListen: undefined,
          worker: `dev-${index}`,
          coordinators: [coordinator.address],
          tasksMax: 16,
          drainTimeoutMs: 10_000,
        },
        parts,
      ),
    ),
  )
  const facts = { address: coordinator.address, logDirectory, database: server.database }
  writeFileSync(join(config.directory, 'dev.json'), JSON.stringify(facts, null, 2), { mode: 0o600 })
  return {
    ...facts,
    metricsPort: coordinator.metricsPort,
    stop: async () => {
      for (const worker of workers) await worker.stop()
      await coordinator.stop()
      await metadata.close()
      await server.stop()
    },
  }
}

async function databaseOf(
  config: DevConfig,
  parts: ProcessParts,
): Promise<{ readonly database: DevDatabase; stop(): Promise<void> }> {
  if (config.postgresUrl !== undefined) {
    const url = new URL(parts.secrets.resolve(config.postgresUrl))
    const database: DevDatabase = {
      host: url.hostname,
      port: Number(url.port === '' ? '5432' : url.port),
      database: decodeURIComponent(url.pathname.slice(1)),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
    }
    return { database, stop: async () => undefined }
  }
  const server = await startEmbeddedPostgres({ directory: join(config.directory, 'postgres') })
  const { host, port, database, user, password } = server
  return { database: { host, port, database, user, password }, stop: () => server.stop() }
}
