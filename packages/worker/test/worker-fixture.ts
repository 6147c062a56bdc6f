import { type Failure, incarnation, workerId } from '@onceflow/model'
import type { SinkFactory } from '@onceflow/ports'
import {
  ManualClock,
  MemoryControl,
  MemoryDatabase,
  MemoryLog,
  memorySinkFactory,
  RecordingJournal,
  ScriptedFailPoints,
  settle,
} from '@onceflow/twins'
import { expect } from 'vitest'
import {
  defaultWorkerLimits,
  type WorkerLimits,
  WorkerLoop,
  type WorkerOptions,
} from '../src/index.ts'
import { lineDecoder } from './line-decoder.ts'
import { positionAt, ScriptedLeader } from './scripted-leader.ts'

/** One worker, one scripted leader, one log and one database, under a clock that stands still. */
export class Bench {
  readonly clock = new ManualClock()
  readonly control = new MemoryControl({ clock: this.clock })
  readonly gate = this.control.gate('leader:1')
  readonly leader = new ScriptedLeader(this.gate)
  readonly log = new MemoryLog(this.clock)
  readonly database = new MemoryDatabase()
  readonly journal = new RecordingJournal()
  readonly failPoints = new ScriptedFailPoints()
  readonly fenced: Failure[] = []
  readonly defects: unknown[] = []
  readonly worker: WorkerLoop
  yields = 0

  constructor(options: { sink?: SinkFactory; limits?: Partial<WorkerLimits> } = {}) {
    this.log.createTopic('items', 1)
    this.worker = new WorkerLoop(this.options('w1', options))
  }

  options(
    name: string,
    given: { sink?: SinkFactory; limits?: Partial<WorkerLimits> } = {},
  ): WorkerOptions {
    return {
      worker: workerId(name),
      incarnation: incarnation('i1'),
      version: '0.1.0',
      link: this.control.link(name),
      clock: this.clock,
      journal: this.journal,
      failPoints: this.failPoints,
      sources: [this.log.factory('file')],
      sinks: [given.sink ?? memorySinkFactory(this.database)],
      createDecoder: lineDecoder,
      limits: { ...defaultWorkerLimits, ...given.limits },
      rssBytes: () => 1_000,
      yieldTurn: async () => {
        this.yields += 1
        await settle()
      },
      onFenced: (failure) => this.fenced.push(failure),
      onDefect: (error) => this.defects.push(error),
    }
  }

  /** Connected, resolved at the leader's attempt, and one task running from `next`. */
  async running(next = 0n): Promise<void> {
    this.worker.start()
    await this.clock.run(10)
    await this.resolved()
    this.startTask(next)
    await this.clock.run(10)
    expect(this.leader.last('task-started')).toBeDefined()
  }

  async resolved(): Promise<void> {
    this.leader.resolveCommit()
    await this.clock.run(1)
    expect(this.leader.last('resolve-committed')?.outcome).toEqual({ kind: 'done' })
    this.leader.resolveAbort()
    await this.clock.run(1)
    expect(this.leader.last('resolve-aborted')?.outcome).toEqual({ kind: 'done' })
  }

  startTask(next: bigint): void {
    this.leader.startTask([positionAt(this.topicId(), next)])
  }

  topicId(): string {
    return this.log.partition({ topic: 'items', partition: 0 }).topicId
  }

  append(...values: readonly (string | null)[]): void {
    this.log.append(
      { topic: 'items', partition: 0 },
      values.map((value) => ({ value })),
    )
  }

  /** `id=text` of every visible row. */
  rows(): readonly string[] {
    return this.database.rows('public.items').map((row) => `${row['id']}=${row['text']}`)
  }

  /** Runs one whole checkpoint. */
  async checkpoint(value: number, stop: 'yes' | 'no' = 'no'): Promise<void> {
    this.leader.barrier(value, stop)
    await this.clock.run(5)
    expect(this.leader.last('sealed')?.checkpoint).toBe(BigInt(value))
    this.leader.commit(value)
    await this.clock.run(5)
    expect(this.leader.last('committed')).toMatchObject({
      checkpoint: BigInt(value),
      outcome: { kind: 'done' },
    })
  }
}
