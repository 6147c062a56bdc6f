// Carries out what the reducer of a task asks for. Nothing is decided here: each effect ends in one
// event, or in a rejection that the loop turns into one.

import type { Cut, TaskEffect, TaskEvent } from '@onceflow/dataflow'
import {
  type CheckpointNumber,
  failure,
  failureOf,
  InvariantViolation,
  invariant,
  type Position,
  type SourcePartition,
} from '@onceflow/model'
import type {
  CommitOutcome,
  LogReader,
  RecordBatch,
  SealResult,
  SourceLog,
  TaskStats,
  WorkerMessage,
} from '@onceflow/ports'
import { slicesOf } from './batch-slices.ts'
import { workerFailPoints as at } from './fail-point-names.ts'
import { ProgressPublisher } from './progress-publisher.ts'
import { factoryKindOf, findByKind, SinkLane } from './sink-lane.ts'
import type { TaskHost } from './task-host.ts'
import type { StartTask } from './task-loop.ts'

type Counters = Pick<
  TaskStats,
  'recordsIn' | 'bytesIn' | 'rowsUpserted' | 'rowsDeleted' | 'ignored' | 'lagRecords'
>

export class TaskPerformer {
  readonly #host: TaskHost
  readonly #order: StartTask
  readonly #lanes: SinkLane[] = []
  #log: SourceLog | undefined
  #reader: LogReader | undefined
  #progress: ProgressPublisher | undefined
  #turnBeganMs: number
  #closed: 'yes' | 'no' = 'no'
  #counts = { recordsIn: 0, bytesIn: 0, rowsUpserted: 0, rowsDeleted: 0, ignored: 0 }

  constructor(host: TaskHost, order: StartTask) {
    this.#host = host
    this.#order = order
    this.#turnBeganMs = host.clock.monotonicMs()
  }

