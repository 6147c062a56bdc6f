import type { EpochBuffer } from '@onceflow/dataflow'
import type { Cell, TableShape } from '@onceflow/model'
import { whereKey } from './epoch-statements.ts'
import type { Session } from './session.ts'
import type { TargetColumns } from './target-table.ts'

/** Moved rows read in one round trip. */
const movesPerBatch = 200

/**
 * Gives moved rows the values that their records did not carry: those of the old key's row, or of
 * the new key's where the move was applied before (a repeated run of changes). Reading them ahead
 * of the transaction is sound: nobody else writes this subtask's keys while the attempt lives.
 */
export async function fillMoves(
  session: Session,
  buffer: EpochBuffer,
  columnsOf: (target: string, shape: TableShape) => TargetColumns,
): Promise<void> {
  const moves = buffer.moves()
  for (let start = 0; start < moves.length; start += movesPerBatch) {
    const some = moves.slice(start, start + movesPerBatch)
    const statements = some.flatMap((move) => {
      const columns = columnsOf(move.target, move.shape)
      return [selectRow(columns, move.from), selectRow(columns, move.key)]
    })
    const results = await session.must(statements.join(';\n'), 'reading moved rows')
    for (const [index, move] of some.entries()) {
      const old = results[2 * index]?.rows[0]
      const repeated = results[2 * index + 1]?.rows[0]
      buffer.fill(move, old ?? repeated)
    }
  }
}

const selectRow = (columns: TargetColumns, key: readonly Cell[]): string =>
  `SELECT ${columns.all.join(', ')} FROM ${columns.table} WHERE ${whereKey(columns, key)}`
