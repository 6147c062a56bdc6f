import { type ExitCode, runCli, type Terminal } from '@onceflow/cli'
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

/** A cluster in memory behind a real server, and a command line that asks it. */
export class CliStage {
  readonly admin = new MemoryAdmin()
  readonly #server: RpcServer

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

  close(): Promise<void> {
    return this.#server.stop()
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
