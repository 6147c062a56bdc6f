import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Json } from '@onceflow/model'
import type { RunningDev } from 'onceflow'
import type { Terminal } from '../terminal.ts'
import { apply } from './apply.ts'
import { type DemoWorkload, startDemo } from './demo-workload.ts'
import { configOf, type ProcessOptions, runtimeOf, runUntilStopped } from './process.ts'

export interface DevOptions extends ProcessOptions {
  /** Pipelines to apply once it runs. */
  readonly file: readonly string[]
  /** false: --no-demo. */
  readonly demo: boolean
}

/** Everything in one process: to try it out, for tests. Never for data that matters. */
export const dev = (terminal: Terminal, options: DevOptions): Promise<void> =>
  runUntilStopped(terminal, async () => {
    const config = await configOf('dev', terminal, options)
    const { startDev } = await import('onceflow')
    const running = await startDev(config, runtimeOf(terminal))
    if (options.file.length > 0) await applyFiles(terminal, options, running)
    const demo =
      options.file.length === 0 && options.demo ? await showDemo(terminal, running) : undefined
    greet(terminal, running)
    return {
      ...running,
      stop: async () => {
        demo?.stop()
        await running.stop()
      },
    }
  })

const applyFiles = (terminal: Terminal, options: DevOptions, running: RunningDev): Promise<void> =>
  apply(terminal, {
    address: running.address,
    output: 'table',
    file: options.file,
    wait: false,
    timeout: 0,
  })

/** A pipeline over the whole file log, which gets a workload of its own when it is empty. */
async function showDemo(
  terminal: Terminal,
  running: RunningDev,
): Promise<DemoWorkload | undefined> {
  const workload = await startDemo(running.logDirectory)
  await applyOwn(terminal, running)
  return workload
}

const pipelineName = 'dev'

/** Reads every topic that appears in the file log, and creates the tables it needs. */
async function applyOwn(terminal: Terminal, running: RunningDev): Promise<void> {
  const { AdminClient, structToWire } = await import('@onceflow/rpc')
  const client = new AdminClient({ addresses: [running.address], clock: clockOf(terminal) })
  try {
    const spec = structToWire(ownSpec(running, passwordFile(running)))
    await client.call('UpdatePipeline', { pipeline: { spec }, allowMissing: true })
  } finally {
    client.close()
  }
}

/** In a file beside the log, so that `audit` can read it as well: the API shows no secret. */
function passwordFile(running: RunningDev): string {
  const path = resolve(running.logDirectory, '../database-password')
  writeFileSync(path, running.database.password, { mode: 0o600 })
  return path
}

function ownSpec(running: RunningDev, passwordPath: string): { readonly [key: string]: Json } {
  const { host, port, database, user } = running.database
  return {
    name: pipelineName,
    source: { kind: 'file', directory: resolve(running.logDirectory), topic_pattern: '.+' },
    sinks: [
      {
        kind: 'postgres',
        name: 'postgres',
        host,
        port,
        database,
        user,
        password_file: passwordPath,
      },
    ],
  }
}

const clockOf = (terminal: Terminal) => ({
  monotonicMs: () => performance.now(),
  wallMs: () => terminal.nowMs(),
  after: (delayMs: number, callback: () => void) => {
    const timer = setTimeout(callback, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
})

function greet(terminal: Terminal, running: RunningDev): void {
  const { host, port, database, user } = running.database
  const lines = [
    '',
    'onceflow dev runs. It is NOT for production: one process, one disk, no standby, no fsync',
    'promises beyond this machine. Everything it keeps is in its directory.',
    '',
    `  API       ${running.address}      onceflow status --address ${running.address}`,
    `  log       ${running.logDirectory}      put files of Debezium JSON lines here`,
    `  database  postgres://${user}@${host}:${port}/${database}`,
    `            password in ${resolve(running.logDirectory, '../database-password')}`,
    '',
    'Ctrl-C stops it.',
  ]
  terminal.note(lines.join('\n'))
}
