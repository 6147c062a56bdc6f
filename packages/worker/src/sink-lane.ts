// One sink of one task. Invariants:
// - at most one open transaction (the epoch that takes records) and one cut transaction (the epoch
//   of the last seal) exist; cut() moves the open one at once, before anything is waited for, so
//   that no record after the cut can get into it; a later seal replaces the cut one;
// - who calls this keeps the port's order: seal, commit and abort never overlap, and a seal begins
//   while no take runs; a take may run beside a seal or a commit that began before it;
// - resolveTable waits for a seal in flight: it may change the target's catalogue.

import {
  fail,
  invariant,
  OnceflowError,
  type Position,
  type SinkSpec,
  type TableShape,
} from '@onceflow/model'
import type {
  AnySink,
  CommitOutcome,
  CommitPermit,
  Handle,
  InvokeResult,
  RecordBatch,
  SealOrder,
  SealResult,
  SinkContextState,
  TaskSinkScope,
} from '@onceflow/ports'
import type { Decoded, DecodeStop, RecordDecoder } from './record-decoder.ts'

type Opaque = unknown

export interface Taken {
  readonly result: InvokeResult
  readonly ignored: number
  readonly newestMs: number
}

export interface LaneRequest {
  readonly spec: SinkSpec
  readonly sink: AnySink
  readonly decoder: RecordDecoder
  readonly scope: TaskSinkScope
  /** Of a topic, as the source has it now. */
  readonly partitionsOf: (topic: string) => Promise<number>
}

export class SinkLane {
  readonly spec: SinkSpec
  readonly #request: LaneRequest
  readonly #sink: AnySink
  #context: Opaque
  #open: { readonly txn: Opaque } | undefined
  /** Start of the empty epochs since the last row: the next ledger row covers them too (P4). */
  #coveredFrom: readonly Position[] | undefined
  #sealing: Promise<unknown> | undefined
  /** The open transaction of the epoch that is being cut, until its seal begins. */
  #closing: { readonly txn: Opaque } | undefined
  #cut: { readonly txn: Opaque; readonly result: SealResult | undefined } | undefined

  constructor(request: LaneRequest) {
    this.spec = request.spec
    this.#request = request
    this.#sink = request.sink
  }

  async open(restored: SinkContextState | undefined): Promise<void> {
    const { contextSerializer } = this.#sink
    const context =
      restored === undefined
        ? undefined
        : contextSerializer.deserialize(restored.version, restored.data)
    this.#context = await this.#sink.openTask(this.#request.scope, context)
  }

  /** Gives the batch to the sink, decoded where the sink asks for changes. */
  async take(batch: RecordBatch): Promise<Taken> {
    this.#open ??= { txn: await this.#sink.beginTransaction(this.#context) }
    const { txn } = this.#open
    if (this.#sink.input === 'raw') {
      const result = await this.#sink.invoke(txn, batch, this.#context)
      return { result, ignored: 0, newestMs: newestRecordMs(batch) }
    }
    let from = 0
    let result: InvokeResult = 'accepted'
    let ignored = 0
    let newestMs = 0
    while (from < batch.records.length) {
      const decoded = this.#request.decoder.decode(batch, from)
      // A transform of the user's own will stand here, between decoding and the sink.
      ignored += decoded.ignored
      newestMs = Math.max(newestMs, newestChangeMs(decoded))
      if (decoded.changes.length > 0) {
        await this.#checkTruncates(decoded, batch)
        const answer = await this.#sink.invoke(txn, decoded.changes, this.#context)
        if (answer === 'full') result = 'full'
      }
      if (decoded.stop === undefined) break
      await this.#goOn(decoded.stop)
      from = decoded.stop.at
    }
    return { result, ignored, newestMs }
  }

