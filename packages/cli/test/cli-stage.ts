import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExitCode, runCli, type Terminal } from '@onceflow/cli'
import { attempt, checkpointNumber, pipelineName, sinkName } from '@onceflow/model'
import type { PipelineView } from '@onceflow/ports'
import { RpcServer } from '@onceflow/rpc'
import { MemoryAdmin, RecordingJournal } from '@onceflow/twins'

/** What a command line gave. */
export interface Ran {
  readonly code: ExitCode
  readonly data: string
  readonly notes: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly isTty?: 'yes' | 'no'
  /** What the person types when asked. */
  readonly typed?: string
  /** Called before each wait; 'stop' is Ctrl-C. */
  readonly onWait?: (count: number) => 'stop' | undefined
}

/** The moment at which every test looks at ages. */
export const nowMs = Date.UTC(2026, 0, 31, 12)

export const shop = pipelineName('shop')

export const spec = (name = 'shop') => `
name: ${name}
source: {kind: kafka, brokers: [localhost:9092], topics: [t]}
sinks: [{kind: postgres, name: main, host: h, database: d, user: u, password: canary-secret}]
`

export const running: Partial<PipelineView> = {
  state: 'running',
  tasks: 4,
  attempt: attempt(3n),
  flow: { recordsPerSecond: 12_345.6, rowsPerSecond: 12_000, lagRecords: 1234, freshnessMs: 180 },
  lastCheckpoint: {
    checkpoint: checkpointNumber(41n),
    decidedMs: nowMs - 250,
    durationMs: 40,
  },
  claims: [{ sink: sinkName('main'), guarantee: 'exactly-once', reason: 'two-phase commit' }],
}

/** A cluster in memory behind a real server, and a command line that asks it. */
export class CliStage {
  readonly admin = new MemoryAdmin()
  readonly #server: RpcServer
  readonly #folder = mkdtempSync(join(tmpdir(), 'onceflow-cli-'))

  private constructor() {
    this.#server = new RpcServer({
      listen: '127.0.0.1:0',
      advertise: undefined,
      insecureBind: 'no',
      admin: this.admin,
      clock: {
        monotonicMs: () => performance.now(),
        wallMs: () => Date.now(),
        after: (delayMs, callback) => {
          const timer = setTimeout(callback, delayMs)
          return { cancel: () => clearTimeout(timer) }
        },
      },
      journal: new RecordingJournal(),
      limits: { shutdownMs: 100 },
    })
  }

  static async open(): Promise<CliStage> {
    const stage = new CliStage()
    await stage.#server.start()
    stage.#server.gate.accept()
    stage.admin.leaderAddress = stage.#server.address
    return stage
  }

  get address(): string {
    return this.#server.address
  }

  async close(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true })
    await this.#server.stop()
  }

  /** The path of a file with this text. */
  file(text: string, name = 'pipeline.yaml'): string {
    const path = join(this.#folder, name)
    writeFileSync(path, text)
    return path
  }

  /** Applies the pipeline shop, and shows it as the cluster would after the change. */
  async applied(change: Partial<PipelineView> = {}): Promise<void> {
    const ran = await this.run(['apply', '-f', this.file(spec()), '--no-wait'])
    if (ran.code !== 0) throw new Error(ran.notes)
    this.admin.show(shop, { createdMs: nowMs - 60_000, ...change })
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return runArgs(args, { ...options, env: { ONCEFLOW_ADDRESS: this.address, ...options.env } })
  }
}

export async function runArgs(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const data: string[] = []
  const notes: string[] = []
  const stop = Promise.withResolvers<void>()
  let waits = 0
  const terminal: Terminal = {
    env: options.env ?? {},
    isTty: options.isTty ?? 'no',
    data: (text) => data.push(text),
    note: (text) => notes.push(text),
    ask: async () => options.typed ?? '',
    stopped: () => stop.promise,
    wait: async () => {
      waits += 1
      if (options.onWait?.(waits) === 'stop') stop.resolve()
      await new Promise((resolve) => setTimeout(resolve, 5))
    },
    nowMs: () => nowMs,
  }
  const code = await runCli(args, terminal)
  return { code, data: data.join('\n'), notes: notes.join('\n') }
}
