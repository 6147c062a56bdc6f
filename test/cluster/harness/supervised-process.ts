import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep, until } from './timing.ts'

/** The command line that users run, from the sources. */
export const commandLine = join(
  import.meta.dirname,
  ...['..', '..', '..', 'packages', 'cli', 'src', 'main.ts'],
)
const restartAfterMs = 300

// Nothing outlives the test process, however it ends; a frozen child would do so for ever.
const living = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL')
})

export interface ProcessSetup {
  readonly name: string
  readonly role: 'coordinator' | 'worker'
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly atMs: number
}

/**
 * A real process of the product with its log in a file, and a supervisor: a process that ends
 * without having been asked to is started again after 300 ms, without its fail points.
 */
export class SupervisedProcess {
  readonly name: string
  readonly logFile: string
  readonly exits: Exit[] = []
  readonly #setup: ProcessSetup
  #child: ChildProcess | undefined
  #asked = false
  #restarts = true
  /** SIGKILLs of the present arming that nobody here has sent. */
  #selfKills = 0
  #killing = false

  constructor(setup: ProcessSetup) {
    this.name = setup.name
    this.#setup = setup
    this.logFile = join(setup.folder, `${setup.name}.log`)
  }

  get pid(): number {
    const pid = this.#child?.pid
    if (pid === undefined) throw new Error(`${this.name} does not run`)
    return pid
  }

  get runs(): boolean {
    return this.#child !== undefined
  }

  /** How often it has killed itself since it was last started with fail points. */
  get killedByItself(): number {
    return this.#selfKills
  }

  start(failPoints = ''): void {
    if (this.#child !== undefined) throw new Error(`${this.name} runs already`)
    if (failPoints !== '') this.#selfKills = 0
    this.#killing = false
    this.#asked = false
    this.#restarts = true
    const log = openSync(this.logFile, 'a')
    const child = spawn(
      process.execPath,
      [
        '--conditions=source',
        '--disable-warning=ExperimentalWarning',
        commandLine,
        this.#setup.role,
      ],
      {
        stdio: ['ignore', log, log],
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: process.env['HOME'] ?? '',
          NODE_COMPILE_CACHE: join(this.#setup.folder, 'compile-cache'),
          ...this.#setup.env,
          ONCEFLOW_FAILPOINTS: failPoints,
        },
      },
    )
    closeSync(log)
    this.#child = child
    living.add(child)
    child.on('exit', () => living.delete(child))
    child.on('exit', (code, signal) => this.#onExit({ code, signal, atMs: performance.now() }))
  }

  #onExit(exit: Exit): void {
    this.#child = undefined
    this.exits.push(exit)
    if (exit.signal === 'SIGKILL' && !this.#killing) this.#selfKills += 1
    if (this.#asked || !this.#restarts) return
    setTimeout(() => {
      if (this.#child === undefined && !this.#asked) this.start()
    }, restartAfterMs)
  }

  /** SIGKILL; the supervisor starts it again, unless told not to. */
  async kill(then: 'restart' | 'stay-down' = 'restart'): Promise<void> {
    this.#restarts = then === 'restart'
    this.#killing = true
    const seen = this.exits.length
    this.signal('SIGKILL')
    await until(`the end of ${this.name}`, 10_000, () => this.exits[seen])
  }

  /** SIGTERM, a clean stop; killed when it takes too long. */
  async stop(withinMs = 30_000): Promise<Exit | undefined> {
    this.#asked = true
    if (this.#child === undefined) return undefined
    const seen = this.exits.length
    this.signal('SIGTERM')
    // A stopped process does not see SIGTERM.
    this.signal('SIGCONT')
    const end = performance.now() + withinMs
    while (this.exits.length === seen && performance.now() < end) await sleep(20)
    if (this.exits.length === seen) {
      this.signal('SIGKILL')
      await until(`the end of ${this.name}`, 10_000, () => this.exits[seen])
      throw new Error(`${this.name} did not stop within ${withinMs} ms and was killed`)
    }
    return this.exits[seen]
  }

  /** Ends it at once, for the end of a test. */
  async destroy(): Promise<void> {
    this.#asked = true
    this.#killing = true
    if (this.#child === undefined) return
    const seen = this.exits.length
    this.signal('SIGKILL')
    await until(`the end of ${this.name}`, 10_000, () => this.exits[seen])
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name)
  }

  /** Whether the process is stopped by SIGSTOP, as the system tells. */
  isFrozen(): boolean {
    const pid = this.#child?.pid
    if (pid === undefined) return false
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) === 'T'
  }

  /** Until it says so in its log: a line that is written after the call. */
  async untilSaid(words: string, withinMs = 30_000): Promise<void> {
    const from = this.#said().length
    await until(`${this.name} says ${words}`, withinMs, () =>
      this.#said().slice(from).includes(words) ? true : undefined,
    )
  }

  #said(): string {
    try {
      return readFileSync(this.logFile, 'utf8')
    } catch {
      return ''
    }
  }

  tail(lines = 40): string {
    try {
      return readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n')
    } catch {
      return ''
    }
  }
}
