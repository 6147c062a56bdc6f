// Carries one epoch into one transaction of the writer's session and leaves it prepared:
//
//   BEGIN, fence FOR SHARE | stage | deletes, writes | ledger | PREPARE TRANSACTION
//
// Every step is one round trip; nothing of it is visible or final before COMMIT PREPARED.
import type { EpochBuffer, EpochTable } from '@onceflow/dataflow'
import { failure, OnceflowError, type TableShape } from '@onceflow/model'
import type { FailPoints, SealOrder, TaskSinkScope } from '@onceflow/ports'
import type { DepartedRows } from './departed-rows.ts'
import {
  literalRowsMax,
  needsStaging,
  rowsOf,
  type TableStatements,
  TableWriter,
  type WriteMode,
} from './epoch-statements.ts'
import type { PostgresFailPoint } from './fail-point.ts'
import { enterFenced } from './fence.ts'
import { type ChainLink, ledgerSql } from './ledger.ts'
import { fillMoves } from './moved-rows.ts'
import type { BatchOutcome, Session } from './session.ts'
import { quoteText } from './sql-text.ts'
import { failureOfServer } from './sqlstate.ts'
import type { StagingTable, StagingTables } from './staging.ts'
import { countOf, runStatements, type Statement } from './statement-list.ts'
import type { TargetColumns } from './target-table.ts'

export interface EpochWriterServices {
  readonly scope: TaskSinkScope
  readonly session: Session
  readonly staging: StagingTables
  readonly departed: DepartedRows
  readonly failPoints: FailPoints
  readonly columnsOf: (target: string, shape: TableShape) => TargetColumns
}

export interface EpochToSeal {
  readonly buffer: EpochBuffer
  readonly gid: string
  readonly order: SealOrder
  /** Where the ledger row begins: at or before the order's own beginning. */
  readonly from: SealOrder['from']
  readonly chain: ChainLink
  readonly mode: WriteMode
}

export interface SealedEpoch {
  readonly rowsUpserted: number
  readonly rowsDeleted: number
  readonly staging: readonly StagingTable[]
  /** upsert: rows taken to be new existed, and the epoch was written a second time. */
  readonly mode: WriteMode
}

export class EpochWriter {
  readonly #services: EpochWriterServices
  readonly #epoch: EpochToSeal
  /** By target: made before the transaction begins, and kept when the epoch is written again. */
  readonly #staging = new Map<string, StagingTable>()

  constructor(services: EpochWriterServices, epoch: EpochToSeal) {
    this.#services = services
    this.#epoch = epoch
  }

  /** Whatever throws leaves the transaction rolled back, or the session broken. */
  async seal(): Promise<SealedEpoch> {
    const { session, columnsOf, departed } = this.#services
    const { buffer, mode, order } = this.#epoch
    try {
      await fillMoves(session, buffer, { columnsOf, kept: departed })
      await departed.collect(session, buffer, { order, columnsOf })
      const tables = buffer.tables()
      const written = await this.#write(tables, mode)
      if (written === 'not-new') await this.#write(tables, 'upsert')
      const counts = countsOf(tables)
      await this.#writeLedger(counts)
      await this.#prepare()
      departed.sealed()
      const used: WriteMode = written === 'not-new' ? 'upsert' : mode
      return { ...counts, staging: [...this.#staging.values()], mode: used }
    } catch (thrown) {
      // ROLLBACK outside a transaction is only a warning; a session that cannot say it is ended.
      const rolledBack = await session.run('ROLLBACK')
      if (rolledBack.kind !== 'ok') session.destroy('the transaction could not be rolled back')
      throw thrown
    }
  }

  async #write(tables: readonly EpochTable[], mode: WriteMode): Promise<'written' | 'not-new'> {
    const { session } = this.#services
    const plan: TableStatements[] = []
    for (const table of tables) plan.push(await this.#statements(table, mode))
    await this.#begin()
    const staged = await runStatements(
      session,
      plan.flatMap(({ stage }) => stage),
    )
    requireOk(staged, 'staging rows')
    await this.#reached('sink.postgres.seal.stage.after')
    const written = await runStatements(session, [
      ...plan.flatMap(({ deletes }) => deletes),
      ...this.#truncateOnly(),
      ...plan.flatMap(({ writes }) => writes),
    ])
    if (mode === 'direct' && written.kind === 'refused' && written.error.sqlstate === '23505') {
      await session.must('ROLLBACK', 'rolling back an epoch to write it as upserts')
      return 'not-new'
    }
    requireOk(written, 'writing rows')
    await this.#reached('sink.postgres.seal.merge.after')
    return 'written'
  }

  async #statements(table: EpochTable, mode: WriteMode): Promise<TableStatements> {
    const { session, staging, columnsOf } = this.#services
    const columns = columnsOf(table.target, table.shape)
    const writer = new TableWriter(table, columns)
    if (rowsOf(table) <= literalRowsMax) return writer.literal()
    if (!needsStaging(table, mode)) return writer.direct()
    const taken = this.#staging.get(table.target) ?? (await staging.take(session, columns))
    this.#staging.set(table.target, taken)
    return writer.staged(taken, mode)
  }

  async #begin(): Promise<void> {
    const { session, scope } = this.#services
    await this.#reached('sink.postgres.seal.fence.before')
    await enterFenced(session, scope)
    await this.#reached('sink.postgres.seal.fence.after')
  }

