import type { Json } from '@onceflow/model'
import { BankLog } from './bank-log.ts'
import { bankTables } from './bank-workload.ts'
import type { Cluster } from './cluster.ts'
import type { Shape } from './debezium-event.ts'
import { sleep, until } from './timing.ts'
import { finalProblems, foldProblems, ledgerProblems, recordProblems } from './verdict.ts'

export interface BankPipelineOptions {
  readonly name: string
  readonly seed: string
  readonly shape?: Shape
  readonly parallelism?: number
  readonly intervalMs?: number
}

/** A pipeline of the bank: topics, tables, load and its judge. */
export class BankPipeline {
  readonly name: string
  readonly log: BankLog
  readonly schema: string
  readonly #cluster: Cluster
  readonly #options: BankPipelineOptions
  uid = ''
  #polling: Promise<void> | undefined
  #pollStop = false
  readonly #problems: string[] = []
  #polls = 0

  private constructor(cluster: Cluster, options: BankPipelineOptions) {
    this.#cluster = cluster
    this.#options = options
    this.name = options.name
    this.schema = options.name.replaceAll('-', '_')
    this.log = new BankLog({
      brokers: cluster.stack.brokers,
      prefix: options.name,
      seed: options.seed,
      shape: options.shape ?? 'schemaless',
    })
  }

  /** Topics, tables (of records without schema) and the first records are there afterwards. */
  static async prepare(cluster: Cluster, options: BankPipelineOptions): Promise<BankPipeline> {
    const bank = new BankPipeline(cluster, options)
    await bank.log.create()
    if (options.shape === 'with-schema') {
      await cluster.target.query(`CREATE SCHEMA IF NOT EXISTS ${bank.schema}`)
    } else await cluster.target.createBank(bank.schema)
    return bank
  }

  static async start(cluster: Cluster, options: BankPipelineOptions): Promise<BankPipeline> {
    const bank = await BankPipeline.prepare(cluster, options)
    await bank.apply()
    await bank.untilFlowing()
    return bank
  }

  document(changed: { readonly [key: string]: Json } = {}): { readonly [key: string]: Json } {
    const { stack } = this.#cluster
    const created = this.#options.shape === 'with-schema'
    return {
      name: this.name,
      source: { kind: 'kafka', brokers: stack.brokers, topics: this.log.topics },
      tables: bankTables.map((table) => ({
        source: `public.${table}`,
        target: `${this.schema}.${table}`,
      })),
      sinks: [
        {
          kind: 'postgres',
          name: 'target',
          host: '127.0.0.1',
          port: stack.targetPort,
          database: 'target',
          user: 'postgres',
          sslmode: 'disable',
          tables: created ? 'create' : 'require',
        },
      ],
      checkpoint: { interval: `${this.#options.intervalMs ?? 150}ms` },
      parallelism: this.#options.parallelism ?? 4,
      ...changed,
    }
  }

  async apply(changed: { readonly [key: string]: Json } = {}): Promise<void> {
    this.uid = (await this.#cluster.apply(this.document(changed))).uid
  }

  newestCheckpoint(): Promise<bigint> {
    return this.#cluster.target.newestCheckpoint(this.uid)
  }

  /** Until a checkpoint above the one given is in the ledger. */
  async untilFlowing(above?: bigint, withinMs = 30_000): Promise<bigint> {
    return until(`a new checkpoint of ${this.name}`, withinMs, async () => {
      const newest = await this.newestCheckpoint()
      return newest > (above ?? 0n) ? newest : undefined
    })
  }

  /** Compares table and fold in snapshots while the load runs; stop() tells what was wrong. */
  watch(everyMs = 400): void {
    this.#pollStop = false
    this.#polling = this.#poll(everyMs)
  }

  async #poll(everyMs: number): Promise<void> {
    while (!this.#pollStop) {
      try {
        const view = await this.#cluster.target.bank(this.schema, this.uid)
        await this.log.untilKnown(view.positions)
        this.#problems.push(...foldProblems(view, this.log))
        this.#polls += 1
      } catch (error) {
        // While the target is down there is nothing to see.
        if (error instanceof Error && error.message.startsWith('positions went back')) {
          this.#problems.push(error.message)
        }
      }
      await sleep(everyMs)
    }
  }

  get polls(): number {
    return this.#polls
  }

  async unwatch(): Promise<readonly string[]> {
    this.#pollStop = true
    await this.#polling
    return this.#problems.splice(0)
  }

  /**
   * After the load has stopped: within the time all rows are there, then everything that must hold
   * at rest is looked at.
   */
  async verdict(withinMs = 30_000): Promise<readonly string[]> {
    const { target, store } = this.#cluster
    let last: readonly string[] = ['nothing was read']
    const deadline = performance.now() + withinMs
    for (;;) {
      try {
        last = await this.#atRest()
        if (last.length === 0) break
      } catch (error) {
        last = [error instanceof Error ? error.message : String(error)]
      }
      if (performance.now() > deadline) return [`not right within ${withinMs} ms`, ...last]
      await sleep(100)
    }
    return [
      ...ledgerProblems(await target.ledger(this.uid)),
      ...(await recordProblems(store, target, this.uid)),
    ]
  }

  async #atRest(): Promise<readonly string[]> {
    const { target } = this.#cluster
    const view = await target.bank(this.schema, this.uid)
    const rows = finalProblems(view, this.log)
    if (rows.length > 0) return rows
    const prepared = (await target.prepared()).filter((gid) => gid.includes(this.uid))
    if (prepared.length > 0) return prepared.map((gid) => `still prepared: ${gid}`)
    return [...foldProblems(view, this.log), ...(await this.#runningProblems())]
  }

  /** I16: every task runs once, all in one attempt, and nothing waits. */
  async #runningProblems(): Promise<readonly string[]> {
    const view = await this.#cluster.pipeline(this.name)
    if (view.state !== 'STATE_RUNNING') return [`${this.name} is ${view.state}`]
    const { workers } = await this.#cluster.admin().call('ListWorkers', { pageSize: 100 })
    const tasks = workers.flatMap((worker) =>
      worker.tasks.filter((task) => task.pipeline === `pipelines/${this.name}`),
    )
    const wrong = tasks.filter((task) => task.attempt !== view.attempt)
    const subtasks = new Set(tasks.map((task) => task.subtask))
    const problems = wrong.map((task) => `a task of attempt ${task.attempt} still runs`)
    if (subtasks.size !== tasks.length) problems.push('a subtask runs twice')
    if (tasks.length !== view.tasks) problems.push(`${tasks.length} of ${view.tasks} tasks run`)
    return problems
  }

  async close(): Promise<void> {
    await this.unwatch()
    await this.log.close()
  }
}
