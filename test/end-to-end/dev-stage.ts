/** A PostgreSQL of its own and the whole product in this process: `onceflow dev` on top of it. */

import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from '@onceflow/model'
import { AdminClient, type AdminResponse, structToWire } from '@onceflow/rpc'
import { parseProcessConfig } from '@onceflow/spec'
import { type RunningDev, startDev, systemClock } from 'onceflow'
import { type Server, startServer } from '../../packages/postgres/test/server-fixture.ts'

/** Offsets by 'topic/partition'. */
export type Ends = ReadonlyMap<string, bigint>

type PipelineView = NonNullable<AdminResponse<'GetPipeline'>['pipeline']>

/** Ten times what a loaded machine was seen to need. */
const committedMsMax = 90_000

export class DevStage {
  readonly server: Server
  readonly folder: string
  readonly dev: RunningDev
  readonly client: AdminClient

  private constructor(server: Server, folder: string, dev: RunningDev) {
    this.server = server
    this.folder = folder
    this.dev = dev
    this.client = new AdminClient({ addresses: [dev.address], clock: systemClock })
  }

  static async open(flags: Readonly<Record<string, string>> = {}): Promise<DevStage> {
    const server = await startServer({ maxPreparedTransactions: 64 })
    const folder = mkdtempSync(join(tmpdir(), 'onceflow-end-to-end-'))
    chmodSync(folder, 0o755)
    const parsed = parseProcessConfig('dev', {
      flags: {
        listen: '127.0.0.1:0',
        directory: join(folder, 'dev'),
        'postgres.url': `postgres://postgres@127.0.0.1:${server.port}/postgres`,
        'log.level': 'warn',
        ...flags,
      },
      environment: {},
      file: undefined,
    })
    if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
    const runtime = { version: '0.0.0-test', env: {}, failPoints: '' }
    return new DevStage(server, folder, await startDev(parsed.config, runtime))
  }

  folderFor(name: string): string {
    const folder = join(this.folder, name)
    mkdirSync(folder, { recursive: true, mode: 0o755 })
    return folder
  }

  async apply(spec: { readonly [key: string]: Json }): Promise<void> {
    const pipeline = { spec: structToWire(spec) }
    await this.client.call('UpdatePipeline', { pipeline, allowMissing: true })
  }

  async pipeline(name: string): Promise<PipelineView> {
    const answer = await this.client.call('GetPipeline', { name: `pipelines/${name}` })
    if (answer.pipeline === undefined) throw new Error(`no pipeline ${name}`)
    return answer.pipeline
  }

  /** Until a committed checkpoint reaches these offsets and nothing is left prepared. */
  async untilCommitted(name: string, ends: Ends): Promise<PipelineView> {
    for (const deadline = performance.now() + committedMsMax; ; ) {
      const view = await this.pipeline(name)
      if (view.state === 'STATE_STOPPED') {
        throw new Error(`${name} stopped: ${JSON.stringify(view.failure)}`)
      }
      const missing = await this.#missing(name, ends)
      if (missing.length === 0 && view.flow?.lagRecords === '0') return view
      if (performance.now() > deadline) {
        throw new Error(`${name}: ${missing.join(', ')}; ${JSON.stringify({ ...view, spec: 0 })}`)
      }
      await sleep(50)
    }
  }

  /** Ends a running attempt with a committed checkpoint, and begins another one from there. */
  async pauseAndResume(name: string): Promise<void> {
    const path = `pipelines/${name}`
    await this.#until(name, ({ state }) => state === 'STATE_RUNNING')
    await this.client.call('PausePipeline', { name: path })
    await this.#until(name, ({ state }) => state === 'STATE_PAUSED')
    await this.client.call('ResumePipeline', { name: path })
    await this.#until(name, ({ state }) => state === 'STATE_RUNNING')
  }

  async #until(name: string, isSo: (view: PipelineView) => boolean): Promise<void> {
    for (const deadline = performance.now() + committedMsMax; performance.now() < deadline; ) {
      if (isSo(await this.pipeline(name))) return
      await sleep(50)
    }
    const { state, failure } = await this.pipeline(name)
    throw new Error(`${name} is ${state} ${JSON.stringify(failure)}`)
  }

  async deletePipeline(name: string): Promise<void> {
    await this.client.call('DeletePipeline', { name: `pipelines/${name}` })
    for (const deadline = performance.now() + committedMsMax; performance.now() < deadline; ) {
      const { pipelines } = await this.client.call('ListPipelines', {})
      if (!pipelines.some((one) => one.name === `pipelines/${name}`)) return
      await sleep(50)
    }
    throw new Error(`${name} is not deleted: ${JSON.stringify(await this.pipeline(name))}`)
  }

  async prepared(): Promise<readonly unknown[]> {
    return this.server.query('SELECT gid FROM pg_prepared_xacts')
  }

  async close(): Promise<void> {
    this.client.close()
    await this.dev.stop()
    await this.server.close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** What is not committed yet, in words. */
  async #missing(name: string, ends: Ends): Promise<readonly string[]> {
    const parent = `pipelines/${name}`
    const { transactions } = await this.client.call('ListTransactions', { parent })
    if (transactions.length > 0) return [`${transactions.length} open transactions`]
    const { checkpoints } = await this.client.call('ListCheckpoints', { parent, pageSize: 20 })
    const newest = checkpoints.find(
      ({ state }) => state === 'STATE_COMMITTED' || state === 'STATE_COMPLETED',
    )
    if (newest === undefined) return ['no checkpoint']
    const { checkpoint } = await this.client.call('GetCheckpoint', { name: newest.name })
    const reached = new Map(
      (checkpoint?.positions ?? []).map(({ topic, partition, offset }) => [
        `${topic}/${partition}`,
        BigInt(offset),
      ]),
    )
    return [...ends]
      .filter(([place, end]) => (reached.get(place) ?? 0n) < end)
      .map(([place, end]) => `${place} at ${reached.get(place)} of ${end}`)
  }
}

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
