import { defaultSettings, keys } from '@onceflow/checkpoint'
import {
  incarnation,
  leaderEpoch,
  offset,
  type PipelineName,
  type PipelineSpec,
  pipelineName,
  sinkName,
  workerId,
} from '@onceflow/model'
import type { AdminHandler, LeaderMessage, Stamp, TaskReport, WorkerMessage } from '@onceflow/ports'
import {
  ManualClock,
  MemoryControl,
  type MemoryLeaderLink,
  MemoryMetadata,
  type MemoryMetadataStore,
  RecordingJournal,
  ScriptedFailPoints,
  SeededRandom,
} from '@onceflow/twins'
import { expect } from 'vitest'
import { Coordinator, defaultLeaseSettings, defaultTermSettings } from '../src/index.ts'

export const name: PipelineName = pipelineName('orders')

export const specOf = (change: Partial<PipelineSpec> = {}): PipelineSpec => ({
  version: 1,
  name,
  source: {
    kind: 'file',
    directory: 'memory',
    topics: { kind: 'list', topics: ['t'] },
    format: 'debezium-json',
    start: { kind: 'earliest' },
  },
  tables: [],
  otherTables: 'pass',
  sinks: [{ kind: 'custom', name: sinkName('target'), type: 'memory', options: {} }],
  guarantee: 'exactly-once',
  checkpoint: { intervalMs: 100, timeoutMs: 5_000 },
  parallelism: undefined,
  ...change,
})

export interface Node {
  readonly node: Coordinator
  readonly store: MemoryMetadataStore
  readonly failPoints: ScriptedFailPoints
}

/** Coordinators, one store and scripted workers under a clock that stands still. */
export class Bench {
  readonly clock = new ManualClock()
  readonly metadata = new MemoryMetadata(this.clock)
  readonly control = new MemoryControl({ clock: this.clock })
  readonly journal = new RecordingJournal()
  readonly nodes = new Map<string, Node>()
  #seed = 0

  start(named: string): Node {
    this.#seed += 1
    const store = this.metadata.connect()
    const failPoints = new ScriptedFailPoints()
    const node = new Coordinator({
      store,
      gate: this.control.gate(named),
      clock: this.clock,
      random: new SeededRandom(this.#seed),
      journal: this.journal,
      failPoints,
      settings: { ...defaultTermSettings, gatherMs: 500 },
      checkpoint: { ...defaultSettings, retentionMs: 0 },
      identity: { node: named, address: named },
      lease: defaultLeaseSettings,
      version: '0.1.0',
    })
    node.start()
    const made = { node, store, failPoints }
    this.nodes.set(named, made)
    return made
  }

  /** Names of those that believe to lead now. */
  leaders(): readonly string[] {
    return [...this.nodes].filter(([, { node }]) => leads(node)).map(([named]) => named)
  }

  /** A leader, two workers and one running pipeline. */
  async running(): Promise<Node> {
    const leader = this.start('c1')
    await this.clock.run(100)
    await this.create(leader.node.admin())
    return leader
  }

  async create(admin: AdminHandler, spec = specOf()): Promise<void> {
    await this.done(admin.createPipeline({ spec, validate: 'no', requestId: '' }))
    await this.clock.run(2_000)
  }

  /** What a call gives once the clock has moved as far as it needs. */
  async done<T>(call: Promise<T>, forMs = 100): Promise<T> {
    call.catch(() => undefined)
    await this.clock.run(forMs)
    return call
  }

  async state(node: Coordinator): Promise<string> {
    return (await node.admin().getPipeline(name)).state
  }

  leaderValue(): string | undefined {
    return this.metadata.get(keys.leaderKey)?.value
  }
}

export function leads(node: Coordinator): boolean {
  try {
    return node.leading() !== undefined
  } catch {
    return false
  }
}

type Message<K extends LeaderMessage['kind']> = Extract<LeaderMessage, { kind: K }>

/** Says what a worker would say, at once; a kind in `mute` is heard and not answered. */
export class ScriptedWorker {
  readonly heard: LeaderMessage[] = []
  readonly mute = new Set<LeaderMessage['kind']>()
  readonly tasks: TaskReport[] = []
  records = 5
  seen = leaderEpoch(0n)
  silent: 'no' | 'yes' = 'no'
  readonly link: MemoryLeaderLink
  readonly #name: string
  readonly #bench: Bench
  #at = 0n

