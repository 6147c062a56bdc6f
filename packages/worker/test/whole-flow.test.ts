// The shipped loops of coordinator and worker over twins, under a clock that a test moves: changes
// in a log end in rows, exactly once, whatever is cut, restarted or replaced meanwhile.
import { defaultSettings } from '@onceflow/checkpoint'
import { Coordinator, defaultLeaseSettings, defaultTermSettings } from '@onceflow/coordinator'
import { type Failure, incarnation, workerId } from '@onceflow/model'
import {
  ManualClock,
  MemoryControl,
  MemoryDatabase,
  MemoryLog,
  MemoryMetadata,
  type MemoryMetadataStore,
  memorySinkFactory,
  noFailPoints,
  RecordingJournal,
  SeededRandom,
  settle,
} from '@onceflow/twins'
import { describe, expect, test } from 'vitest'
import { defaultWorkerLimits, WorkerLoop } from '../src/index.ts'
import { lineDecoder } from './line-decoder.ts'
import { specOf } from './scripted-leader.ts'
import { slowSinkFactory } from './slow-sink.ts'

const partitions = 4
/** More seeds for a night: ONCEFLOW_FLOW_SEEDS=5000. */
const seedCount = Number(process.env['ONCEFLOW_FLOW_SEEDS'] ?? 20)

/** Keeps the place of every change that became visible, in the order in which it did. */
class WatchedDatabase extends MemoryDatabase {
  readonly applied = new Map<number, bigint[]>()

  override commitPrepared(gid: string): 'committed' | 'absent' {
    for (const { position } of this.prepared.get(gid)?.changes ?? []) {
      const places = this.applied.get(position.partition) ?? []
      this.applied.set(position.partition, places)
      places.push(position.offset)
    }
    return super.commitPrepared(gid)
  }
}

class World {
  readonly clock = new ManualClock()
  readonly random: SeededRandom
  readonly journal = new RecordingJournal()
  readonly control = new MemoryControl({ clock: this.clock })
  readonly metadata = new MemoryMetadata(this.clock)
  readonly log = new MemoryLog(this.clock)
  readonly database = new WatchedDatabase()
  readonly expected = new Map<string, string>()
  readonly defects: unknown[] = []
  readonly fenced: Failure[] = []
  readonly coordinators = new Map<string, { node: Coordinator; store: MemoryMetadataStore }>()
  readonly workers = new Map<string, WorkerLoop>()
  readonly spec = { ...specOf(), checkpoint: { intervalMs: 200, timeoutMs: 5_000 } }
  #written = 0

  constructor(seed: number) {
    this.random = new SeededRandom(seed)
    this.log.createTopic('items', partitions)
  }

  startCoordinator(name: string): void {
    const store = this.metadata.connect()
    store.setDelay(2)
    const node = new Coordinator({
      store,
      gate: this.control.gate(name),
      clock: this.clock,
      random: new SeededRandom(this.random.below(1_000_000)),
      journal: this.journal,
      failPoints: noFailPoints,
      settings: defaultTermSettings,
      checkpoint: defaultSettings,
      identity: { node: name, address: name },
      lease: defaultLeaseSettings,
      version: '0.1.0',
    })
    node.start()
    this.coordinators.set(name, { node, store })
  }

  startWorker(name: string): void {
    const worker = new WorkerLoop({
      worker: workerId(name),
      incarnation: incarnation(this.random.token(8)),
      version: '0.1.0',
      link: this.control.link(name),
      clock: this.clock,
      journal: this.journal,
      failPoints: noFailPoints,
      sources: [this.log.factory('file')],
      sinks: [slowSinkFactory(memorySinkFactory(this.database), this)],
      createDecoder: lineDecoder,
      limits: defaultWorkerLimits,
      rssBytes: () => 0,
      yieldTurn: settle,
      onFenced: (failure) => this.fenced.push(failure),
      onDefect: (error) => this.defects.push(error),
    })
    worker.start()
    this.workers.set(name, worker)
  }

