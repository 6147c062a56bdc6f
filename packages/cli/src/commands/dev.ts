import type { Json } from '@onceflow/model'
import type { RunningDev } from 'onceflow'
import type { Terminal } from '../terminal.ts'
import { apply } from './apply.ts'
import { configOf, type ProcessOptions, runtimeOf, runUntilStopped } from './process.ts'

export interface DevOptions extends ProcessOptions {
  /** Pipelines to apply once it runs. */
  readonly file: readonly string[]
  /** false: --no-pipeline. */
  readonly pipeline: boolean
}

/** Everything in one process: for trying out, for tests, for laptops. Never for data that matters. */
export const dev = (terminal: Terminal, options: DevOptions): Promise<void> =>
  runUntilStopped(terminal, async () => {
    const config = await configOf('dev', terminal, options)
    const { startDev } = await import('onceflow')
    const running = await startDev(config, runtimeOf(terminal))
    if (options.file.length > 0) {
      await apply(terminal, {
        address: running.address,
        output: 'table',
        file: options.file,
        wait: false,
        timeout: 0,
      })
    } else if (options.pipeline) await applyOwn(terminal, running)
    greet(terminal, running)
    return running
  })

const pipelineName = 'dev'

/** Reads every topic that appears in the file log, and creates the tables it needs. */
async function applyOwn(terminal: Terminal, running: RunningDev): Promise<void> {
  const { AdminClient, structToWire } = await import('@onceflow/rpc')
  const client = new AdminClient({ addresses: [running.address], clock: clockOf(terminal) })
  try {
    const spec = structToWire(ownSpec(running))
    await client.call('UpdatePipeline', { pipeline: { spec }, allowMissing: true })
  } finally {
    client.close()
  }
}

function ownSpec(running: RunningDev): { readonly [key: string]: Json } {
  const { host, port, database, user, password } = running.database
  return {
    name: pipelineName,
    source: { kind: 'file', directory: running.logDirectory, topic_pattern: '.+' },
    sinks: [
      {
        kind: 'postgres',
        name: 'postgres',
        host,
        port,
        database,
        user,
        ...(password === '' ? {} : { password }),
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

// The database is the user's own, on loopback, and was made for this: its password is shown so that
// a person can look inside. One given with --postgres-url is not.
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
    '',
    'Ctrl-C stops it.',
  ]
  terminal.note(lines.join('\n'))
}