  constructor(bench: Bench, named: string) {
    this.#bench = bench
    this.#name = named
    this.link = bench.control.link(named)
    this.link.onEvent((event) => {
      if (event.kind === 'connected') this.#hello()
      if (event.kind === 'message') this.#take(event.message)
    })
    this.link.start()
    this.#beat()
  }

  kinds(): readonly string[] {
    return this.heard.map((message) => message.kind)
  }

  last<K extends LeaderMessage['kind']>(kind: K): Message<K> {
    const found = this.heard.findLast((message): message is Message<K> => message.kind === kind)
    return found ?? expect.fail(`${kind} was heard`)
  }

  count(kind: LeaderMessage['kind']): number {
    return this.heard.filter((message) => message.kind === kind).length
  }

  say(message: WorkerMessage): void {
    if (this.silent === 'no') this.link.send(message)
  }

  drain(): void {
    this.say({ kind: 'draining', leaderEpoch: this.seen })
  }

  want(): void {
    const { subtask } = this.last('start-task')
    const stamp = this.#stamp()
    this.say({ ...stamp, kind: 'barrier-wanted', subtask, reason: 'full' })
  }

  #stamp(): Stamp {
    const { pipeline, attempt, leaderEpoch: epoch } = this.last('start-task')
    return { pipeline, attempt, leaderEpoch: epoch }
  }

  #hello(): void {
    this.say({
      kind: 'hello',
      worker: workerId(this.#name),
      incarnation: incarnation('i1'),
      version: '0.1.0',
      seen: this.seen,
      tasksMax: 16,
      tasks: this.tasks,
    })
  }

  #beat(): void {
    this.#bench.clock.after(1_000, () => {
      const figures = { tasks: [], rssBytes: 0, eventLoopLagMs: 0 }
      this.say({ kind: 'heartbeat', leaderEpoch: this.seen, ...figures })
      this.#beat()
    })
  }

  #take(message: LeaderMessage): void {
    if (message.leaderEpoch < this.seen) return
    this.seen = message.leaderEpoch
    if (message.kind !== 'heartbeat') this.heard.push(message)
    if (this.mute.has(message.kind)) return
    for (const answer of this.#answers(message)) this.say(answer)
  }

  #answers(message: LeaderMessage): readonly WorkerMessage[] {
    switch (message.kind) {
      case 'inspect': {
        const place = { topic: 't', topicId: '', partition: 0, earliest: 0n, end: 0n, start: 0n }
        const result = { kind: 'ok', partitions: [place], claims: [], warnings: [] } as const
        return [{ ...stampOf(message), kind: 'inspected', result }]
      }
      case 'resolve-commit':
        return [{ ...stampOf(message), kind: 'resolve-committed', outcome: { kind: 'done' } }]
      case 'resolve-abort':
        return [{ ...stampOf(message), kind: 'resolve-aborted', outcome: { kind: 'done' } }]
      case 'start-task':
        this.#at = message.positions[0]?.offset ?? 0n
        return [{ ...stampOf(message), kind: 'task-started', subtask: message.subtask }]
      case 'inject-barrier':
        return [this.#sealed(message)]
      case 'commit': {
        const { subtask } = this.last('start-task')
        const { checkpoint } = message
        const outcome = { kind: 'done' } as const
        const done = { kind: 'committed', subtask, checkpoint, outcome, commitMs: 1 } as const
        return [{ ...stampOf(message), ...done }]
      }
      case 'abort':
      case 'stop-tasks':
        return [{ ...stampOf(message), kind: 'tasks-ended' }]
      case 'welcome':
      case 'heartbeat':
      case 'drained':
        return []
    }
  }

  #sealed(barrier: Message<'inject-barrier'>): WorkerMessage {
    const { subtask } = this.last('start-task')
    this.#at += BigInt(this.records)
    const place = { topic: 't', topicId: '', partition: 0, leaderEpoch: -1 }
    return {
      ...stampOf(barrier),
      kind: 'sealed',
      subtask,
      checkpoint: barrier.checkpoint,
      positions: [{ ...place, offset: offset(this.#at) }],
      handles: [{ sink: sinkName('target'), subtask, kind: 'sealed', version: 1, data: null }],
      contexts: [],
      records: this.records,
      rows: this.records,
      sealMs: 1,
    }
  }
}

const stampOf = ({ pipeline, attempt, leaderEpoch: epoch }: Stamp): Stamp => ({
  pipeline,
  attempt,
  leaderEpoch: epoch,
})
