// The audit against what the real sink writes: its ledger, its digests, its names of prepared
// transactions, its rows. What the audit knows of those formats is written down a second time in
// the audit, so this is where the two are held together.
import { createDecoder } from '@onceflow/debezium'
import {
  attempt,
  type Change,
  checkpointNumber,
  leaderEpoch,
  type Position,
  type PostgresSinkSpec,
  revision,
  subtask,
} from '@onceflow/model'
import type { AnySink, CommitPermit, SealOrder, SinkScope } from '@onceflow/ports'
import { postgresSinkFactory } from '@onceflow/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderReport } from '../src/index.ts'
import { type Server, startServer } from './server-fixture.ts'
import { clock, World } from './world-fixture.ts'

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const factory = postgresSinkFactory({
  resolveSecret: async () => '',
  clock,
  journal: { write: () => undefined },
  failPoints: { reached: () => undefined },
})

/** A task of the pipeline with the real decoder and the real sink, told what to do step by step. */
class Pipeline {
  readonly world: World
  /** Of one start, as the sink is: what one has told of tables the other must know. */
  #decoder: ReturnType<typeof createDecoder>
  #sink: AnySink | undefined
  #from: readonly Position[]

  constructor(world: World) {
    this.world = world
    this.#decoder = newDecoder(world)
    this.#from = world.ends()
  }

  async start(): Promise<void> {
    await this.#sink?.close()
    this.#decoder = newDecoder(this.world)
    const recovery = this.#create()
    await recovery.openRecovery(this.#scope())
    const known = { open: [], known: [], retireMark: checkpointNumber(0n) }
    await recovery.recoverAndCommit(known)
    await recovery.recoverAndAbort(known)
    await recovery.finishRecovery({ heads: [], newestDecided: checkpointNumber(100n) })
    await recovery.close()
    this.#sink = this.#create()
    await this.#sink.openTask({ ...this.#scope(), subtask: subtask(0), heads: [] }, undefined)
  }

  /** Everything that is in the log by now, as checkpoint n; committed unless told otherwise. */
  async checkpoint(n: number, end: 'committed' | 'prepared' = 'committed'): Promise<void> {
    const sink = this.#sink
    if (sink === undefined) throw new Error('not started')
    const to = this.world.ends()
    const order: SealOrder = { checkpoint: checkpointNumber(BigInt(n)), from: this.#from, to }
    const txn = await sink.beginTransaction(undefined)
    await sink.invoke(txn, await this.#changes(sink, to), undefined)
    const { kind } = await sink.preCommit(txn, order)
    this.#from = to
    const empty = kind === 'empty' ? [0] : []
    const sealed = kind === 'empty' ? [] : [0]
    const state = end === 'committed' ? 'completed' : 'committed'
    this.world.decide({ n, positions: to, sealed, empty, state })
    if (end === 'committed') await sink.commit(txn, permitOf(n))
  }

  async #changes(sink: AnySink, to: readonly Position[]): Promise<readonly Change[]> {
    const changes: Change[] = []
    for (const [index, end] of to.entries()) {
      const { records } = this.world.log.partition(end)
      for (const record of records) {
        if (record.offset < (this.#from[index]?.offset ?? 0n) || record.offset >= end.offset)
          continue
        let decoded = this.#decoder.decode(record, end)
        if (decoded.kind === 'needs-table') {
          const shape = await sink.resolveTable(decoded.source, decoded.declared)
          this.#decoder.provide(decoded.source, decoded.declared, shape)
          decoded = this.#decoder.decode(record, end)
        }
        if (decoded.kind === 'upsert' || decoded.kind === 'delete') changes.push(decoded)
      }
    }
    return changes
  }

  #create(): AnySink {
    const spec = this.world.spec()
    const [sink] = spec.sinks
    return factory.create({ ...spec, spec: sink as PostgresSinkSpec })
  }

  #scope(): SinkScope {
    return {
      cluster: this.world.cluster,
      pipeline: this.world.uid,
      sink: this.world.sink,
      attempt: attempt(2n),
      leaderEpoch: leaderEpoch(7n),
    }
  }

  async close(): Promise<void> {
    await this.#sink?.close()
  }
}

function newDecoder(world: World) {
  const { source, tables, otherTables } = world.spec()
  return createDecoder({ format: source.format, tables, otherTables })
}

const permitOf = (n: number): CommitPermit =>
  ({
    checkpoint: checkpointNumber(BigInt(n)),
    attempt: attempt(2n),
    leaderEpoch: leaderEpoch(7n),
    decision: revision(9n),
  }) as CommitPermit

describe('what the real sink writes', () => {
  it('is clean through checkpoints with and without rows, and a new start', async () => {
    const world = await World.empty(server)
    const pipeline = new Pipeline(world)
    world.decide({ n: 0, positions: world.ends(), sealed: [], kind: 'start' })
    await pipeline.start()
    for (let id = 0; id < 500; id += 1) world.put({ id, name: `item ${id}`, qty: id }, 'c')
    world.event('a', 1)
    await pipeline.checkpoint(1)
    for (let id = 0; id < 500; id += 3) world.remove(id)
    for (let id = 1; id < 500; id += 3) world.put({ id, name: null, qty: -id }, 'u')
    await pipeline.checkpoint(2)
    // A tombstone alone makes no row: the checkpoint is sealed empty.
    world.log.append({ topic: 'shop.item', partition: 0 }, [{ key: '{"id":0}', value: null }])
    await pipeline.checkpoint(3)
    await pipeline.start()
    world.event('b', 2)
    world.put({ id: 1_000, name: 'late', qty: 1 }, 'c')
    await pipeline.checkpoint(4)
    await pipeline.close()
    const report = await world.audit()
    expect(renderReport(report)).toContain('verdict: clean\n')
    expect(report.checked.ledgerRows).toBe(3)
    await world.sql('DELETE FROM @.item WHERE id = 1000')
    expect((await world.audit()).counts).toEqual({ lost: 1 })
  })

  it('is clean while its newest checkpoint is prepared, and not for ever', async () => {
    const world = await World.empty(server)
    const pipeline = new Pipeline(world)
    world.decide({ n: 0, positions: world.ends(), sealed: [], kind: 'start' })
    await pipeline.start()
    world.put({ id: 1, name: 'one', qty: 1 }, 'c')
    await pipeline.checkpoint(1)
    world.put({ id: 2, name: 'two', qty: 2 }, 'c')
    await pipeline.checkpoint(2, 'prepared')
    await pipeline.close()
    const report = await world.audit()
    expect(report.verdict).toBe('clean')
    expect(report.checked).toMatchObject({ preparedTransactions: 1, rows: 1, recordsBehind: 1n })
    const late = await world.audit({ options: { graceMs: 0 } })
    expect(late.counts).toEqual({ 'open-transaction': 1 })
    const [gid] = late.findings.map(({ key }) => key)
    await world.rollback(gid ?? '')
    expect((await world.audit()).counts).toEqual({ 'transaction-lost': 1 })
  })
})