  async open(): Promise<TaskEvent> {
    await this.#host.failPoints.reached(at.startBefore)
    const { spec, positions, contexts } = this.#order
    for (const lane of this.#makeLanes()) {
      this.#lanes.push(lane)
      const restored = contexts.find(
        ({ sink, subtask }) => sink === lane.spec.name && subtask === this.#order.subtask,
      )
      await lane.open(restored)
    }
    const { sources, limits, clock } = this.#host
    this.#log = await findByKind(sources, spec.source.kind).open(spec.source)
    this.#reader = await this.#log.open({ positions, bufferBytesMax: limits.readerBytesMax })
    this.#progress = new ProgressPublisher({
      log: this.#log,
      clock,
      group: `onceflow-${spec.name}`,
      intervalMs: limits.progressIntervalMs,
      onFailure: (error) => this.#warn('progress was not published', error),
    })
    await this.#host.failPoints.reached(at.startAfter)
    // The task was closed while it still opened: nobody else would close what came after that.
    if (this.#closed === 'yes') await this.#closeAll(undefined)
    return { kind: 'opened' }
  }

  #makeLanes(): readonly SinkLane[] {
    const { spec, pipeline, attempt, leaderEpoch, subtask, heads } = this.#order
    const { tables, otherTables } = spec
    return spec.sinks.map((sinkSpec) => {
      const factory = findByKind(this.#host.sinks, factoryKindOf(sinkSpec))
      const sink = factory.create({ spec: sinkSpec, tables, otherTables })
      const { format, decimals, binary, placeholder } = spec.source
      const written = {
        ...(decimals === undefined ? {} : { decimals }),
        ...(binary === undefined ? {} : { binary }),
        ...(placeholder === undefined ? {} : { placeholder }),
      }
      return new SinkLane({
        spec: sinkSpec,
        sink,
        decoder: this.#host.createDecoder({ format, tables, otherTables, ...written }),
        scope: {
          cluster: this.#host.cluster(),
          pipeline,
          sink: sinkSpec.name,
          attempt,
          leaderEpoch,
          subtask,
          heads: heads.filter((head) => head.sink === sinkSpec.name),
        },
        partitionsOf: (topic) => this.#partitionsOf(topic),
      })
    })
  }

  async #partitionsOf(topic: string): Promise<number> {
    invariant(this.#log !== undefined, 'a task takes records of a log that is open')
    const all = await this.#log.inspect()
    return all.filter((place) => place.topic === topic).length
  }

  async poll(): Promise<TaskEvent> {
    invariant(this.#reader !== undefined, 'a task polls only what it has opened')
    const { limits } = this.#host
    const batches = await this.#reader.poll(limits.pollWaitMs)
    // Waiting for records gave the event loop back.
    if (batches.length === 0) this.#turnBeganMs = this.#host.clock.monotonicMs()
    return { kind: 'polled', batches: batches.flatMap((batch) => slicesOf(batch, limits)) }
  }

  async invoke(batch: RecordBatch): Promise<TaskEvent> {
    await this.#yieldWhenDue()
    let result: 'accepted' | 'full' = 'accepted'
    let newestMs = 0
    for (const lane of this.#lanes) {
      const taken = await lane.take(batch)
      if (taken.result === 'full') result = 'full'
      newestMs = Math.max(newestMs, taken.newestMs)
      this.#counts.ignored += taken.ignored
    }
    this.#counts.recordsIn += batch.records.length
    this.#counts.bytesIn += batch.bytes
    return { kind: 'invoked', result, newestMs }
  }

  /** Slices follow each other in promises alone, which would starve sockets and timers. */
  async #yieldWhenDue(): Promise<void> {
    const { clock, limits, yieldTurn } = this.#host
    if (clock.monotonicMs() - this.#turnBeganMs < limits.turnMs) return
    await yieldTurn()
    this.#turnBeganMs = clock.monotonicMs()
  }

  async seal(cut: Cut): Promise<TaskEvent> {
    const { clock, failPoints } = this.#host
    const { checkpoint, from, to } = cut
    const began = clock.monotonicMs()
    // Before anything is waited for: the reducer hands over records of the next epoch right away.
    for (const lane of this.#lanes) lane.cut()
    await failPoints.reached(at.cutAfter)
    await failPoints.reached(at.sealBefore)
    // Every sink is waited for, also after one has failed: calls on a sink never overlap.
    const seals = await Promise.allSettled(
      this.#lanes.map((lane) => lane.seal({ checkpoint, from, to })),
    )
    const results = seals.map((seal): SealResult => {
      if (seal.status === 'rejected') throw seal.reason
      return seal.value
    })
    await failPoints.reached(at.sealAfter)
    let rows = 0
    for (const result of results) {
      if (result.kind === 'empty') continue
      this.#counts.rowsUpserted += result.rowsUpserted
      this.#counts.rowsDeleted += result.rowsDeleted
      rows += result.rowsUpserted + result.rowsDeleted
    }
    return {
      kind: 'sealed',
      checkpoint,
      handles: this.#lanes.map((lane) => lane.handle()),
      contexts: this.#lanes.flatMap((lane) => lane.context() ?? []),
      rows,
      sealMs: Math.round(clock.monotonicMs() - began),
    }
  }

  async commit(effect: Extract<TaskEffect, { kind: 'commit' }>): Promise<TaskEvent> {
    const { clock, failPoints } = this.#host
    const { sink, permit } = effect
    const { checkpoint } = permit
    const began = clock.monotonicMs()
    await failPoints.reached(at.commitBefore)
    const lane = this.#lanes.find(({ spec }) => spec.name === sink)
    invariant(lane !== undefined, `the task has a sink ${sink}`)
    let outcome: CommitOutcome = await lane.commit(permit).catch(unknownOutcome)
    await failPoints.reached(at.commitAfter)
    const lost = failPoints.reached(at.commitLost)
    if (lost !== undefined) {
      await lost
      outcome = unknownOutcome(new Error('the answer to the commit was lost'))
    }
    if (outcome.kind !== 'committed') this.#warn(`commit is ${outcome.kind}`, outcome.failure)
    const commitMs = Math.round(clock.monotonicMs() - began)
    return { kind: 'commit-outcome', sink, checkpoint, outcome, commitMs }
  }

  /** Synchronous unless a test has armed one of the fail points of this message. */
  async send(message: WorkerMessage): Promise<void> {
    const points = pointsOf(message)
    if (points === undefined) {
      this.#host.send(message)
      return
    }
    const { failPoints } = this.#host
    const before = failPoints.reached(points.before)
    if (before !== undefined) await before
    const lost = failPoints.reached(points.lost)
    if (lost !== undefined) {
      await lost
      return
    }
    this.#host.send(message)
    await failPoints.reached(points.after)
  }

  publish(positions: readonly Position[]): void {
    this.#progress?.publish(positions)
  }

  async closeReader(): Promise<void> {
    this.#progress?.stop()
    const reader = this.#reader
    const log = this.#log
    this.#reader = undefined
    this.#log = undefined
    await this.#quietly('reader', reader?.close())
    await this.#quietly('source', log?.close())
  }

  /** Never fails: what cannot be rolled back or closed here is RESOLVE's (R4). */
  async close(rollBack: CheckpointNumber | undefined): Promise<TaskEvent> {
    const { clock, limits } = this.#host
    this.#closed = 'yes'
    const bound = new Promise<void>((resolve) => {
      clock.after(limits.closeMs, resolve)
    })
    await Promise.race([bound, this.#closeAll(rollBack)])
    return { kind: 'closed' }
  }

  async #closeAll(rollBack: CheckpointNumber | undefined): Promise<void> {
    // An open that failed half-way may have opened the source after the reader was closed.
    await this.closeReader()
    await Promise.all(
      this.#lanes.map(async (lane) => {
        if (rollBack !== undefined) await this.#quietly('roll-back', lane.abortCut())
        await this.#quietly('open transaction', lane.abortOpen())
        await this.#quietly('sink', lane.close())
      }),
    )
  }

  async #quietly(what: string, work: Promise<void> | undefined): Promise<void> {
    try {
      await work
    } catch (error) {
      if (error instanceof InvariantViolation) throw error
      this.#warn(`${what} was not closed`, error)
    }
  }

  #warn(message: string, error: unknown): void {
    const { pipeline, attempt, subtask } = this.#order
    const { code, detail } = isFailure(error) ? error : failureOf(error)
    this.#host.journal.write('warn', message, { pipeline, attempt, subtask, code, detail })
  }

  counters(): Counters {
    let lagRecords = 0n
    for (const { position, end } of this.#reader?.lag() ?? []) {
      if (end > position) lagRecords += end - position
    }
    return { ...this.#counts, lagRecords: Number(lagRecords) }
  }

  newPartitions(): readonly SourcePartition[] {
    return this.#reader?.newPartitions() ?? []
  }
}

/** R7: whatever a commit throws, its outcome is not known until the sink says so. */
function unknownOutcome(error: unknown): CommitOutcome {
  if (error instanceof InvariantViolation) throw error
  const { code, detail } = failureOf(error)
  return { kind: 'unknown', failure: failure(code, { detail }) }
}

const isFailure = (value: unknown): value is { code: string; detail: string } =>
  typeof value === 'object' && value !== null && 'code' in value && 'detail' in value

function pointsOf(message: WorkerMessage) {
  switch (message.kind) {
    case 'sealed':
      return {
        before: at.acknowledgeBefore,
        lost: at.acknowledgeLost,
        after: at.acknowledgeAfter,
      }
    case 'committed':
      return { before: at.confirmBefore, lost: at.confirmLost, after: at.confirmAfter }
    default:
      return undefined
  }
}
