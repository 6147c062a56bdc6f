import type { Cell, Change, TableShape } from '@onceflow/model'
import { unchanged } from '@onceflow/model'
import type { EpochBuffer, EpochTable } from '../src/epoch-buffer.ts'

/** A table as a map from key text to the whole row; what SQL would do, one statement at a time. */
export type Rows = Map<string, readonly (string | null)[]>

export const shape: TableShape = {
  source: { schema: 'public', table: 'item' },
  columns: [
    { name: 'id', type: 'bigint', nullable: false, keyOrdinal: 0 },
    { name: 'doc', type: 'text', nullable: true, keyOrdinal: undefined },
    { name: 'qty', type: 'integer', nullable: true, keyOrdinal: undefined },
    { name: 'late', type: 'text', nullable: true, keyOrdinal: undefined },
  ],
  keyColumns: [0],
  origin: 'catalogue',
}
export const columnDefault = 'default'

let offset = 0n
const place = () => ({ topic: 't', partition: 0, offset: offset++ })
const origin = (lsn: number | undefined) => ({
  lsn: lsn === undefined ? undefined : BigInt(lsn),
  commitTimeMs: 0,
})

export const upsert = (
  op: 'read' | 'create' | 'update',
  cells: readonly Cell[],
  lsn?: number,
): Change => ({
  kind: 'upsert',
  op,
  shape,
  cells,
  keyChange: 'none',
  origin: origin(lsn),
  position: place(),
})
export const arrives = (cells: readonly Cell[], lsn?: number): Change => ({
  kind: 'upsert',
  op: 'create',
  shape,
  cells,
  keyChange: 'arrives',
  origin: origin(lsn),
  position: place(),
})
export const gone = (id: string): Change => ({
  kind: 'delete',
  shape,
  key: [id],
  keyChange: 'none',
  origin: origin(undefined),
  position: place(),
})
export const leaves = (id: string, lsn: number): Change => ({
  kind: 'delete',
  shape,
  key: [id],
  keyChange: 'leaves',
  origin: origin(lsn),
  position: place(),
})
export const truncate = (): Change => ({
  kind: 'truncate',
  source: shape.source,
  origin: origin(undefined),
  position: place(),
})

/** Does what the sink does with a buffer, statement by statement; complains as SQL would. */
export function apply(
  buffer: EpochBuffer,
  rows: Rows,
  inserts: 'strict' | 'upserted' = 'strict',
): void {
  for (const move of buffer.moves()) {
    if (move.from === undefined) continue
    const row = rows.get(String(move.from[0])) ?? rows.get(String(move.key[0]))
    buffer.fill(move, row)
  }
  for (const table of buffer.tables()) applyTable(table, rows, inserts)
}

function applyTable(table: EpochTable, rows: Rows, inserts: 'strict' | 'upserted'): void {
  if (table.truncated === 'yes') rows.clear()
  for (const key of table.deletes) rows.delete(String(key[0]))
  for (const cells of table.inserts) {
    const taken = rows.has(String(cells[0]))
    if (taken && inserts === 'strict') throw new Error(`23505: ${String(cells[0])}`)
    rows.set(String(cells[0]), whole(cells))
  }
  for (const cells of table.upserts) rows.set(String(cells[0]), whole(cells))
  for (const group of table.partials) {
    for (const cells of group.rows) {
      const id = String(cells[0])
      const stored = rows.get(id)
      if (stored === undefined && group.needsRow === 'yes') throw new Error(`no row ${id}`)
      const base = stored ?? cells.map(() => columnDefault)
      const next = [...base]
      for (const column of group.columns) next[column] = known(cells[column])
      rows.set(id, next)
    }
  }
}

const known = (cell: Cell): string | null => {
  if (cell === undefined || cell === unchanged) throw new Error('a gap where a value must be')
  return cell
}
const whole = (cells: readonly Cell[]): (string | null)[] => cells.map(known)
