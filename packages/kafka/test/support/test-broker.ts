import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const script = join(import.meta.dirname, '..', '..', '..', '..', 'scripts', 'stack')

export interface BrokerOptions {
  readonly nodes?: 1 | 3
  /** Listeners with SASL and TLS beside the plain one. */
  readonly secure?: 'yes'
}

interface StackStatus {
  readonly kafkaBrokers: readonly string[]
  readonly kafkaSaslBrokers?: readonly string[]
  readonly kafkaSslBrokers?: readonly string[]
  readonly kafkaSaslSslBrokers?: readonly string[]
  readonly certificateAuthority?: string
}

/** Whether this machine can run Kafka at all (Java and its jars); said loudly when it cannot. */
export function kafkaIsThere(): boolean {
  const dir = join(tmpdir(), `onceflow-kafka-check-${process.pid}`)
  const { status, stderr } = spawnSync(script, ['check', '--dir', dir, '--only', 'kafka'])
  if (status === 3) console.warn(`SKIPPED, Kafka cannot be had here: ${String(stderr)}`)
  return status !== 3
}

/** Real brokers in a temporary folder, on ports of their own, made and ended by scripts/stack. */
export class TestBroker {
  readonly status: StackStatus
  private readonly folder: string

  private constructor(folder: string, status: StackStatus) {
    this.folder = folder
    this.status = status
  }

  static async start(options: BrokerOptions = {}): Promise<TestBroker> {
    const folder = await mkdtemp(join(tmpdir(), 'onceflow-kafka-'))
    const words = ['--only', 'kafka', '--kafka', String(options.nodes ?? 1)]
    if (options.secure === 'yes') words.push('--secure')
    // A port may be taken by somebody else: another base is tried then.
    for (let tries = 0; ; tries++) {
      const base = 20_000 + Math.floor(Math.random() * 250) * 24
      const ended = await run(folder, ['up', '--port-base', String(base), ...words])
      if (ended.code === 0) break
      if (ended.code !== 4 || tries > 8) throw new Error(`stack up: ${ended.messages}`)
    }
    const { output } = await run(folder, ['status', '--json'])
    return new TestBroker(folder, JSON.parse(output) as StackStatus)
  }

  get brokers(): readonly string[] {
    return this.status.kafkaBrokers
  }

  /** kill, start, freeze, thaw; for a service such as kafka-1. */
  async act(what: 'kill' | 'start' | 'stop' | 'freeze' | 'thaw', service: string): Promise<void> {
    const ended = await run(this.folder, [what, service])
    if (ended.code !== 0) throw new Error(`stack ${what} ${service}: ${ended.messages}`)
  }

  async stop(): Promise<void> {
    await run(this.folder, ['wipe'])
    await rm(this.folder, { recursive: true, force: true })
  }
}

function run(
  folder: string,
  words: readonly string[],
): Promise<{ code: number | null; output: string; messages: string }> {
  const [command = '', ...rest] = words
  return new Promise((resolve, reject) => {
    const child = spawn(script, [command, '--dir', join(folder, 'stack'), ...rest], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    let messages = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
    })
    child.stderr.on('data', (chunk: Buffer) => {
      messages += chunk.toString('utf8')
    })
    child.on('error', reject)
    child.on('close', (code) => {
      resolve({ code, output, messages })
    })
  })
}
