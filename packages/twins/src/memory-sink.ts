import {
  type Change,
  fail,
  failure,
  invariant,
  type Json,
  type SourceTable,
  type TableShape,
} from '@onceflow/model'
import type {
  CommitOutcome,
  CommitPermit,
  DecidedSet,
  DecodedInput,
  FinishResult,
  InvokeResult,
  LedgerExpectation,
  LostTransaction,
  RecoverAbortResult,
  RecoverCommitResult,
  SealOrder,
  SealResult,
  SinkFactory,
  SinkScope,
  TaskSinkScope,
  TwoPhaseCommitSink,
} from '@onceflow/ports'
import { type Gid, gidText, type MemoryDatabase } from './memory-database.ts'

/** gid is undefined until the seal; its text alone finishes the transaction. */
export interface MemoryTransaction {
  gid: string | undefined
  readonly changes: Change[]
}

export interface MemorySinkContext {
  readonly subtask: number
}

/** Changes in one transaction before invoke says full. */
const changesMax = 10_000

/**
 * A sink of decoded changes over a MemoryDatabase: enough for the loops, with the fence, the ledger
 * and the three-valued commit of a real one.
 *
 * Invariants: an instance serves a task or a RESOLVE, never both; it touches its tables only by
 * commitPrepared; it seals only while the fence is its own attempt.
 */
