import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { EtcdMetadataStore } from '@onceflow/etcd'
import type { Json } from '@onceflow/model'
import { AdminClient, type AdminResponse, structToWire } from '@onceflow/rpc'
import { systemClock } from 'onceflow'
import type { LocalStack } from './stack.ts'
import { commandLine, SupervisedProcess } from './supervised-process.ts'
import { TargetDatabase } from './target-database.ts'
import { TcpProxy } from './tcp-proxy.ts'
import { until } from './timing.ts'

/** Shorter than in life, so that a case takes seconds; the relations between them are the same. */
export const times = {
  leaseTtlMs: 3_000,
  heartbeatMs: 500,
  workerLostMs: 2_500,
  reconnectMs: 700,
  /** Longer than every timeout above. */
  freezeMs: 8_000,
} as const

/** Four processes compile their sources first: ten times what that takes on two cores. */
const startWithinMs = 120_000

export interface CoordinatorNode {
  readonly process: SupervisedProcess
  /** Where others reach it: through `control`. */
  readonly address: string
  readonly control: TcpProxy
  readonly etcd: TcpProxy
}

export type PipelineView = NonNullable<AdminResponse<'GetPipeline'>['pipeline']>

/** A whole cluster of real processes on a stack of its own. */
export class Cluster {
  readonly stack: LocalStack
  readonly folder: string
  readonly coordinators: CoordinatorNode[] = []
  readonly workers: SupervisedProcess[] = []
  readonly target: TargetDatabase
  readonly store: EtcdMetadataStore
  #admin: AdminClient | undefined
  readonly #prefix: string

  private constructor(stack: LocalStack, folder: string, prefix: string) {
    this.stack = stack
    this.folder = folder
    this.#prefix = prefix
    this.target = new TargetDatabase(() => stack.targetPort)
    this.store = new EtcdMetadataStore({
      endpoints: [`http://127.0.0.1:${stack.etcdPort}`],
      prefix: `${prefix}/`,
    })
  }

  static async start(options: {
    readonly stack: LocalStack
    readonly name: string
    readonly coordinators: number
    readonly workers: number
  }): Promise<Cluster> {
    const folder = join(options.stack.folder, options.name)
    await mkdir(folder, { recursive: true })
    const cluster = new Cluster(options.stack, folder, `/test/${options.name}`)
    try {
      for (let at = 1; at <= options.coordinators; at += 1) await cluster.addCoordinator(`c${at}`)
      for (let at = 1; at <= options.workers; at += 1) cluster.addWorker(`w${at}`)
      await cluster.untilWorkers(options.workers, startWithinMs)
      return cluster
    } catch (error) {
      const tails = cluster.tails()
      await cluster.close()
      throw new Error(`the cluster ${options.name} did not start\n${tails}`, { cause: error })
    }
  }

  async addCoordinator(name: string): Promise<CoordinatorNode> {
    const port = await freePort()
    const control = await TcpProxy.open(() => port)
    const etcd = await TcpProxy.open(() => this.stack.etcdPort)
    const address = `127.0.0.1:${control.port}`
    const process = new SupervisedProcess({
      name,
      role: 'coordinator',
      folder: this.folder,
      env: {
        ONCEFLOW_ID: name,
        ONCEFLOW_LISTEN: `127.0.0.1:${port}`,
        ONCEFLOW_ADVERTISE: address,
        ONCEFLOW_METADATA__ENDPOINTS: `127.0.0.1:${etcd.port}`,
        ONCEFLOW_METADATA__PREFIX: this.#prefix,
        ONCEFLOW_LEASE__TTL: `${times.leaseTtlMs}ms`,
        ONCEFLOW_HEARTBEAT__INTERVAL: `${times.heartbeatMs}ms`,
        ONCEFLOW_WORKER__LOST_AFTER: `${times.workerLostMs}ms`,
        ONCEFLOW_WORKER__RECONNECT_WITHIN: `${times.reconnectMs}ms`,
      },
    })
    const node = { process, address, control, etcd }
    this.coordinators.push(node)
    process.start()
    return node
  }

  addWorker(name: string): SupervisedProcess {
    const process = new SupervisedProcess({
      name,
      role: 'worker',
      folder: this.folder,
      env: {
        ONCEFLOW_ID: name,
        ONCEFLOW_COORDINATORS: this.coordinators.map(({ address }) => address).join(','),
      },
    })
    this.workers.push(process)
    process.start()
    return process
  }

  /** A clean stop and a new start, armed; it has joined, or follows, afterwards. */
  async restart(process: SupervisedProcess, failPoints = ''): Promise<void> {
    await process.stop()
    const isWorker = this.workers.includes(process)
    const said = process.untilSaid(isWorker ? '"connected"' : '"coordinator started"')
    process.start(failPoints)
    await said
  }

  /** Everything runs, nothing is frozen, every worker is known to the leader. */
  async heal(): Promise<void> {
    for (const { control, etcd } of this.coordinators) {
      control.set({ kind: 'pass' })
      etcd.set({ kind: 'pass' })
    }
    for (const process of this.processes) {
      process.signal('SIGCONT')
      await until(`${process.name} runs`, 10_000, () => (process.runs ? true : undefined))
    }
    await this.untilWorkers(this.workers.length)
  }

