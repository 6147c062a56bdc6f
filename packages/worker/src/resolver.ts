// Carries out RESOLVE (R4): what a leader has decided is committed, what it has not is rolled back,
// on every sink of the spec. Invariants:
// - tasks of lower attempts on this worker have ended before a sink is touched;
// - a result is sent only while its attempt is the highest that this worker knows of; a lower one
//   is answered as stale, and its sinks are still closed;
// - each order has sinks of its own, so that orders of different attempts never share a call.

import {
  type Attempt,
  failure,
  failureOf,
  InvariantViolation,
  type PipelineUid,
  type SinkSpec,
} from '@onceflow/model'
import type {
  AnySink,
  LeaderMessage,
  RecordOfHandles,
  ResolveOutcome,
  WorkerMessage,
} from '@onceflow/ports'
import { workerFailPoints as at } from './fail-point-names.ts'
import {
  abortedOutcome,
  combined,
  committedOutcome,
  failed,
  finishedOutcome,
} from './resolve-outcome.ts'
import { factoryKindOf, findByKind } from './sink-lane.ts'
import type { TaskHost } from './task-host.ts'
import type { TaskTable } from './task-table.ts'

type ResolveCommit = Extract<LeaderMessage, { kind: 'resolve-commit' }>
type ResolveAbort = Extract<LeaderMessage, { kind: 'resolve-abort' }>
type Order = ResolveCommit | ResolveAbort

export interface ResolverOptions {
  readonly host: TaskHost
  readonly tasks: TaskTable
  /** The highest attempt of a pipeline that this worker has heard of. */
  readonly attemptOf: (pipeline: PipelineUid) => Attempt | undefined
  readonly answer: (message: WorkerMessage) => void
  readonly answerStale: (order: Order) => void
}

export class Resolver {
  readonly #options: ResolverOptions
  /** Orders being carried out: the same order twice is one order. */
  readonly #running = new Set<string>()

  constructor(options: ResolverOptions) {
    this.#options = options
  }

  /** The order's stamp was checked. Never rejects; a broken invariant goes to onDefect. */
  resolve(order: Order): void {
    const key = `${order.kind} ${order.pipeline} ${order.attempt} ${order.revision}`
    if (this.#running.has(key)) return
    this.#running.add(key)
    this.#carryOut(order)
      .catch(this.#options.host.onDefect)
      .finally(() => this.#running.delete(key))
  }

  async #carryOut(order: Order): Promise<void> {
    const { tasks, host } = this.#options
    const { failPoints } = host
    await tasks.endBelow(order.pipeline, order.attempt)
    const phase = order.kind === 'resolve-commit'
    await failPoints.reached(phase ? at.resolveCommitBefore : at.resolveAbortBefore)
    const outcome = this.#isStale(order) ? undefined : await this.#onEverySink(order)
    await failPoints.reached(phase ? at.resolveCommitAfter : at.resolveAbortAfter)
    const lost = failPoints.reached(phase ? at.resolveCommitLost : at.resolveAbortLost)
    if (lost !== undefined) {
      await lost
      return
    }
    if (outcome === undefined || this.#isStale(order)) this.#options.answerStale(order)
    else this.#answer(order, outcome)
  }

  #isStale(order: Order): boolean {
    const known = this.#options.attemptOf(order.pipeline)
    return known !== undefined && known > order.attempt
  }

  #answer(order: Order, outcome: ResolveOutcome): void {
    const { pipeline, attempt, leaderEpoch } = order
    const kind = order.kind === 'resolve-commit' ? 'resolve-committed' : 'resolve-aborted'
    this.#options.host.journal.write(outcome.kind === 'done' ? 'info' : 'warn', kind, {
      pipeline,
      attempt,
      outcome: outcome.kind,
      ...(outcome.kind === 'failed' ? { code: outcome.failure.code } : {}),
    })
    this.#options.answer({ pipeline, attempt, leaderEpoch, kind, outcome })
  }

  async #onEverySink(order: Order): Promise<ResolveOutcome> {
    const known = new Set(order.spec.sinks.map(({ name }) => name))
    const open = order.kind === 'resolve-commit' ? order.open : []
    const strange = open
      .flatMap(({ handles }) => handles)
      .find((handle) => handle.kind === 'sealed' && !known.has(handle.sink))
    if (strange !== undefined) {
      const detail = `a decided handle names the sink ${strange.sink}, which the spec lacks`
      return failed(failure('PRECONDITION_FAILED', { detail }))
    }
    const outcomes = order.spec.sinks.map((spec) => this.#onSink(order, spec))
    return combined(await Promise.all(outcomes))
  }

  async #onSink(order: Order, spec: SinkSpec): Promise<ResolveOutcome> {
    const { host } = this.#options
    const { tables, otherTables } = order.spec
    let sink: AnySink | undefined
    try {
      const factory = findByKind(host.sinks, factoryKindOf(spec))
      sink = factory.create({ spec, tables, otherTables })
      const { pipeline, attempt, leaderEpoch } = order
      const cluster = host.cluster()
      await sink.openRecovery({ cluster, pipeline, sink: spec.name, attempt, leaderEpoch })
      return order.kind === 'resolve-commit'
        ? await commitOn(sink, spec, order)
        : await this.#abortOn(sink, spec, order)
    } catch (error) {
      if (error instanceof InvariantViolation) throw error
      return failed(failureOf(error))
    } finally {
      await sink?.close().catch((error: unknown) => {
        const { code, detail } = failureOf(error)
        host.journal.write('warn', 'sink was not closed', { sink: spec.name, code, detail })
      })
    }
  }

  async #abortOn(sink: AnySink, spec: SinkSpec, order: ResolveAbort): Promise<ResolveOutcome> {
    const { known, retireMark, heads, newestDecided } = order
    const aborted = abortedOutcome(await sink.recoverAndAbort({ open: [], known, retireMark }))
    if (aborted.kind !== 'done') return aborted
    await this.#options.host.failPoints.reached(at.resolveFenceBefore)
    const own = heads.filter((head) => head.sink === spec.name)
    return finishedOutcome(await sink.finishRecovery({ heads: own, newestDecided }))
  }
}

async function commitOn(
  sink: AnySink,
  spec: SinkSpec,
  order: ResolveCommit,
): Promise<ResolveOutcome> {
  const { known, retireMark } = order
  const open = order.open.flatMap((record) => decidedOf(sink, spec, record))
  return committedOutcome(spec.name, await sink.recoverAndCommit({ open, known, retireMark }))
}

function decidedOf(sink: AnySink, spec: SinkSpec, record: RecordOfHandles) {
  const { checkpoint, attempt } = record
  return record.handles
    .filter((handle) => handle.sink === spec.name && handle.kind === 'sealed')
    .map(({ subtask, version, data }) => {
      const txn: unknown = sink.transactionSerializer.deserialize(version, data)
      return { checkpoint, attempt, subtask, txn }
    })
}
