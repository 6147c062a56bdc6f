import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root, run, until } from './shell.ts'
import type { Stack } from './stack.ts'

export interface OwnProcess {
  readonly name: string
  readonly pid: number
  readonly child: ChildProcess
}

/** A cluster of ours on a stack, started through the command line as a user would. */
export class Product {
  readonly #stack: Stack
  readonly #processes = new Map<string, OwnProcess>()
  readonly #addresses = new Map<string, string>()

  constructor(stack: Stack) {
    this.#stack = stack
  }

  async coordinator(name: string): Promise<OwnProcess> {
    const port = 30_000 + Math.floor(Math.random() * 20_000)
    const address = this.#addresses.get(name) ?? `127.0.0.1:${port}`
    this.#addresses.set(name, address)
    const words = ['coordinator', '--id', name, '--listen', address]
    return this.#spawn(name, [...words, '--metadata-endpoints', this.#stack.etcd])
  }

  async worker(name: string): Promise<OwnProcess> {
    return this.#spawn(name, ['worker', '--id', name, '--coordinators', this.addresses()])
  }

  addresses(): string {
    return [...this.#addresses.values()].join(',')
  }

  processes(): readonly OwnProcess[] {
    return [...this.#processes.values()]
  }

  cli(words: readonly string[]): Promise<string> {
    const env = { ...process.env, ONCEFLOW_ADDRESS: this.addresses() }
    return run(join(root, 'scripts', 'onceflow'), words, env)
  }

  async apply(name: string, yaml: string): Promise<void> {
    const file = join(this.#stack.dir, `${name}.yaml`)
    await writeFile(file, yaml)
    await until('the pipeline to be taken', 60_000, async () => {
      try {
        await this.cli(['apply', '-f', file])
        return true
      } catch (error) {
        if (/SPEC_INVALID|INVALID_ARGUMENT/.test(String(error))) throw error
        return undefined
      }
    })
  }

  kill(name: string): void {
    this.#processes.get(name)?.child.kill('SIGKILL')
    this.#processes.delete(name)
  }

  /** Workers first: a worker hands its tasks over to a leader that is still there. */
  async stop(): Promise<void> {
    const leads = (one: OwnProcess): boolean => this.#addresses.has(one.name)
    await ended(this.processes().filter((one) => !leads(one)))
    await ended(this.processes().filter(leads))
    this.#processes.clear()
  }

  #spawn(name: string, words: readonly string[]): OwnProcess {
    const log = createWriteStream(join(this.#stack.dir, `${name}.log`), { flags: 'a' })
    const child = spawn(join(root, 'scripts', 'onceflow'), [...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.pipe(log)
    child.stderr.pipe(log)
    if (child.pid === undefined) throw new Error(`${name} could not be started`)
    const process_ = { name, pid: child.pid, child }
    this.#processes.set(name, process_)
    return process_
  }
}

/** SIGTERM, and SIGKILL for what is still there after ten seconds. */
async function ended(processes: readonly OwnProcess[]): Promise<void> {
  const ends = processes.map(
    ({ child }) =>
      new Promise<void>((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) resolve()
        child.once('exit', () => resolve())
        setTimeout(() => child.kill('SIGKILL'), 10_000).unref()
        child.kill('SIGTERM')
      }),
  )
  await Promise.all(ends)
}

export interface PipelineText {
  readonly name: string
  readonly topic: string
  readonly interval: string
  readonly parallelism: number | undefined
  readonly start: 'earliest' | 'latest'
}

export const pipelineYaml = (stack: Stack, text: PipelineText): string => `version: 1
name: ${text.name}
source:
  kind: kafka
  brokers: [${stack.brokers}]
  topics: [${text.topic}]
  format: debezium-json
  start: ${text.start}
sinks:
  - kind: postgres
    name: target
    host: ${stack.target.host}
    port: ${stack.target.port}
    database: target
    user: ${stack.target.user}
    sslmode: disable
    tables: require
checkpoint:
  interval: ${text.interval}
  timeout: 60s
${text.parallelism === undefined ? '' : `parallelism: ${text.parallelism}\n`}`
