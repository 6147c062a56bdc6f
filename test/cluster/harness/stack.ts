import { spawn, spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const script = join(import.meta.dirname, '..', '..', '..', 'scripts', 'stack')
const services = 'kafka,etcd,target'

export type ServiceName = 'kafka-1' | 'etcd-1' | 'target'

/** Exit code 3 means that this machine cannot have it; everything else is a fault to be seen. */
export function stackIsThere(): boolean {
  const { status, stderr } = spawnSync(script, ['check', '--only', services])
  if (status === 3) console.warn(`SKIPPED, the stack cannot be had here: ${String(stderr)}`)
  return status !== 3
}

/** Kafka, etcd and a target PostgreSQL in a temporary folder, on ports of their own. */
export class LocalStack {
  readonly folder: string
  readonly portBase: number

  private constructor(folder: string, portBase: number) {
    this.folder = folder
    this.portBase = portBase
  }

  static async start(): Promise<LocalStack> {
    const folder = await mkdtemp(join(tmpdir(), 'onceflow-cluster-'))
    // The user of PostgreSQL has to walk through it.
    await chmod(folder, 0o755)
    for (let tries = 0; ; tries += 1) {
      // Below the range that the system takes by itself; a port may be somebody else's.
      const base = 20_000 + Math.floor(Math.random() * 250) * 24
      const stack = new LocalStack(folder, base)
      const ended = await stack.#run('up', '--port-base', String(base), '--only', services)
      if (ended.code === 0) return stack
      if (ended.code !== 4 || tries > 8) throw new Error(`stack up: ${ended.output}`)
    }
  }

  get brokers(): readonly string[] {
    return [`127.0.0.1:${this.portBase}`]
  }

  get targetPort(): number {
    return this.portBase + 17
  }

  get etcdPort(): number {
    return this.portBase + 18
  }

  async act(
    what: 'kill' | 'start' | 'stop' | 'freeze' | 'thaw',
    service: ServiceName,
    ...words: readonly string[]
  ): Promise<void> {
    const ended = await this.#run(what, service, ...words)
    if (ended.code !== 0) throw new Error(`stack ${what} ${service}: ${ended.output}`)
  }

  async wipe(): Promise<void> {
    await this.#run('wipe')
    await rm(this.folder, { recursive: true, force: true })
  }

  #run(...words: readonly string[]): Promise<{ code: number | null; output: string }> {
    const [command = '', ...rest] = words
    return new Promise((resolve, reject) => {
      const child = spawn(script, [command, '--dir', join(this.folder, 'stack'), ...rest], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          output += chunk.toString('utf8')
        })
      }
      child.on('error', reject)
      child.on('close', (code) => resolve({ code, output }))
    })
  }
}
