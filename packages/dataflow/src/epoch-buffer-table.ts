// Invariants of a table's buffer:
// - one BufferedRow for each key met since the last truncate; the last change of a key wins, and
//   takes along what an earlier one knew and it does not say (`unchanged`, absent columns);
// - `stored` says where `unchanged` cells of a row are to be found: in the target's row of the same
//   key, in that of another key (which the target held before this epoch), or nowhere;
// - after a truncate a key that is not in the buffer has no row at all.
import type { Cell, RowDelete, RowUpsert, TableShape, TableTruncate } from '@onceflow/model'
import { fail, unchanged } from '@onceflow/model'
import { type KeyText, keyOfRow, keyOrderOf, keyTextOf } from './epoch-buffer-key.ts'
import { type EpochTable, missingRow, PartialGroups, sortRows } from './epoch-buffer-output.ts'
import {
  appendedRow,
  type BufferedRow,
  type Departure,
  filled,
  gapsOf,
  type MovedRow,
  type OpenDeparture,
  padded,
  union,
} from './epoch-buffer-row.ts'

/** Fixed cost of a buffered row beside its text, measured roughly: map entry, object, array. */
const rowOverheadBytes = 200
/** Of each text: its header, the slot that holds it, and what the heap keeps free around it. */
const cellOverheadBytes = 40

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
    for (const [lsn, departure] of this.#departures) {
      const { cells } = departure
      if (cells === undefined) continue
      this.#departures.set(lsn, { ...departure, cells: padded(cells, width) })
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
      if (typeof cell === 'string') bytes += cell.length + cellOverheadBytes
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
    if (next.gaps > 0) next.lsn = known?.lsn ?? departure?.lsn ?? lsn
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
      lsn: undefined,
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
      row.lsn = undefined
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
      lsn: undefined,
      order: 0,
    })
  }

  #depart(change: RowDelete, row: BufferedRow | undefined): void {
    if (change.origin.lsn === undefined) return
    this.#departures.set(change.origin.lsn, this.#departureOf(change, row))
  }

  #departureOf({ key, position }: RowDelete, row: BufferedRow | undefined): Departure {
    const bare = { key, cells: undefined, lsn: undefined, position }
    if (row === undefined) return { ...bare, stored: this.#truncated ? 'nowhere' : key }
    if (row.kind === 'delete') return { ...bare, stored: 'nowhere' }
    const stored = row.stored === 'own' ? key : row.stored
    return { key, cells: row.cells, stored, lsn: row.lsn, position }
  }

  departures(): OpenDeparture[] {
    return [...this.#departures].map(([lsn, { cells, stored, position }]) => ({
      target: this.target,
      shape: this.shape,
      lsn,
      from: stored === 'nowhere' ? undefined : stored,
      cells,
      position,
    }))
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
      const { cells, lsn } = row
      if (row.gaps === 0 || row.stored === 'own' || !cells.includes(unchanged)) continue
      const from = row.stored === 'nowhere' ? undefined : row.stored
      if (from === undefined && lsn === undefined) continue
      const key = keyOfRow(this.shape, cells)
      moves.push({ target: this.target, shape: this.shape, from, lsn, key, cells, row })
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

function missingKey(change: RowUpsert | RowDelete): never {
  const { schema, table } = change.shape.source
  return fail('KEY_MISSING', {
    detail: `a change of ${schema}.${table} cannot be applied: the table has no key`,
    position: change.position,
  })
}
