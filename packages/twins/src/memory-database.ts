import type {
  Attempt,
  Change,
  CheckpointNumber,
  ClusterUid,
  LeaderEpoch,
  PipelineUid,
  Position,
  SinkName,
  Subtask,
} from '@onceflow/model'
import { unchanged } from '@onceflow/model'
import type { SinkScope } from '@onceflow/ports'

/** Whose transaction it is: every part of a gid. */
export interface Gid {
  readonly cluster: ClusterUid
  readonly pipeline: PipelineUid
  readonly sink: SinkName
  readonly subtask: Subtask
  readonly checkpoint: CheckpointNumber
  readonly attempt: Attempt
}

export interface LedgerRow extends Gid {
  readonly from: readonly Position[]
  readonly to: readonly Position[]
}

export interface PreparedTransaction {
  readonly gid: Gid
  readonly changes: readonly Change[]
  readonly ledger: LedgerRow
}

export interface Fence {
  readonly attempt: Attempt
  readonly leaderEpoch: LeaderEpoch
}

/** Column name to text or null; only what is stored. */
export type StoredRow = { readonly [column: string]: string | null }

/** What befalls the next commit: its answer is lost after or before it took effect. */
export type CommitFault = 'applied-unknown' | 'not-applied-unknown'

/**
 * The database behind every memory sink of a test. It survives the sinks, as a server survives its
 * clients.
 *
 * Invariants: tables change only in commitPrepared, together with the ledger; a prepared
 * transaction ends once, by commit or by rollback; a fence only rises.
 */
export class MemoryDatabase {
  readonly prepared = new Map<string, PreparedTransaction>()
  readonly ledger: LedgerRow[] = []
  readonly #tables = new Map<string, Map<string, StoredRow>>()
  readonly #fences = new Map<string, Fence>()
  readonly #faults: CommitFault[] = []

  failNextCommits(...faults: readonly CommitFault[]): void {
    this.#faults.push(...faults)
  }

  nextFault(): CommitFault | undefined {
    return this.#faults.shift()
  }

  /** Rows of `schema.table`, in key order. */
  rows(table: string): readonly StoredRow[] {
    const rows = [...(this.#tables.get(table) ?? [])]
    return rows.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  }

  fence(scope: SinkScope): Fence | undefined {
    return this.#fences.get(scopeText(scope))
  }

  /** R4: raised when it is lower; returns what stands afterwards. */
  raiseFence(scope: SinkScope): Fence {
    const before = this.#fences.get(scopeText(scope))
    if (before !== undefined && before.attempt >= scope.attempt) return before
    const raised = { attempt: scope.attempt, leaderEpoch: scope.leaderEpoch }
    this.#fences.set(scopeText(scope), raised)
    return raised
  }

  prepare(transaction: PreparedTransaction): void {
    this.prepared.set(gidText(transaction.gid), transaction)
  }

  /** False when no transaction of that gid is prepared. */
  commitPrepared(gid: string): 'committed' | 'absent' {
    const transaction = this.prepared.get(gid)
    if (transaction === undefined) return 'absent'
    this.prepared.delete(gid)
    for (const change of transaction.changes) this.#apply(change)
    this.ledger.push(transaction.ledger)
    return 'committed'
  }

  rollbackPrepared(gid: string): 'rolled-back' | 'absent' {
    return this.prepared.delete(gid) ? 'rolled-back' : 'absent'
  }

  preparedOf(scope: SinkScope): readonly PreparedTransaction[] {
    return [...this.prepared.values()].filter(
      ({ gid }) => scopeText(gid) === scopeText(scope) && gid.cluster === scope.cluster,
    )
  }

  ledgerOf(scope: SinkScope): readonly LedgerRow[] {
    return this.ledger.filter((row) => scopeText(row) === scopeText(scope))
  }

  hasLedgerRow(gid: string): boolean {
    return this.ledger.some((row) => gidText(row) === gid)
  }

  #apply(change: Change): void {
    if (change.kind === 'truncate') {
      this.#tables.delete(`${change.source.schema}.${change.source.table}`)
      return
    }
    const { shape } = change
    const name = `${shape.source.schema}.${shape.source.table}`
    const table = this.#tables.get(name) ?? new Map<string, StoredRow>()
    this.#tables.set(name, table)
    if (change.kind === 'delete') {
      table.delete(JSON.stringify(change.key))
      return
    }
    const key = JSON.stringify(shape.keyColumns.map((index) => change.cells[index]))
    const row: Record<string, string | null> = { ...table.get(key) }
    for (const [index, column] of shape.columns.entries()) {
      const cell = change.cells[index]
      if (cell !== undefined && cell !== unchanged) row[column.name] = cell
    }
    table.set(key, row)
  }
}

const scopeText = (scope: { pipeline: PipelineUid; sink: SinkName }): string =>
  `${scope.pipeline}:${scope.sink}`

export const gidText = (gid: Gid): string =>
  ['onceflow', gid.cluster, gid.pipeline, gid.sink, gid.subtask, gid.checkpoint, gid.attempt].join(
    ':',
  )
