/** `onceflow dev` as a process of its own in a folder that outlives it. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { AdminClient, structToWire } from '@onceflow/rpc'
import { systemClock } from 'onceflow'
import { Client } from 'pg'

export interface DevFacts {
  readonly address: string
  readonly logDirectory: string
  readonly metricsPort: number | undefined
  readonly database: {
    readonly host: string
    readonly port: number
    readonly database: string
    readonly user: string
    readonly password: string
  }
}

/** Ten times what a loaded machine was seen to need. */
export const patienceMs = 90_000

export class DevChild {
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown>
  readonly #firstLine: Promise<string>
  log = ''

  constructor(directory: string, env: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(
      process.execPath,
      ['--conditions=source', join(import.meta.dirname, 'fixtures/dev-entry.ts')],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          ONCEFLOW_LISTEN: '127.0.0.1:0',
          ONCEFLOW_DIRECTORY: directory,
          ONCEFLOW_METRICS__LISTEN: '127.0.0.1:0',
          ...env,
        },
      },
    )
    this.#exited = once(this.#child, 'exit')
    this.#child.stderr?.on('data', (data: Buffer) => {
      this.log += data.toString()
    })
    this.#firstLine = new Promise((resolve, reject) => {
      const stdout = this.#child.stdout
      if (stdout !== null) createInterface(stdout).once('line', resolve)
      this.#child.once('exit', () => reject(new Error(`onceflow dev ended: ${this.log}`)))
    })
    this.#firstLine.catch(() => undefined)
  }

  /** What it says first: where everything is, or why it does not start. */
  async says(): Promise<unknown> {
    return JSON.parse(await this.#firstLine)
  }

  async facts(): Promise<DevFacts> {
    const said = (await this.says()) as DevFacts
    if (said.address === undefined) throw new Error(`did not start: ${JSON.stringify(said)}`)
    return said
  }

  /** The exit code; null after a signal. */
  async end(signal: 'SIGTERM' | 'SIGKILL' | 'none'): Promise<number | null> {
    if (signal !== 'none') this.#child.kill(signal)
    await this.#exited
    return this.#child.exitCode
  }
}

export const adminOf = ({ address }: Pick<DevFacts, 'address'>): AdminClient =>
  new AdminClient({ addresses: [address], clock: systemClock })

export async function queryIn(facts: DevFacts, sql: string): Promise<readonly unknown[]> {
  const client = new Client({ ...facts.database })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

/** Command lines of running processes that name the folder. */
export function processesOf(directory: string): readonly string[] {
  const { stdout } = spawnSync('ps', ['-eo', 'args='], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line.includes(directory))
}

/** Waits for a value that is not undefined; a failure on the way counts as not yet. */
export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  let last: unknown
  for (const deadline = performance.now() + patienceMs; performance.now() < deadline; ) {
    try {
      const found = await look()
      if (found !== undefined) return found
    } catch (error) {
      last = error
    }
    await sleep(50)
  }
  throw new Error(`${what}: not in ${patienceMs} ms`, { cause: last })
}

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

export async function applyShop(facts: DevFacts): Promise<void> {
  const client = adminOf(facts)
  try {
    const spec = structToWire({
      name: 'shop',
      source: { kind: 'file', directory: facts.logDirectory, topics: ['orders', 'ticks'] },
      sinks: [{ kind: 'postgres', name: 'main', ...facts.database, sslmode: 'disable' }],
      checkpoint: { interval: '100ms' },
      parallelism: 2,
    })
    await client.call('UpdatePipeline', { pipeline: { spec }, allowMissing: true })
  } finally {
    client.close()
  }
}
