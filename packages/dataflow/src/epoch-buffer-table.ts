// Invariants of a table's buffer:
// - one BufferedRow for each key met since the last truncate; the last change of a key wins, and
//   takes along what an earlier one knew and it does not say (`unchanged`, absent columns);
// - `stored` says where `unchanged` cells of a row are to be found: in the target's row of the same
//   key, in that of another key (which the target held before this epoch), or nowhere;
// - after a truncate a key that is not in the buffer has no row at all.
import type {
  Cell,
  RecordPosition,
  RowDelete,
  RowUpsert,
  TableShape,
  TableTruncate,
} from '@onceflow/model'
import { fail, unchanged } from '@onceflow/model'
import { type KeyText, keyOfRow, keyOrderOf, keyTextOf } from './epoch-buffer-key.ts'
import { type EpochTable, missingRow, PartialGroups, sortRows } from './epoch-buffer-output.ts'

/** Fixed cost of a buffered row beside its text, measured roughly: map entry, object, array. */
const rowOverheadBytes = 200

export interface BufferedRow {
  readonly id: string
  /** Of deletes; an upsert's key is in its cells. */
  key: readonly Cell[] | undefined
  kind: 'upsert' | 'delete'
  cells: readonly Cell[]
  /** Cells that are `unchanged` or absent. */
  gaps: number
  /** own: the target's row of this key; a key: the target's row of that key; or nowhere. */
  stored: 'own' | 'nowhere' | readonly Cell[]
  /** The first change of the key in this epoch was a read or a create. */
  created: boolean
  /** The key's row went (delete or truncate) before this one came: no old value may stay. */
  replaced: boolean
  bytes: number
  /** Of the last change with gaps. */
  position: RecordPosition | undefined
  /** Scratch for sorting. */
  order: number
}

/** The row that a delete with keyChange 'leaves' took away, for the create that follows it. */
interface Departure {
  readonly cells: readonly Cell[] | undefined
  readonly stored: 'nowhere' | readonly Cell[]
}

export interface MovedRow {
  readonly target: string
  readonly shape: TableShape
  /** The key whose row, as the target held it before this epoch, has the missing values. */
  readonly from: readonly Cell[]
  readonly key: readonly Cell[]
  readonly cells: readonly Cell[]
  readonly row: BufferedRow
}

export class TableBuffer {
  readonly target: string
  /** The columns of all rows; it grows when a change comes in a shape with more. */
  shape: TableShape
  readonly #keyText: KeyText
  /** For each shape met: where its cells stand in ours. */
  readonly #places = new Map<TableShape, readonly number[]>()
  #rows = new Map<string, BufferedRow>()
  #appended: (readonly Cell[])[] = []
  #departures = new Map<bigint, Departure>()
  #truncated = false
  bytes = 0

  constructor(target: string, shape: TableShape) {
    this.target = target
    this.shape = shape
    this.#keyText = keyTextOf(shape)
  }

  /** Takes changes in another shape from now on; the key must be the same columns. */
  widen(other: TableShape): 'widened' | 'other-key' {
    const names = (shape: TableShape) =>
      shape.keyColumns.map((column) => shape.columns[column]?.name).join('\0')
    if (names(other) !== names(this.shape)) return 'other-key'
    this.shape = union(this.shape, other)
    const width = this.shape.columns.length
    this.#places.clear()
    for (const row of this.#rows.values()) {
      if (row.kind === 'upsert' && row.cells.length < width) {
        row.gaps += width - row.cells.length
        row.cells = padded(row.cells, width)
      }
    }
    this.#appended = this.#appended.map((cells) => padded(cells, width))
    for (const [lsn, { cells, stored }] of this.#departures) {
      if (cells !== undefined) this.#departures.set(lsn, { cells: padded(cells, width), stored })
    }
    return 'widened'
  }