export class MemorySink
  implements TwoPhaseCommitSink<DecodedInput, MemoryTransaction, MemorySinkContext>
{
  readonly input = 'decoded'
  readonly transactionSerializer = {
    version: 1,
    serialize: (txn: MemoryTransaction): Json => {
      invariant(txn.gid !== undefined, 'only a sealed transaction is serialised')
      return { gid: txn.gid }
    },
    deserialize: (version: number, json: Json): MemoryTransaction => {
      return { gid: textField(version, json, 'gid'), changes: [] }
    },
  }
  readonly contextSerializer = {
    version: 1,
    serialize: (context: MemorySinkContext): Json => ({ subtask: String(context.subtask) }),
    deserialize: (version: number, json: Json): MemorySinkContext => {
      return { subtask: Number(textField(version, json, 'subtask')) }
    },
  }
  readonly #database: MemoryDatabase
  readonly #shapes: ReadonlyMap<string, TableShape>
  #scope: SinkScope | undefined
  #task: TaskSinkScope | undefined

  /** shapes: the catalogue, for schemaless records. */
  constructor(database: MemoryDatabase, shapes: readonly TableShape[] = []) {
    this.#database = database
    this.#shapes = new Map(shapes.map((shape) => [tableText(shape.source), shape]))
  }

  async openTask(
    scope: TaskSinkScope,
    restored: MemorySinkContext | undefined,
  ): Promise<MemorySinkContext> {
    this.#task = scope
    this.#checkFence(scope)
    return restored ?? { subtask: scope.subtask }
  }

  async resolveTable(source: SourceTable, declared: TableShape | undefined): Promise<TableShape> {
    const shape = this.#shapes.get(tableText(source)) ?? declared
    if (shape === undefined) fail('TARGET_TABLE_MISSING', { detail: `table ${tableText(source)}` })
    return shape
  }

  async beginTransaction(): Promise<MemoryTransaction> {
    return { gid: undefined, changes: [] }
  }

  async invoke(txn: MemoryTransaction, batch: DecodedInput): Promise<InvokeResult> {
    invariant(txn.gid === undefined, 'a sealed transaction takes no more changes')
    txn.changes.push(...batch)
    return txn.changes.length >= changesMax ? 'full' : 'accepted'
  }

  async preCommit(txn: MemoryTransaction, order: SealOrder): Promise<SealResult> {
    const task = this.#openedTask()
    this.#checkFence(task)
    if (txn.changes.length === 0) return { kind: 'empty' }
    const { cluster, pipeline, sink, subtask, attempt } = task
    const gid: Gid = { cluster, pipeline, sink, subtask, attempt, checkpoint: order.checkpoint }
    const ledger = { ...gid, from: order.from, to: order.to }
    this.#database.prepare({ gid, changes: [...txn.changes], ledger })
    txn.gid = gidText(gid)
    const rowsDeleted = txn.changes.filter((change) => change.kind === 'delete').length
    return { kind: 'sealed', rowsUpserted: txn.changes.length - rowsDeleted, rowsDeleted }
  }

  async commit(txn: MemoryTransaction, permit: CommitPermit): Promise<CommitOutcome> {
    invariant(txn.gid !== undefined, 'only a sealed transaction is committed')
    invariant(permit.decision > 0n, 'a permit names the revision of its decision')
    return this.#commitGid(txn.gid)
  }

  async abort(txn: MemoryTransaction): Promise<void> {
    if (txn.gid !== undefined) this.#database.rollbackPrepared(txn.gid)
    txn.changes.length = 0
  }

  async openRecovery(scope: SinkScope): Promise<void> {
    this.#scope = scope
    const fence = this.#database.fence(scope)
    if (fence !== undefined && fence.attempt > scope.attempt) {
      fail('FENCED', { detail: `the fence stands at attempt ${fence.attempt}` })
    }
  }

  async recoverAndCommit(decided: DecidedSet<MemoryTransaction>): Promise<RecoverCommitResult> {
    const scope = this.#openedRecovery()
    const lost: LostTransaction[] = []
    for (const { subtask, checkpoint, txn } of decided.open) {
      invariant(txn.gid !== undefined, 'a decided handle names its gid')
      const outcome = await this.#settle(txn.gid)
      if (outcome.kind === 'lost') lost.push({ subtask, checkpoint, failure: outcome.failure })
    }
    for (const { gid } of this.#database.preparedOf(scope)) {
      if (gid.attempt > scope.attempt) return stopped('FENCED', gid)
      if (gid.checkpoint <= decided.retireMark) return stopped('ORPHAN_BELOW_MARK', gid)
      const record = decided.known.find(({ checkpoint }) => checkpoint === gid.checkpoint)
      const isDecided = record?.attempt === gid.attempt && record.state !== 'undone'
      if (isDecided) await this.#settle(gidText(gid))
    }
    return { kind: 'done', lost }
  }

  async recoverAndAbort(): Promise<RecoverAbortResult> {
    const scope = this.#openedRecovery()
    let rolledBack = 0
    for (const { gid } of this.#database.preparedOf(scope)) {
      if (gid.attempt >= scope.attempt) {
        return stopped('FENCED', gid)
      }
      this.#database.rollbackPrepared(gidText(gid))
      rolledBack += 1
    }
    return { kind: 'done', rolledBack }
  }

  async finishRecovery(expectation: LedgerExpectation): Promise<FinishResult> {
    const scope = this.#openedRecovery()
    const fence = this.#database.raiseFence(scope)
    if (fence.attempt > scope.attempt) {
      const detail = `the fence stands at attempt ${fence.attempt}`
      return { kind: 'stale', failure: failure('FENCED', { detail }) }
    }
    const rows = this.#database.ledgerOf(scope)
    const ahead = rows.find((row) => row.checkpoint > expectation.newestDecided)
    if (ahead !== undefined) {
      return { kind: 'ahead', failure: failure('SINK_AHEAD', { detail: `row ${gidText(ahead)}` }) }
    }
    const missing = expectation.heads.filter(
      (head) =>
        !rows.some((row) => row.subtask === head.subtask && row.checkpoint === head.checkpoint),
    )
    if (missing.length === 0) return { kind: 'done' }
    const detail = `${missing.length} ledger heads are not in the target`
    return { kind: 'missing', heads: missing, failure: failure('DATA_LOSS', { detail }) }
  }

  async close(): Promise<void> {}

  /** Commits until the outcome is known; a fault of the database is used up by each try. */
  async #settle(gid: string): Promise<CommitOutcome> {
    let outcome = this.#commitGid(gid)
    while (outcome.kind === 'unknown') outcome = this.#commitGid(gid)
    return outcome
  }

  #commitGid(gid: string): CommitOutcome {
    const fault = this.#database.nextFault()
    if (fault === 'applied-unknown') this.#database.commitPrepared(gid)
    if (fault !== undefined) {
      const detail = 'twin: the answer to a commit was lost'
      return { kind: 'unknown', failure: failure('SINK_UNREACHABLE', { detail }) }
    }
    const committed = this.#database.commitPrepared(gid) === 'committed'
    if (committed || this.#database.hasLedgerRow(gid)) return { kind: 'committed' }
    return { kind: 'lost', failure: failure('DATA_LOSS', { detail: `${gid} is gone` }) }
  }

  #checkFence(scope: SinkScope): void {
    const fence = this.#database.fence(scope)
    if (fence?.attempt === scope.attempt) return
    const stands = fence === undefined ? 'is absent' : `stands at attempt ${fence.attempt}`
    fail('FENCED', { detail: `attempt ${scope.attempt}: the fence ${stands}` })
  }

  #openedTask(): TaskSinkScope {
    invariant(this.#task !== undefined, 'the sink was opened for a task')
    return this.#task
  }

  #openedRecovery(): SinkScope {
    invariant(this.#scope !== undefined, 'the sink was opened for a recovery')
    return this.#scope
  }
}

/** Sinks of a test; every sink of the kind writes to the same database. */
export function memorySinkFactory(
  database: MemoryDatabase,
  options: { readonly kind?: string; readonly shapes?: readonly TableShape[] } = {},
): SinkFactory {
  return {
    kind: options.kind ?? 'memory',
    create: () => new MemorySink(database, options.shapes),
    claim: () => ({ guarantee: 'exactly-once', reason: 'two-phase commit in memory' }),
    preflight: async () => [],
  }
}

const tableText = ({ schema, table }: SourceTable): string => `${schema}.${table}`

const stopped = (code: 'FENCED' | 'ORPHAN_BELOW_MARK', gid: Gid) => ({
  kind: 'stopped' as const,
  failure: failure(code, { detail: `prepared transaction ${gidText(gid)}` }),
})

function textField(version: number, json: Json, name: string): string {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  const value = isObject ? (json as { readonly [k: string]: Json })[name] : undefined
  if (version !== 1 || typeof value !== 'string') {
    fail('METADATA_FORMAT', { detail: `memory sink: version ${version} without ${name}` })
  }
  return value
}
