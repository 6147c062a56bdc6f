import type { EpochBuffer, MovedRow } from '@onceflow/dataflow'
import type { Cell, TableShape } from '@onceflow/model'
import { whereKey } from './epoch-statements.ts'
import type { Session } from './session.ts'
import type { TargetColumns } from './target-table.ts'

/** Moved rows read in one round trip. */
const movesPerBatch = 200

/** What was kept of rows that left in an earlier epoch. */
export interface KeptRows {
  find(move: MovedRow): readonly Cell[] | undefined
}

/**
 * Gives moved rows the values that their records did not carry: those of the old key's row, or of
 * the new key's where the move was applied before (a repeated run of changes), or what was kept
 * when the row left in an earlier epoch. Reading them ahead of the transaction is sound: nobody
 * else writes this subtask's keys while the attempt lives.
 */
export async function fillMoves(
  session: Session,
  buffer: EpochBuffer,
  sources: {
    readonly columnsOf: (target: string, shape: TableShape) => TargetColumns
    readonly kept: KeptRows
  },
): Promise<void> {
  const stored: StoredMove[] = []
  for (const move of buffer.moves()) {
    if (move.from === undefined) buffer.fill(move, sources.kept.find(move))
    else stored.push({ move, from: move.from, columns: sources.columnsOf(move.target, move.shape) })
  }
  for (let start = 0; start < stored.length; start += movesPerBatch) {
    const some = stored.slice(start, start + movesPerBatch)
    const statements = some.flatMap(({ move, from, columns }) => [
      selectRow(columns, from),
      selectRow(columns, move.key),
    ])
    const results = await session.must(statements.join(';\n'), 'reading moved rows')
    for (const [index, { move }] of some.entries()) {
      const old = results[2 * index]?.rows[0]
      const repeated = results[2 * index + 1]?.rows[0]
      buffer.fill(move, old ?? repeated ?? sources.kept.find(move))
    }
  }
}

interface StoredMove {
  readonly move: MovedRow
  readonly from: readonly Cell[]
  readonly columns: TargetColumns
}

export const selectRow = (columns: TargetColumns, key: readonly Cell[]): string =>
  `SELECT ${columns.all.join(', ')} FROM ${columns.table} WHERE ${whereKey(columns, key)}`
