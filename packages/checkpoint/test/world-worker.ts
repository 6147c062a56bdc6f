import {
  type Attempt,
  type CheckpointNumber,
  failure,
  type LeaderEpoch,
  offset,
  type Position,
  type Subtask,
} from '@onceflow/model'
import type { LeaderMessage, PartitionInfo, TaskReport, WorkerMessage } from '@onceflow/ports'
import { expect } from 'vitest'
import { keys, type PipelineMessage } from '../src/index.ts'
import { handle, type Said, uid } from './pipeline-fixture.ts'
import type { WorldSink } from './world-sink.ts'
import type { WorldStore } from './world-store.ts'

interface Task {
  readonly attempt: Attempt
  readonly subtask: Subtask
  positions: readonly Position[]
  sealed: PipelineMessage | undefined
  committed: CheckpointNumber | undefined
  lastBarrier: CheckpointNumber | undefined
  state: 'runs' | 'failed'
}

type Stamped = Extract<LeaderMessage, { pipeline: unknown }>

/** What is true of the whole world and seen by every worker. */
export interface WorldParts {
  readonly store: WorldStore
  readonly sink: WorldSink
  readonly ends: Map<number, bigint>
  /** `attempt/phase` of each RESOLVE phase whose end the leader was told. */
  readonly resolved: Set<string>
  partitions(): readonly PartitionInfo[]
}

/** A worker process: it obeys the newest leader, and does what its messages say at once. */
export class WorldWorker {
  readonly key: string
  readonly tasks = new Map<Subtask, Task>()
  readonly outbox: PipelineMessage[] = []
  /** The next answer to an order is this failure. */
  trouble: 'none' | 'retry' | 'fatal' = 'none'
  epoch = 0n
  attempt = 0n
  readonly #parts: WorldParts

  constructor(key: string, parts: WorldParts) {
    this.key = key
    this.#parts = parts
  }

  reports(): readonly TaskReport[] {
    return [...this.tasks.values()].map((task) => ({
      pipeline: uid,
      attempt: task.attempt,
      subtask: task.subtask,
      lastBarrier: task.lastBarrier,
      lastCommitted: task.committed,
      sealing: 'no',
    }))
  }

  /** A new stream: what may be lost with the old one is said again. */
  linkUp(epoch: LeaderEpoch): void {
    this.epoch = epoch > this.epoch ? epoch : this.epoch
    this.outbox.length = 0
    for (const task of this.tasks.values()) {
      if (task.state === 'failed') this.#say(task, this.#failedOf(task))
      else if (task.sealed !== undefined) this.outbox.push(task.sealed)
      else if (task.committed !== undefined) this.#say(task, doneOf(task, task.committed))
      else this.#say(task, { kind: 'task-started', subtask: task.subtask })
    }
    this.want()
  }

  failTask(which: number): void {
    const task = [...this.tasks.values()][which % Math.max(1, this.tasks.size)]
    if (task === undefined || task.state === 'failed') return
    task.state = 'failed'
    this.#say(task, this.#failedOf(task))
  }