  #cellsOf(change: RowUpsert): readonly Cell[] {
    if (change.shape === this.shape) return change.cells
    let places = this.#places.get(change.shape)
    if (places === undefined) {
      places = this.shape.columns.map(({ name }) =>
        change.shape.columns.findIndex((column) => column.name === name),
      )
      this.#places.set(change.shape, places)
    }
    return places.map((place) => (place === -1 ? undefined : change.cells[place]))
  }

  get rows(): number {
    return this.#rows.size + this.#appended.length + this.#departures.size
  }

  upsert(change: RowUpsert): void {
    const cells = this.#cellsOf(change)
    let bytes = rowOverheadBytes
    let gaps = 0
    for (let i = 0; i < cells.length; i += 1) {
      const cell = cells[i]
      if (typeof cell === 'string') bytes += cell.length
      else if (cell !== null) gaps += 1
    }
    if (this.shape.keyColumns.length === 0) {
      this.#append(change, cells, bytes)
      return
    }
    const id = this.#keyText.ofRow(cells, change.position)
    const row = this.#rows.get(id)
    if (change.keyChange === 'arrives') {
      this.#arrive(change, { id, row, cells, gaps, bytes })
      return
    }
    if (row === undefined) {
      const stored = this.#truncated ? 'nowhere' : 'own'
      this.#rows.set(id, this.#newRow(change, { id, cells, gaps, bytes, stored }))
      this.bytes += bytes
      return
    }
    this.bytes += bytes - row.bytes
    row.bytes = bytes
    if (row.kind === 'delete') {
      row.kind = 'upsert'
      row.key = undefined
      row.cells = cells
      row.gaps = gaps
      row.stored = 'nowhere'
      row.replaced = true
    } else {
      row.cells = gaps === 0 ? cells : filled(cells, row.cells)
      row.gaps = gaps === 0 ? 0 : gapsOf(row.cells)
    }
    row.position = gaps === 0 ? undefined : change.position
  }

  /** The new key of a moved row: what it does not say is what the old key's row held. */
  #arrive(change: RowUpsert, at: Arrival): void {
    const { lsn } = change.origin
    const departure = lsn === undefined ? undefined : this.#departures.get(lsn)
    if (lsn !== undefined) this.#departures.delete(lsn)
    const { row } = at
    const alive = row !== undefined && row.kind === 'upsert' ? row : undefined
    const known = departure !== undefined && departure.stored === 'nowhere' ? alive : undefined
    // A departure of a row that is gone already is a repeated one: the arrival repeats as well.
    const cells = at.gaps === 0 ? at.cells : filled(at.cells, (known ?? departure)?.cells)
    const next = this.#newRow(change, { ...at, stored: departure?.stored ?? 'nowhere' })
    next.cells = cells
    next.gaps = at.gaps === 0 ? 0 : gapsOf(cells)
    if (known !== undefined) next.stored = known.stored
    next.created = row === undefined ? true : row.created
    next.replaced = row !== undefined && (row.replaced || row.kind === 'delete')
    this.#rows.set(at.id, next)
    this.bytes += at.bytes - (row?.bytes ?? 0)
  }

  #newRow(change: RowUpsert, at: NewRow): BufferedRow {
    return {
      id: at.id,
      key: undefined,
      kind: 'upsert',
      cells: at.cells,
      gaps: at.gaps,
      stored: at.stored,
      created: change.op !== 'update' || this.#truncated,
      replaced: false,
      bytes: at.bytes,
      position: at.gaps === 0 ? undefined : change.position,
      order: 0,
    }
  }

  #append(change: RowUpsert, cells: readonly Cell[], bytes: number): void {
    if (change.op === 'update') missingKey(change)
    this.#appended.push(cells)
    this.bytes += bytes
  }

  delete(change: RowDelete): void {
    if (this.shape.keyColumns.length === 0) missingKey(change)
    const id = this.#keyText.ofKey(change.key, change.position)
    const row = this.#rows.get(id)
    if (change.keyChange === 'leaves') this.#depart(change, row)
    if (row !== undefined) {
      this.bytes += rowOverheadBytes - row.bytes
      row.bytes = rowOverheadBytes
      row.kind = 'delete'
      row.key = change.key
      row.cells = []
      row.gaps = 0
      row.stored = 'nowhere'
      row.position = undefined
      return
    }
    // After a truncate the row cannot exist, but a later placeholder must not look for it.
    this.bytes += rowOverheadBytes
    this.#rows.set(id, {
      id,
      key: change.key,
      kind: 'delete',
      cells: [],
      gaps: 0,
      stored: 'nowhere',
      created: false,
      replaced: false,
      bytes: rowOverheadBytes,
      position: undefined,
      order: 0,
    })
  }

  #depart(change: RowDelete, row: BufferedRow | undefined): void {
    if (change.origin.lsn === undefined) return
    this.#departures.set(change.origin.lsn, this.#departureOf(change.key, row))
  }

  #departureOf(key: readonly Cell[], row: BufferedRow | undefined): Departure {
    if (row === undefined) {
      return { cells: undefined, stored: this.#truncated ? 'nowhere' : key }
    }
    if (row.kind === 'delete') return { cells: undefined, stored: 'nowhere' }
    return { cells: row.cells, stored: row.stored === 'own' ? key : row.stored }
  }

  truncate(_change: TableTruncate): void {
    this.#rows = new Map()
    this.#appended = []
    this.#departures = new Map()
    this.#truncated = true
    this.bytes = 0
  }

  /** Rows whose gaps only another key's stored row can fill: read it before anything is written. */
  moves(): MovedRow[] {
    const moves: MovedRow[] = []
    for (const row of this.#rows.values()) {
      if (row.gaps === 0 || typeof row.stored === 'string' || !row.cells.includes(unchanged)) {
        continue
      }
      const { cells } = row
      const key = keyOfRow(this.shape, cells)
      moves.push({ target: this.target, shape: this.shape, from: row.stored, key, cells, row })
    }
    return moves
  }

  output(): EpochTable {
    const rows = sortRows([...this.#rows.values()], keyOrderOf(this.shape))
    const deletes: (readonly Cell[])[] = []
    const upserts: (readonly Cell[])[] = []
    const inserts: (readonly Cell[])[] = []
    const partials = new PartialGroups()
    for (const row of rows) {
      const goes = row.kind === 'delete' || row.replaced
      if (goes && !this.#truncated) deletes.push(row.key ?? keyOfRow(this.shape, row.cells))
      if (row.kind === 'delete') continue
      if (row.gaps > 0) {
        if (row.stored !== 'own' && row.cells.includes(unchanged)) missingRow(row)
        partials.add(row)
      } else if (row.created || row.replaced) inserts.push(row.cells)
      else upserts.push(row.cells)
    }
    for (const cells of this.#appended) {
      if (gapsOf(cells) === 0) inserts.push(cells)
      else partials.add(appendedRow(cells))
    }
    return {
      target: this.target,
      shape: this.shape,
      truncated: this.#truncated ? 'yes' : 'no',
      deletes,
      upserts,
      inserts,
      partials: partials.list(),
    }
  }
}

interface NewRow {
  readonly id: string
  readonly cells: readonly Cell[]
  readonly gaps: number
  readonly bytes: number
  readonly stored: BufferedRow['stored']
}

interface Arrival {
  readonly id: string
  readonly row: BufferedRow | undefined
  readonly cells: readonly Cell[]
  readonly gaps: number
  readonly bytes: number
}

/** Ours, and behind them what only the other has; a column of both has the other's type. */
function union(ours: TableShape, other: TableShape): TableShape {
  const kept = ours.columns.map(
    (column) => other.columns.find(({ name }) => name === column.name) ?? column,
  )
  const added = other.columns.filter(
    ({ name }) => !ours.columns.some((column) => column.name === name),
  )
  const columns = [...kept, ...added]
  const same =
    columns.length === other.columns.length && columns.every((c, i) => c === other.columns[i])
  // The newer shape itself, where it is the union: its changes then need no rearranging.
  return same ? other : { ...other, columns, keyColumns: ours.keyColumns }
}

const padded = (cells: readonly Cell[], width: number): readonly Cell[] =>
  Array.from({ length: width }, (_, index) => cells[index])

/** The newer cells, their gaps filled from the older ones. */
export function filled(
  newer: readonly Cell[],
  older: readonly Cell[] | undefined,
): readonly Cell[] {
  if (older === undefined) return newer
  return newer.map((cell, index) => {
    if (cell !== undefined && cell !== unchanged) return cell
    return older[index]
  })
}

function gapsOf(cells: readonly Cell[]): number {
  let gaps = 0
  for (const cell of cells) if (cell === undefined || cell === unchanged) gaps += 1
  return gaps
}

function appendedRow(cells: readonly Cell[]): BufferedRow {
  return {
    id: '',
    key: undefined,
    kind: 'upsert',
    cells,
    gaps: gapsOf(cells),
    stored: 'nowhere',
    created: true,
    replaced: false,
    bytes: 0,
    position: undefined,
    order: 0,
  }
}

function missingKey(change: RowUpsert | RowDelete): never {
  const { schema, table } = change.shape.source
  return fail('KEY_MISSING', {
    detail: `a change of ${schema}.${table} cannot be applied: the table has no key`,
    position: change.position,
  })
}
