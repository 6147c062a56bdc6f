import { createHash } from 'node:crypto'
import { fail } from '@onceflow/model'
import type { TextRow } from './target-connection.ts'

export interface LedgerPosition {
  readonly topic: string
  readonly topicId: string
  readonly partition: number
  readonly offset: bigint
  readonly leaderEpoch: number
}

export interface LedgerRow {
  readonly subtask: number
  readonly checkpoint: bigint
  readonly attempt: bigint
  readonly leaderEpoch: bigint
  readonly from: readonly LedgerPosition[]
  readonly to: readonly LedgerPosition[]
  readonly rowsUpserted: string
  readonly rowsDeleted: string
  readonly digest: string
}

export const ledgerSql =
  'SELECT subtask, checkpoint, attempt, leader_epoch, positions_from, positions_to,' +
  ' rows_upserted, rows_deleted, digest FROM onceflow.ledger' +
  ' WHERE cluster = $1 AND pipeline_uid = $2 AND sink = $3 ORDER BY checkpoint, subtask'

export const readLedgerRow = (row: TextRow): LedgerRow => ({
  subtask: Number(textOf(row, 'subtask')),
  checkpoint: BigInt(textOf(row, 'checkpoint')),
  attempt: BigInt(textOf(row, 'attempt')),
  leaderEpoch: BigInt(textOf(row, 'leader_epoch')),
  from: positionsOf(textOf(row, 'positions_from')),
  to: positionsOf(textOf(row, 'positions_to')),
  rowsUpserted: textOf(row, 'rows_upserted'),
  rowsDeleted: textOf(row, 'rows_deleted'),
  digest: textOf(row, 'digest'),
})

function textOf(row: TextRow, column: string): string {
  const value = row[column]
  return value ?? unreadable(`column ${column} holds no value`)
}

function positionsOf(json: string): readonly LedgerPosition[] {
  const list: unknown = JSON.parse(json)
  if (!Array.isArray(list)) unreadable('positions are not a list')
  return list.map(positionOf)
}

function positionOf(stored: unknown): LedgerPosition {
  if (typeof stored !== 'object' || stored === null) unreadable('a position is not an object')
  const fields = stored as { readonly [name: string]: unknown }
  const { topic, topicId, partition, offset, leaderEpoch } = fields
  const isText = typeof topic === 'string' && typeof topicId === 'string'
  const isPlace = typeof partition === 'number' && typeof leaderEpoch === 'number'
  if (!isText || !isPlace || typeof offset !== 'string') unreadable('a position lacks a field')
  return { topic, topicId, partition, offset: BigInt(offset), leaderEpoch }
}

function unreadable(detail: string): never {
  return fail('METADATA_FORMAT', { detail: `a row of onceflow.ledger cannot be read: ${detail}` })
}

/** The digest that the row must have: over the same words, in the order in which it was sealed. */
export function expectedDigest(row: LedgerRow): string {
  const counts = `${row.rowsUpserted}, ${row.rowsDeleted}`
  const parts = [row.subtask, row.checkpoint, row.attempt, written(row.from), written(row.to)]
  return createHash('sha256')
    .update([...parts, counts].map(String).join('|'))
    .digest('hex')
}

/** jsonb does not keep the order of members, so the text is written anew. */
const written = (positions: readonly LedgerPosition[]): string =>
  JSON.stringify(
    positions.map(({ topic, topicId, partition, offset, leaderEpoch }) => ({
      topic,
      topicId,
      partition,
      offset: offset.toString(),
      leaderEpoch,
    })),
  )