  want(): void {
    for (const task of this.tasks.values()) {
      const behind = task.positions.some(
        (place) => place.offset < (this.#parts.ends.get(place.partition) ?? 0n),
      )
      if (behind && task.state === 'runs') {
        this.#say(task, { kind: 'barrier-wanted', subtask: task.subtask, reason: 'data' })
      }
    }
  }

  take(message: LeaderMessage): void {
    if (!('pipeline' in message) || message.leaderEpoch < this.epoch) return
    this.epoch = message.leaderEpoch
    const taught = message.kind === 'abort' ? message.next : message.attempt
    if (message.kind !== 'inspect') {
      if (taught < this.attempt) return
      this.attempt = taught
      if (message.kind !== 'abort') this.#endBelow(message.attempt)
    }
    this.#obey(message)
  }

  #obey(message: Stamped): void {
    switch (message.kind) {
      case 'inspect':
        this.#answer(message, this.#inspect())
        break
      case 'resolve-commit':
        this.#resolveCommit(message)
        break
      case 'resolve-abort':
        this.#resolveAbort(message)
        break
      case 'start-task':
        this.#start(message)
        break
      case 'inject-barrier':
        for (const task of this.#of(message.attempt)) this.#cut(task, message.checkpoint)
        break
      case 'commit':
        this.#commit(message)
        break
      case 'abort':
        this.#abort(message)
        break
      case 'stop-tasks':
        for (const task of this.#of(message.attempt)) this.tasks.delete(task.subtask)
        this.#answer(message, { kind: 'tasks-ended' })
        break
    }
  }

  #inspect(): Said {
    const trouble = this.#takeTrouble()
    return {
      kind: 'inspected',
      result:
        trouble === undefined
          ? { kind: 'ok', partitions: this.#parts.partitions(), claims: [], warnings: [] }
          : { kind: 'failed', failures: [trouble] },
    }
  }

  #resolveCommit(order: Extract<LeaderMessage, { kind: 'resolve-commit' }>): void {
    const trouble = this.#takeTrouble()
    if (trouble !== undefined) {
      this.#answer(order, {
        kind: 'resolve-committed',
        outcome: { kind: 'failed', failure: trouble },
      })
      return
    }
    for (const record of order.open) {
      for (const { subtask } of record.handles) {
        const done = this.#parts.sink.commit({ ...record, subtask })
        expect(done, `R7 checkpoint ${record.checkpoint} is not lost`).toBe('done')
      }
    }
    this.#answer(order, { kind: 'resolve-committed', outcome: { kind: 'done' } })
  }

  #resolveAbort(order: Extract<LeaderMessage, { kind: 'resolve-abort' }>): void {
    expect(this.#parts.resolved.has(`${order.attempt}/commit`), 'CK-7 phase two follows').toBe(true)
    const trouble = this.#takeTrouble()
    const known = new Set(order.known.map(({ checkpoint }) => BigInt(checkpoint)))
    const done = trouble ?? this.#parts.sink.resolve(order.attempt, known)
    const outcome =
      done === 'done'
        ? { kind: 'done' as const }
        : {
            kind: 'failed' as const,
            failure: done === 'stale' ? failure('FENCED', { detail: 'stale' }) : done,
          }
    this.#answer(order, { kind: 'resolve-aborted', outcome })
  }

  #start(order: Extract<LeaderMessage, { kind: 'start-task' }>): void {
    const { attempt, subtask, positions } = order
    expect(this.#parts.resolved.has(`${attempt}/abort`), 'CK-7 no task before RESOLVE').toBe(true)
    if (this.tasks.get(subtask)?.attempt === attempt) return
    const fresh = { sealed: undefined, committed: undefined, lastBarrier: undefined }
    this.tasks.set(subtask, { attempt, subtask, positions, state: 'runs', ...fresh })
    this.#answer(order, { kind: 'task-started', subtask })
    this.want()
  }

  #cut(task: Task, checkpoint: CheckpointNumber): void {
    if (task.state === 'failed' || task.sealed !== undefined) return
    if (task.lastBarrier !== undefined && checkpoint <= task.lastBarrier) return
    task.lastBarrier = checkpoint
    const { ends, sink } = this.#parts
    const from = task.positions
    const to = from.map((place) => ({
      ...place,
      offset: offset(ends.get(place.partition) ?? place.offset),
    }))
    const { attempt, subtask } = task
    const empty = to.every((place, index) => place.offset === from[index]?.offset)
    if (!empty && sink.prepare({ checkpoint, attempt, subtask, from, to }) === 'fenced') {
      task.state = 'failed'
      this.#say(task, this.#failedOf(task))
      return
    }
    task.positions = to
    task.committed = undefined
    task.sealed = this.#stamped(task, {
      kind: 'sealed',
      subtask,
      checkpoint,
      positions: to,
      handles: [handle(subtask, empty ? 'empty' : 'sealed')],
      contexts: [],
      records: 1,
      rows: 1,
      sealMs: 1,
    })
    this.outbox.push(task.sealed)
  }

  #commit(order: Extract<LeaderMessage, { kind: 'commit' }>): void {
    const stored = this.#parts.store.meta.get(keys.recordKey(uid, order.checkpoint))
    if (!this.#parts.store.decided.has(order.checkpoint)) expect.fail('CK-3 commit undecided')
    if (stored !== undefined) {
      expect(stored.created, 'CK-3 the revision of the decision').toBe(order.revision)
    }
    for (const task of this.#of(order.attempt)) {
      if (task.sealed?.kind !== 'sealed' || task.sealed.checkpoint !== order.checkpoint) continue
      const { attempt, subtask } = task
      if (task.sealed.handles.some(({ kind }) => kind === 'sealed')) {
        const done = this.#parts.sink.commit({ checkpoint: order.checkpoint, attempt, subtask })
        expect(done).toBe('done')
      }
      task.sealed = undefined
      task.committed = order.checkpoint
      this.#say(task, doneOf(task, order.checkpoint))
    }
    this.want()
  }

  #abort(order: Extract<LeaderMessage, { kind: 'abort' }>): void {
    const { checkpoint, next } = order
    if (checkpoint !== undefined) {
      expect(this.#parts.store.decided.has(checkpoint), 'CK-5 no Abort of a decision').toBe(false)
      expect(this.#parts.store.aborted.has(checkpoint), 'CK-5 R3 is stored first').toBe(true)
    }
    for (const task of [...this.tasks.values()]) {
      if (task.attempt >= next) continue
      this.tasks.delete(task.subtask)
      if (task.attempt !== next - 1n || checkpoint === undefined) continue
      const { attempt, subtask } = task
      if (task.sealed?.kind === 'sealed' && task.sealed.checkpoint === checkpoint) {
        this.#parts.sink.rollBack({ checkpoint, attempt, subtask })
      }
    }
    this.#answer(order, { kind: 'tasks-ended' })
  }

  #of(attempt: Attempt): readonly Task[] {
    return [...this.tasks.values()].filter((task) => task.attempt === attempt)
  }

  #endBelow(attempt: Attempt): void {
    for (const task of [...this.tasks.values()]) {
      if (task.attempt < attempt) this.tasks.delete(task.subtask)
    }
  }

  #takeTrouble() {
    const { trouble } = this
    this.trouble = 'none'
    if (trouble === 'none') return undefined
    const code = trouble === 'retry' ? 'SINK_UNREACHABLE' : 'ORPHAN_BELOW_MARK'
    return failure(code, { detail: 'trouble' })
  }

  #failedOf(task: Task): Said {
    const { subtask } = task
    return {
      kind: 'task-failed',
      subtask,
      failure: failure('SINK_UNREACHABLE', { detail: 'it broke' }),
    }
  }

  #stamped(of: { readonly attempt: Attempt }, message: Said): PipelineMessage {
    const stamp = { pipeline: uid, attempt: of.attempt, leaderEpoch: this.epoch }
    return { ...message, ...stamp } as PipelineMessage & WorkerMessage
  }

  #say(task: Task, message: Said): void {
    this.outbox.push(this.#stamped(task, message))
  }

  #answer(order: Stamped, message: Said): void {
    this.outbox.push(this.#stamped(order, message))
  }
}

const doneOf = (task: Task, checkpoint: CheckpointNumber): Said => ({
  kind: 'committed',
  subtask: task.subtask,
  checkpoint,
  outcome: { kind: 'done' },
  commitMs: 1,
})
