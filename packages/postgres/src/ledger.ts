import { createHash } from 'node:crypto'
import type { CheckpointNumber, LedgerHead, Position } from '@onceflow/model'
import type { TaskSinkScope } from '@onceflow/ports'
import { headValues, sinkCondition, sinkValues } from './scope-sql.ts'
import { quoteText } from './sql-text.ts'

/** A position as it stands in a ledger row: offset as text, since jsonb numbers lose nothing but
 * readers do. */
interface StoredPosition {
  readonly topic: string
  readonly topicId: string
  readonly partition: number
  readonly offset: string
  readonly leaderEpoch: number
}

export interface LedgerEntry {
  readonly checkpoint: CheckpointNumber
  readonly from: readonly Position[]
  readonly to: readonly Position[]
  readonly rowsUpserted: number
  readonly rowsDeleted: number
}

/** What must be in the ledger for the next row to be written: the chain. */
export type ChainLink =
  /** The first row of the subtask in this attempt: the heads of all subtasks ever. */
  | { readonly kind: 'heads'; readonly heads: readonly LedgerHead[] }
  | { readonly kind: 'previous'; readonly checkpoint: CheckpointNumber }

/** Inserts one row, or none when the chain is broken: the tag tells. */
export function ledgerSql(scope: TaskSinkScope, entry: LedgerEntry, chain: ChainLink): string {
  const from = positionsText(entry.from)
  const to = positionsText(entry.to)
  const counts = `${entry.rowsUpserted}, ${entry.rowsDeleted}`
  const digest = digestOf([scope.subtask, entry.checkpoint, scope.attempt, from, to, counts])
  return (
    'INSERT INTO onceflow.ledger (cluster, pipeline_uid, sink, subtask, checkpoint, attempt,' +
    ' leader_epoch, positions_from, positions_to, rows_upserted, rows_deleted, digest)' +
    ` SELECT ${sinkValues(scope)}, ${scope.subtask}, ${entry.checkpoint}, ${scope.attempt},` +
    ` ${scope.leaderEpoch}, ${quoteText(from)}::jsonb, ${quoteText(to)}::jsonb, ${counts},` +
    ` ${quoteText(digest)} WHERE ${chainCondition(scope, chain)}`
  )
}

function chainCondition(scope: TaskSinkScope, chain: ChainLink): string {
  const own = sinkCondition(scope, 'l')
  if (chain.kind === 'previous') {
    return (
      `EXISTS (SELECT 1 FROM onceflow.ledger l WHERE ${own} AND l.subtask = ${scope.subtask}` +
      ` AND l.checkpoint = ${chain.checkpoint} AND l.attempt = ${scope.attempt})`
    )
  }
  const values = headValues(scope, chain.heads)
  if (values === '') return 'true'
  const count = chain.heads.filter((head) => head.sink === scope.sink).length
  return (
    `(SELECT count(*) FROM onceflow.ledger l WHERE ${own}` +
    ` AND (l.subtask, l.checkpoint, l.attempt) IN (${values})) = ${count}`
  )
}

function positionsText(positions: readonly Position[]): string {
  const stored: StoredPosition[] = positions.map((position) => ({
    topic: position.topic,
    topicId: position.topicId,
    partition: position.partition,
    offset: position.offset.toString(),
    leaderEpoch: position.leaderEpoch,
  }))
  return JSON.stringify(stored)
}

/** Over what the row says: tells a row that was altered by hand, and nothing about the data. */
const digestOf = (parts: readonly unknown[]): string =>
  createHash('sha256').update(parts.map(String).join('|')).digest('hex')

/** Newest position of each partition as the ledger has it, by `topic/topicId/partition`. */
export const newestPositionsSql = (scope: TaskSinkScope): string =>
  "SELECT DISTINCT ON (p->>'topic', p->>'topicId', p->>'partition')" +
  " p->>'topic', p->>'topicId', p->>'partition', p->>'offset'" +
  ' FROM onceflow.ledger l, jsonb_array_elements(l.positions_to) p' +
  ` WHERE ${sinkCondition(scope, 'l')}` +
  " ORDER BY p->>'topic', p->>'topicId', p->>'partition', l.checkpoint DESC"

export const placeOf = (place: {
  readonly topic: string
  readonly topicId: string
  readonly partition: number | string
}): string => `${place.topic}/${place.topicId}/${place.partition}`

/** Rows of the subtask kept whole: enough for any retention of decided checkpoints. */
export const ledgerRowsKept = 1_000

/**
 * Removes rows of this subtask that are older than its newest ones. The row before the one being
 * confirmed belongs to a COMPLETED checkpoint, and the newest is never among what goes.
 */
export const pruneSql = (scope: TaskSinkScope): string =>
  `DELETE FROM onceflow.ledger WHERE ${sinkCondition(scope)} AND subtask = ${scope.subtask}` +
  ' AND checkpoint < (SELECT checkpoint FROM onceflow.ledger' +
  ` WHERE ${sinkCondition(scope)} AND subtask = ${scope.subtask}` +
  ` ORDER BY checkpoint DESC OFFSET ${ledgerRowsKept} LIMIT 1)`