  write(count: number): void {
    for (let index = 0; index < count; index += 1) {
      const key = String(this.random.below(50))
      const text = String(this.#written)
      this.#written += 1
      const gone = this.random.below(10) === 0
      const place = { topic: 'items', partition: Number(key) % partitions }
      this.log.append(place, [{ value: gone ? `${key}=` : `${key}=${text}` }])
      if (gone) this.expected.delete(key)
      else this.expected.set(key, text)
    }
  }

  leading(): Coordinator | undefined {
    return [...this.coordinators.values()].find(({ node }) => {
      try {
        return node.leading() !== undefined
      } catch {
        return false
      }
    })?.node
  }

  async apply(): Promise<void> {
    for (let turn = 0; turn < 100 && this.leading() === undefined; turn += 1) {
      await this.clock.run(100)
    }
    const admin = this.leading()?.admin() ?? expect.fail('nobody leads')
    const created = admin.createPipeline({ spec: this.spec, validate: 'no', requestId: '' })
    await this.clock.run(50)
    await created
  }

  /** Runs while records come in. */
  async flow(forMs: number): Promise<void> {
    for (let at = 0; at < forMs; at += 50) {
      this.write(5)
      await this.clock.run(50)
    }
  }

  async quiet(): Promise<void> {
    for (let turn = 0; turn < 60; turn += 1) {
      await this.clock.run(500)
      if (this.isComplete()) return
    }
  }

  isComplete(): boolean {
    return this.visible() === this.wanted() && this.database.prepared.size === 0
  }

  visible(): string {
    const rows = this.database.rows('public.items').map((row) => `${row['id']}=${row['text']}`)
    return rows.sort().join(' ')
  }

  wanted(): string {
    return [...this.expected]
      .map(([key, text]) => `${key}=${text}`)
      .sort()
      .join(' ')
  }

  check(): void {
    const tail = this.journal.lines.slice(-40).map(({ message, fields }) => {
      return `${message} ${JSON.stringify(fields, (_, v) => (typeof v === 'bigint' ? `${v}` : v))}`
    })
    const context = `seed ${this.random.seed}\n${tail.join('\n')}`
    expect(this.defects, context).toEqual([])
    expect(this.visible(), context).toBe(this.wanted())
    expect([...this.database.prepared.keys()], context).toEqual([])
    this.checkLedger(context)
    for (const { partition, end } of this.log.partitions()) {
      const applied = this.database.applied.get(partition) ?? []
      expect(applied, context).toEqual(Array.from({ length: Number(end) }, (_, at) => BigInt(at)))
    }
  }

  /** The start of a row is the end of the row before, per partition, and numbers only grow. */
  checkLedger(context: string): void {
    const ends = new Map<number, bigint>()
    let last = 0n
    for (const row of this.database.ledger) {
      expect(row.checkpoint >= last, context).toBe(true)
      last = row.checkpoint
      for (const [index, from] of row.from.entries()) {
        const before = ends.get(from.partition) ?? 0n
        expect(from.offset, context).toBe(before)
        ends.set(from.partition, row.to[index]?.offset ?? 0n)
      }
    }
  }
}

test('records flow, and two workers share the partitions', async () => {
  const world = new World(1)
  world.startCoordinator('c1')
  world.startWorker('w1')
  world.startWorker('w2')
  await world.apply()
  await world.flow(3_000)
  await world.quiet()
  world.check()
  expect(world.database.ledger.length).toBeGreaterThan(5)
})

type Fault = (world: World) => void

const nameOf = (world: World) => `w${1 + world.random.below(3)}`

const faults: Record<string, Fault> = {
  'stream broken': (world) => world.control.disconnect(nameOf(world)),
  'worker cut off': (world) => {
    const name = nameOf(world)
    world.control.cut(name)
    world.clock.after(500 + world.random.below(8_000), () => world.control.heal(name))
  },
  'worker restarted, the old one lives on without a stream': (world) =>
    world.startWorker(nameOf(world)),
  'messages to a worker held back': (world) => {
    const name = nameOf(world)
    world.control.hold(name, 'to-worker')
    world.clock.after(500 + world.random.below(7_000), () =>
      world.control.release(name, 'to-worker'),
    )
  },
  'messages from a worker held back': (world) => {
    const name = nameOf(world)
    world.control.hold(name, 'to-leader')
    world.clock.after(500 + world.random.below(7_000), () =>
      world.control.release(name, 'to-leader'),
    )
  },
  'answers of the database lost': (world) =>
    world.database.failNextCommits('applied-unknown', 'not-applied-unknown', 'applied-unknown'),
  'leader crashes': (world) => {
    const name = `c${1 + world.random.below(2)}`
    const old = world.coordinators.get(name)
    old?.store.disconnect()
    world.startCoordinator(name)
  },
  'an answer of the store lost': (world) => {
    for (const { store } of world.coordinators.values()) store.failNextTxns('applied', 'lost')
  },
  'worker drains and comes back': (world) => {
    const name = nameOf(world)
    const worker = world.workers.get(name)
    if (worker === undefined) return
    const again = async () => {
      await worker.drain()
      await worker.stop()
      world.startWorker(name)
    }
    again().catch((error: unknown) => world.defects.push(error))
  },
}

async function chaos(seed: number, names: readonly string[]): Promise<World> {
  const world = new World(seed)
  world.startCoordinator('c1')
  world.startCoordinator('c2')
  for (const name of ['w1', 'w2', 'w3']) world.startWorker(name)
  await world.apply()
  await world.flow(1_000)
  for (let turn = 0; turn < 5; turn += 1) {
    const fault = faults[names[world.random.below(names.length)] ?? '']
    fault?.(world)
    await world.flow(world.random.below(4_000))
  }
  for (const name of ['w1', 'w2', 'w3']) world.control.heal(name)
  await world.quiet()
  return world
}

describe.each(Object.keys(faults))('%s', (name) => {
  test.each([1, 2, 3])('seed %i', async (seed) => {
    const world = await chaos(seed, [name])
    world.check()
  })
})

const seeds = Array.from({ length: seedCount }, (_, index) => 100 + index)
test.each(seeds)('all faults, seed %i', async (seed) => {
  const world = await chaos(seed, Object.keys(faults))
  world.check()
})
