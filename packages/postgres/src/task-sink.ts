// Invariants:
// - the writer's session is opened once: when it breaks, the attempt fails (what an open
//   transaction or an UNLOGGED staging table held may be gone), and RESOLVE decides;
// - the committer has a link of its own and opens sessions as often as it must: the commit of a
//   decided transaction never waits behind a writer and never gives up by itself;
// - rows of an epoch are in the target only between preCommit and commit, prepared and invisible;
//   until then they are in the buffer of its transaction.
import { EpochBuffer } from '@onceflow/dataflow'
import {
  type Change,
  type CheckpointNumber,
  invariant,
  OnceflowError,
  type Position,
  type PostgresSinkSpec,
  type SourceTable,
  type TableShape,
  type TableSpec,
} from '@onceflow/model'
import type {
  CommitOutcome,
  CommitPermit,
  InvokeResult,
  SealOrder,
  SealResult,
  TaskSinkScope,
} from '@onceflow/ports'
import {
  buildGid,
  commitEffect,
  defaultPatience,
  goalOf,
  parseGid,
  reduceCommit,
  reduceRollback,
  rollbackEffect,
  startCommit,
  startRollback,
} from '@onceflow/sinkprotocol'
import { checkBookkeeping } from './bookkeeping.ts'
import { DepartedRows } from './departed-rows.ts'
import { EffectPerformer } from './effect-performer.ts'
import { EpochWriter } from './epoch-writer.ts'
import type { PostgresFailPoint } from './fail-point.ts'
import { requireFence } from './fence.ts'
import { type ChainLink, newestPositionsSql, placeOf, pruneSql } from './ledger.ts'
import { Link } from './link.ts'
import { sessionName, sinkCondition } from './scope-sql.ts'
import type { ServerWatch } from './server.ts'
import type { PostgresSinkServices } from './services.ts'
import type { Session } from './session.ts'
import { StagingTables } from './staging.ts'
import { TargetResolver } from './target-resolver.ts'
import type { PostgresTransaction } from './transaction.ts'
import { WriteModePolicy } from './write-mode.ts'

export interface TaskSinkInput {
  readonly spec: PostgresSinkSpec
  readonly tables: readonly TableSpec[]
  readonly scope: TaskSinkScope
  readonly services: PostgresSinkServices
  readonly watch: ServerWatch
}

/** A commit that is not settled by then is told so, and asked for again (R7). */
const commitPatience = { ...defaultPatience, budgetMs: 5_000 }
/** Commits between two prunings of the subtask's old ledger rows. */
const commitsPerPrune = 200

export class TaskSink {
  readonly #input: TaskSinkInput
  readonly #writer: Link
  readonly #committer: Link
  readonly #catalogue: Link
  readonly #staging: StagingTables
  readonly #departed: DepartedRows
  readonly #resolver: TargetResolver
  readonly #mode = new WriteModePolicy()
  #session: Session | undefined
  #chain: ChainLink
  /** Where the epochs sealed empty since the last ledger row began. */
  #carried: readonly Position[] | undefined
  /** What the ledger says of each partition, until the first row of the attempt is written. */
  #stored: ReadonlyMap<string, bigint> | undefined
  #commits = 0

