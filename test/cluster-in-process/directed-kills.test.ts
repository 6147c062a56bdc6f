// The shipped loops of coordinator and worker over twins, under a clock that a test moves, each
// killed at one named place. Random kills are in the worker's own whole-flow test.
import { defaultSettings } from '@onceflow/checkpoint'
import { Coordinator, defaultLeaseSettings, defaultTermSettings } from '@onceflow/coordinator'
import { incarnation, type PipelineSpec, pipelineName, sinkName, workerId } from '@onceflow/model'
import {
  ManualClock,
  MemoryControl,
  MemoryDatabase,
  MemoryLog,
  MemoryMetadata,
  type MemoryMetadataStore,
  memorySinkFactory,
  RecordingJournal,
  ScriptedFailPoints,
  SeededRandom,
  settle,
} from '@onceflow/twins'
import { defaultWorkerLimits, WorkerLoop, workerFailPoints } from '@onceflow/worker'
import { expect, test } from 'vitest'
import { lineDecoder } from '../../packages/worker/test/line-decoder.ts'

const name = pipelineName('orders')
const spec: PipelineSpec = {
  version: 1,
  name,
  source: {
    kind: 'file',
    directory: 'memory',
    topics: { kind: 'list', topics: ['items'] },
    format: 'debezium-json',
    start: { kind: 'earliest' },
  },
  tables: [],
  otherTables: 'pass',
  sinks: [{ kind: 'custom', name: sinkName('main'), type: 'memory', options: {} }],
  guarantee: 'exactly-once',
  checkpoint: { intervalMs: 200, timeoutMs: 5_000 },
  parallelism: undefined,
}

/** Counts how often each record became visible. */
class CountingDatabase extends MemoryDatabase {
  readonly seen = new Map<string, number>()

  override commitPrepared(gid: string): 'committed' | 'absent' {
    for (const { position } of this.prepared.get(gid)?.changes ?? []) {
      const place = `${position.partition}@${position.offset}`
      this.seen.set(place, (this.seen.get(place) ?? 0) + 1)
    }
    return super.commitPrepared(gid)
  }
}

class Cluster {
  readonly clock = new ManualClock()
  readonly metadata = new MemoryMetadata(this.clock)
  readonly control = new MemoryControl({ clock: this.clock })
  readonly log = new MemoryLog(this.clock)
  readonly database = new CountingDatabase()
  readonly journal = new RecordingJournal()
  readonly defects: unknown[] = []
  readonly stores = new Map<string, MemoryMetadataStore>()
  readonly points = new Map<string, ScriptedFailPoints>()
  readonly nodes = new Map<string, Coordinator>()
  #written = 0

  constructor() {
    this.log.createTopic('items', 2)
  }

  coordinator(named: string): void {
    const store = this.metadata.connect()
    const failPoints = new ScriptedFailPoints()
    const node = new Coordinator({
      store,
      gate: this.control.gate(named),
      clock: this.clock,
      random: new SeededRandom(this.stores.size + 1),
      journal: this.journal,
      failPoints,
      settings: defaultTermSettings,
      checkpoint: defaultSettings,
      identity: { node: named, address: named },
      lease: defaultLeaseSettings,
      version: '0.1.0',
    })
    node.start()
    this.stores.set(named, store)
    this.points.set(named, failPoints)
    this.nodes.set(named, node)
  }

  worker(named: string, process = 'i1'): void {
    const failPoints = new ScriptedFailPoints()
    const worker = new WorkerLoop({
      worker: workerId(named),
      incarnation: incarnation(process),
      version: '0.1.0',
      link: this.control.link(named),
      clock: this.clock,
      journal: this.journal,
      failPoints,
      sources: [this.log.factory('file')],
      sinks: [memorySinkFactory(this.database)],
      createDecoder: lineDecoder,
      limits: defaultWorkerLimits,
      rssBytes: () => 0,
      yieldTurn: settle,
      onFenced: () => undefined,
      onDefect: (error) => this.defects.push(error),
    })
    worker.start()
    this.points.set(named, failPoints)
  }

  async begin(): Promise<void> {
    this.coordinator('c1')
    this.worker('w1')
    this.worker('w2')
    await this.clock.run(500)
    const admin = this.nodes.get('c1')?.admin() ?? expect.fail('c1 leads')
    const created = admin.createPipeline({ spec, validate: 'no', requestId: '' })
    await this.clock.run(100)
    await created
    await this.flow(1_500)
  }

  async flow(forMs: number): Promise<void> {
    for (let at = 0; at < forMs; at += 50) {
      for (const partition of [0, 1]) {
        this.#written += 1
        const value = `${this.#written}=v`
        this.log.append({ topic: 'items', partition }, [{ value }])
      }
      await this.clock.run(50)
    }
  }

  held(of: string, point: string): number {
    return this.points.get(of)?.holding(point) ?? expect.fail(`${of} has fail points`)
  }

  hold(of: string, point: string): void {
    this.points.get(of)?.arm(point, { kind: 'hold' })
  }

  /** Every record is visible exactly once, and nothing is left prepared. */
  check(): void {
    expect(this.defects).toEqual([])
    expect(this.database.rows('public.items').length).toBe(this.#written)
    expect(this.database.seen.size).toBe(this.#written)
    expect(new Set(this.database.seen.values())).toEqual(new Set([1]))
    expect(this.database.prepared.size).toBe(0)
  }
}

const workerPoints = [
  workerFailPoints.cutBefore,
  workerFailPoints.sealBefore,
  workerFailPoints.sealAfter,
  workerFailPoints.acknowledgeBefore,
  workerFailPoints.announceReceived,
  workerFailPoints.commitBefore,
  workerFailPoints.commitAfter,
  workerFailPoints.confirmBefore,
] as const

test.each(workerPoints)(
  'fault-025: a worker is killed at %s, and every row comes once',
  async (point) => {
    const cluster = new Cluster()
    await cluster.begin()
    cluster.hold('w1', point)
    await cluster.flow(1_000)
    expect(cluster.held('w1', point)).toBe(1)
    cluster.worker('w1', 'i2')
    await cluster.flow(3_000)
    await cluster.clock.run(10_000)
    cluster.check()
  },
)

const leaderPoints = [
  'coordinator.P1.inject.after',
  'coordinator.P5.sealed.received',
  'coordinator.P6.decide.before',
  'coordinator.P6.decide.reply-lost',
  'coordinator.P7.commit.before',
  'coordinator.P9.committed.received',
] as const

test.each(leaderPoints)(
  'fault-006: the leader is killed at %s, and every row comes once',
  async (point) => {
    const cluster = new Cluster()
    await cluster.begin()
    cluster.hold('c1', point)
    await cluster.flow(1_000)
    expect(cluster.held('c1', point)).toBeGreaterThan(0)
    cluster.stores.get('c1')?.disconnect()
    cluster.coordinator('c2')
    await cluster.flow(8_000)
    await cluster.clock.run(10_000)
    cluster.check()
  },
)