  #truncateOnly(): Statement[] {
    // A target's name is its quoted and qualified SQL.
    return this.#epoch.buffer.truncatedOnly().map((target) => ({ sql: `DELETE FROM ${target}` }))
  }

  async #writeLedger(counts: { rowsUpserted: number; rowsDeleted: number }): Promise<void> {
    const { session, scope, departed } = this.#services
    const { order, from, chain } = this.#epoch
    requireOk(await runStatements(session, departed.statements(order)), 'keeping departed rows')
    const sql = ledgerSql(scope, { ...order, from, ...counts }, chain)
    const results = await session.must(sql, 'writing the ledger row')
    if (countOf(results[0]?.tag ?? '') !== 1) {
      throw new OnceflowError(
        failure('LEDGER_BROKEN', {
          detail:
            `checkpoint ${order.checkpoint} of subtask ${scope.subtask}: ` +
            (chain.kind === 'previous'
              ? `the row of checkpoint ${chain.checkpoint} is not in the ledger`
              : 'not all heads are in the ledger'),
        }),
      )
    }
    await this.#reached('sink.postgres.seal.ledger.after')
  }

  /** The tag is the proof: PREPARE of a failed transaction answers ROLLBACK, and no error. */
  async #prepare(): Promise<void> {
    const { session } = this.#services
    const { gid } = this.#epoch
    await this.#reached('sink.postgres.seal.prepare.before')
    const outcome = await session.run(`PREPARE TRANSACTION ${quoteText(gid)}`)
    await this.#reached('sink.postgres.seal.prepare.reply-lost')
    const results = requireOk(outcome, `preparing ${gid}`)
    const tag = results[0]?.tag ?? ''
    if (tag !== 'PREPARE TRANSACTION') {
      throw new OnceflowError(
        failure('SINK_CONFLICT', { detail: `preparing ${gid} answered ${tag}: rolled back` }),
      )
    }
  }

  #reached(name: PostgresFailPoint): Promise<void> | undefined {
    return this.#services.failPoints.reached(name)
  }
}

function countsOf(tables: readonly EpochTable[]) {
  let rowsUpserted = 0
  let rowsDeleted = 0
  for (const table of tables) {
    rowsUpserted += rowsOf(table) - table.deletes.length
    rowsDeleted += table.deletes.length
  }
  return { rowsUpserted, rowsDeleted }
}

function requireOk(outcome: BatchOutcome, what: string) {
  if (outcome.kind === 'ok') return outcome.results
  if (outcome.kind === 'refused') throw new OnceflowError(failureOfServer(outcome.error, what))
  throw new OnceflowError(failure('SINK_UNREACHABLE', { detail: `${what}: ${outcome.detail}` }))
}