  get processes(): readonly SupervisedProcess[] {
    return [...this.coordinators.map(({ process }) => process), ...this.workers]
  }

  admin(): AdminClient {
    this.#admin ??= new AdminClient({
      addresses: this.coordinators.map(({ address }) => address),
      clock: systemClock,
      deadlineMs: 2_000,
    })
    return this.#admin
  }

  async untilWorkers(count: number, withinMs = 30_000): Promise<void> {
    await until(`${count} live workers`, withinMs, async () => {
      const { status } = await this.admin().call('GetStatus', {})
      return status?.workersLive === count ? true : undefined
    })
  }

  /** The coordinator that leads, as the cluster tells. */
  async leader(withinMs = 20_000): Promise<CoordinatorNode> {
    return until('a leader', withinMs, async () => {
      const { status } = await this.admin().call('GetStatus', {})
      return this.coordinators.find(({ process }) => process.name === status?.leader?.id)
    })
  }

  async apply(document: { readonly [key: string]: Json }): Promise<PipelineView> {
    return until('the pipeline is taken', 20_000, async () => {
      const { pipeline } = await this.admin().call('UpdatePipeline', {
        pipeline: { spec: structToWire(document) },
        allowMissing: true,
      })
      return pipeline
    })
  }

  async pipeline(name: string): Promise<PipelineView> {
    const { pipeline } = await this.admin().call('GetPipeline', { name: `pipelines/${name}` })
    if (pipeline === undefined) throw new Error(`no pipeline ${name}`)
    return pipeline
  }

  async untilState(name: string, state: PipelineView['state'], withinMs = 30_000): Promise<void> {
    let seen = ''
    await until(`${name} is ${state}`, withinMs, async () => {
      const view = await this.pipeline(name)
      seen = `${view.state} ${view.failure?.code ?? ''}`
      if (view.state === state) return true
      throw new Error(seen)
    })
  }

  async change(name: string, to: 'Pause' | 'Resume' | 'Delete'): Promise<void> {
    const method = `${to}Pipeline` as const
    await until(`${to} of ${name}`, 20_000, async () => {
      await this.admin().call(method, { name: `pipelines/${name}` })
      return true
    })
  }

  async untilGone(name: string, withinMs = 30_000): Promise<void> {
    await until(`${name} is gone`, withinMs, async () => {
      const { pipelines } = await this.admin().call('ListPipelines', { pageSize: 1_000 })
      return pipelines.some((one) => one.name === `pipelines/${name}`) ? undefined : true
    })
  }

  /** `onceflow audit`, as a user runs it: what it found wrong; empty when it is clean. */
  async audit(pipeline: string): Promise<readonly string[]> {
    const addresses = this.coordinators.map(({ address }) => address).join(',')
    const words = ['audit', pipeline, '--exclusive', '-o', 'json', '--address', addresses]
    const flags = ['--conditions=source', '--disable-warning=ExperimentalWarning']
    const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
      execFile(
        process.execPath,
        [...flags, commandLine, ...words],
        { timeout: 120_000, maxBuffer: 16 * 1024 * 1024 },
        (error, stdout, stderr) => {
          const ended = error === null ? 0 : Number(error.code ?? 1)
          resolve({ code: ended, output: ended === 0 ? '' : `${stdout}${stderr}` })
        },
      )
    })
    return code === 0 ? [] : [`the audit of ${pipeline} ended with ${code}: ${output}`]
  }

  /** What the cluster says of itself, for a failure. */
  async account(pipeline: string): Promise<string> {
    const parent = `pipelines/${pipeline}`
    const asked = {
      status: this.admin().call('GetStatus', {}),
      pipeline: this.admin().call('GetPipeline', { name: parent }),
      checkpoints: this.admin().call('ListCheckpoints', { parent, pageSize: 4 }),
      transactions: this.admin().call('ListTransactions', { parent, pageSize: 20 }),
      workers: this.admin().call('ListWorkers', { pageSize: 20 }),
      prepared: this.target.prepared(),
      sessions: this.target.query(
        'SELECT pid, application_name, state, wait_event_type, wait_event, left(query, 90) AS query' +
          " FROM pg_stat_activity WHERE application_name LIKE 'onceflow%'",
      ),
    }
    const lines = await Promise.all(
      Object.entries(asked).map(async ([name, answer]) => {
        const value: unknown = await answer.catch((error: unknown) => String(error))
        return `${name}: ${JSON.stringify(value)}`
      }),
    )
    return lines.join('\n')
  }

  /** What the processes said last, for a failure. */
  tails(lines = 30): string {
    return this.processes
      .map((process) => `---- ${process.name} (${process.logFile})\n${process.tail(lines)}`)
      .join('\n')
  }

  async close(): Promise<void> {
    this.#admin?.close()
    await Promise.all(this.processes.map((process) => process.destroy()))
    await this.target.close()
    await this.store.close()
    for (const { control, etcd } of this.coordinators) {
      await control.close()
      await etcd.close()
    }
    await rm(join(this.folder, 'compile-cache'), { recursive: true, force: true })
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