  /**
   * A truncate takes what came before it in the source. Among several partitions that order is not
   * known here: it would take rows that came later, or leave rows that came before.
   */
  async #checkTruncates({ changes }: Decoded, { topic }: RecordBatch): Promise<void> {
    const truncate = changes.find(({ kind }) => kind === 'truncate')
    if (truncate === undefined) return
    const partitions = await this.#request.partitionsOf(topic)
    if (partitions <= 1) return
    fail('TRUNCATE_SPANS_TASKS', {
      detail: `a table of topic ${topic}, which has ${partitions} partitions, was truncated`,
      position: truncate.position,
    })
  }

  async #goOn(stop: DecodeStop): Promise<void> {
    if (stop.kind === 'failed') throw new OnceflowError(stop.failure)
    // A seal that fails is the seal's own news.
    await this.#sealing?.catch(() => {})
    const shape: TableShape = await this.#sink.resolveTable(stop.source, stop.declared)
    this.#request.decoder.provide(stop, shape)
  }

  /**
   * Ends the open epoch at once: the next take, which may follow before the seal has begun, is of
   * the next epoch.
   */
  cut(): void {
    this.#closing = this.#open
    this.#open = undefined
  }

  async seal(order: SealOrder): Promise<SealResult> {
    const open = this.#closing ?? { txn: await this.#sink.beginTransaction(this.#context) }
    this.#closing = undefined
    this.#cut = { txn: open.txn, result: undefined }
    const from = this.#coveredFrom ?? order.from
    const sealing = this.#sink.preCommit(open.txn, { ...order, from })
    this.#sealing = sealing
    const result = await sealing
    this.#sealing = undefined
    this.#coveredFrom = result.kind === 'empty' ? from : undefined
    this.#cut = { txn: open.txn, result }
    return result
  }

  /** The handle of the last seal: it must be readable again before it leaves for the decision. */
  handle(): Handle {
    const cut = this.#cut
    invariant(cut?.result !== undefined, 'a handle exists after the seal')
    const { transactionSerializer: serializer } = this.#sink
    const base = {
      sink: this.spec.name,
      subtask: this.#request.scope.subtask,
      version: serializer.version,
    }
    if (cut.result.kind === 'empty') return { ...base, kind: 'empty', data: null }
    const data = serializer.serialize(cut.txn)
    serializer.deserialize(serializer.version, data)
    return { ...base, kind: 'sealed', data }
  }

  context(): SinkContextState | undefined {
    if (this.#context === undefined) return undefined
    const { contextSerializer } = this.#sink
    return {
      sink: this.spec.name,
      subtask: this.#request.scope.subtask,
      version: contextSerializer.version,
      data: contextSerializer.serialize(this.#context),
    }
  }

  async commit(permit: CommitPermit): Promise<CommitOutcome> {
    const cut = this.#cut
    invariant(cut?.result?.kind === 'sealed', 'only what is sealed is committed')
    return await this.#sink.commit(cut.txn, permit)
  }

  async abortOpen(): Promise<void> {
    const open = [this.#closing, this.#open]
    this.#closing = undefined
    this.#open = undefined
    for (const one of open) if (one !== undefined) await this.#sink.abort(one.txn)
  }

  /** Only on an Abort (R3); of a seal that failed as well, since it may have reached the sink. */
  async abortCut(): Promise<void> {
    const cut = this.#cut
    this.#cut = undefined
    if (cut !== undefined && cut.result?.kind !== 'empty') await this.#sink.abort(cut.txn)
  }

  async close(): Promise<void> {
    await this.#sink.close()
  }
}

function newestChangeMs(decoded: Decoded): number {
  let newest = 0
  for (const { origin } of decoded.changes) {
    if (origin.commitTimeMs > newest) newest = origin.commitTimeMs
  }
  return newest
}

function newestRecordMs(batch: RecordBatch): number {
  let newest = 0
  for (const { timestampMs } of batch.records) if (timestampMs > newest) newest = timestampMs
  return newest
}

/** The kind under which the sink's factory is registered. */
export const factoryKindOf = (spec: SinkSpec): string =>
  spec.kind === 'custom' ? spec.type : spec.kind

export function findByKind<T extends { readonly kind: string }>(
  factories: readonly T[],
  kind: string,
): T {
  const found = factories.find((factory) => factory.kind === kind)
  if (found !== undefined) return found
  return fail('SPEC_INVALID', { detail: `this worker has no adapter of kind ${kind}` })
}