  constructor(input: TaskSinkInput) {
    const { spec, services, scope, watch } = input
    const { resolveSecret, clock, failPoints } = services
    const link = (role: string) =>
      new Link(spec, { resolveSecret, clock, watch }, sessionName(scope, `${scope.subtask}${role}`))
    this.#input = input
    this.#writer = link('w')
    this.#committer = link('c')
    this.#catalogue = link('t')
    this.#staging = new StagingTables(scope)
    this.#departed = new DepartedRows(scope)
    this.#resolver = new TargetResolver({
      sink: spec,
      tables: input.tables,
      scope,
      link: this.#catalogue,
      failPoints,
    })
    this.#chain = { kind: 'heads', heads: scope.heads }
  }

  async open(): Promise<void> {
    const { scope } = this.#input
    const session = await this.#writer.open()
    await checkBookkeeping(session)
    const [fence, positions] = await session.must(
      `SELECT attempt FROM onceflow.fence WHERE ${sinkCondition(scope)};\n` +
        newestPositionsSql(scope),
      'reading the fence and the ledger',
    )
    requireFence(scope, fence?.rows[0]?.[0] ?? undefined)
    this.#stored = new Map(
      (positions?.rows ?? []).map(([topic, topicId, partition, offset]) => [
        placeOf({ topic: topic ?? '', topicId: topicId ?? '', partition: partition ?? '' }),
        BigInt(offset ?? 0),
      ]),
    )
    await this.#departed.load(session)
    await this.#committer.open()
    this.#session = session
  }

  resolveTable(source: SourceTable, declared: TableShape | undefined): Promise<TableShape> {
    return this.#resolver.resolve(source, declared)
  }

  beginTransaction(): PostgresTransaction {
    const { bufferRecordsMax, bufferBytesMax } = this.#input.spec
    const buffer = new EpochBuffer({
      recordsMax: bufferRecordsMax,
      bytesMax: bufferBytesMax,
      targetOf: (source) => this.#resolver.targetOf(source),
      checkTruncate: (source) => this.#resolver.checkTruncate(source),
    })
    return { phase: { kind: 'open', buffer } }
  }

  invoke(txn: PostgresTransaction, changes: readonly Change[]): InvokeResult {
    invariant(txn.phase.kind === 'open', `rows for a transaction that is ${txn.phase.kind}`)
    return txn.phase.buffer.add(changes)
  }

  async preCommit(txn: PostgresTransaction, order: SealOrder): Promise<SealResult> {
    const { phase } = txn
    const session = this.#session
    invariant(phase.kind === 'open' && session !== undefined, `cannot seal: ${phase.kind}`)
    const from = this.#carried ?? order.from
    if (phase.buffer.isEmpty) {
      this.#carried = from
      txn.phase = { kind: 'empty' }
      return { kind: 'empty' }
    }
    const { scope, services } = this.#input
    const gid = buildGid({ ...scope, checkpoint: order.checkpoint })
    txn.phase = { kind: 'sealing', gid }
    const mode = this.#mode.next()
    const writer = new EpochWriter(
      {
        scope,
        session,
        staging: this.#staging,
        departed: this.#departed,
        failPoints: services.failPoints,
        columnsOf: (target, shape) => this.#resolver.columnsOf(target, shape),
      },
      {
        buffer: phase.buffer,
        gid,
        chain: this.#chain,
        mode,
        order,
        from: this.#joined(from),
      },
    )
    const sealed = await writer.seal()
    this.#mode.note(mode, sealed.mode)
    this.#sealedAt(order.checkpoint)
    txn.phase = { kind: 'sealed', gid, staging: sealed.staging }
    return {
      kind: 'sealed',
      rowsUpserted: sealed.rowsUpserted,
      rowsDeleted: sealed.rowsDeleted,
    }
  }

  #sealedAt(checkpoint: CheckpointNumber): void {
    this.#chain = { kind: 'previous', checkpoint }
    this.#carried = undefined
    this.#stored = undefined
  }

  /**
   * The first row of an attempt begins where the ledger's newest row of the partition ends: epochs
   * sealed empty before the attempt moved the decided position without leaving a row.
   */
  #joined(from: readonly Position[]): readonly Position[] {
    const stored = this.#stored
    if (stored === undefined) return from
    return from.map((position) => {
      const ledger = stored.get(placeOf(position))
      if (ledger === undefined || ledger >= position.offset) return position
      return { ...position, offset: ledger as Position['offset'], leaderEpoch: -1 }
    })
  }

  async commit(txn: PostgresTransaction, permit: CommitPermit): Promise<CommitOutcome> {
    const { phase } = txn
    if (phase.kind === 'empty' || phase.kind === 'over') return { kind: 'committed' }
    const { kind } = phase
    invariant(phase.kind === 'sealed', `cannot commit a transaction that is ${kind}`)
    const fields = parseGid(phase.gid)
    invariant(fields !== undefined, `not a gid of ours: ${phase.gid}`)
    invariant(
      fields.checkpoint === permit.checkpoint && fields.attempt === permit.attempt,
      `permit for ${permit.checkpoint} of attempt ${permit.attempt}, gid ${phase.gid}`,
    )
    await this.#reached('sink.postgres.commit.before')
    await this.#staging.settled()
    const performer = this.#performer('sink.postgres.commit')
    const start = startCommit(goalOf(phase.gid, fields), this.#startInput())
    const end = await performer.drive(start, { effect: commitEffect, reduce: reduceCommit })
    invariant(end.kind === 'finished', 'a commit is driven to its end')
    if (end.outcome.kind === 'committed') {
      txn.phase = { kind: 'over' }
      this.#staging.release(phase.staging, this.#committer, this.#housekeeping())
      await this.#reached('sink.postgres.commit.after')
    }
    return end.outcome
  }

  #housekeeping(): readonly string[] {
    this.#commits += 1
    return this.#commits % commitsPerPrune === 0 ? [pruneSql(this.#input.scope)] : []
  }

  async abort(txn: PostgresTransaction): Promise<void> {
    const { phase } = txn
    if (phase.kind === 'sealed' || phase.kind === 'sealing') {
      await this.#reached('sink.postgres.abort.before')
      await this.#staging.settled()
      const end = await this.#performer('sink.postgres.abort').drive(
        startRollback(phase.gid, this.#startInput()),
        { effect: rollbackEffect, reduce: reduceRollback },
      )
      invariant(end.kind === 'finished', 'a rollback is driven to its end')
      if (end.outcome.kind === 'unsettled') throw new OnceflowError(end.outcome.failure)
    }
    txn.phase = { kind: 'over' }
  }

  #startInput() {
    return { patience: commitPatience, nowMs: this.#input.services.clock.monotonicMs() }
  }

  #performer(failPointPrefix: string): EffectPerformer {
    const { scope, services } = this.#input
    const { clock, failPoints } = services
    return new EffectPerformer({
      link: this.#committer,
      scope,
      clock,
      failPoints,
      failPointPrefix,
    })
  }

  #reached(name: PostgresFailPoint): Promise<void> | undefined {
    return this.#input.services.failPoints.reached(name)
  }

  async close(): Promise<void> {
    await Promise.all([this.#writer.close(), this.#committer.close(), this.#catalogue.close()])
  }
}
