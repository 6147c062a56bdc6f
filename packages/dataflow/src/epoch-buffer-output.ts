import type { Cell, RecordPosition, TableShape } from '@onceflow/model'
import { fail, unchanged } from '@onceflow/model'
import type { BufferedRow } from './epoch-buffer-row.ts'

/** What an epoch does to one target table: apply in the order of the fields. Each list by key. */
export interface EpochTable {
  readonly target: string
  readonly shape: TableShape
  /** yes: every row that the table held before goes first. */
  readonly truncated: 'yes' | 'no'
  /** Keys, aligned with shape.keyColumns. */
  readonly deletes: readonly (readonly Cell[])[]
  /** Whole rows that may exist; no gap in their cells. */
  readonly upserts: readonly (readonly Cell[])[]
  /** Whole rows that the source created in this epoch: none is expected to exist. */
  readonly inserts: readonly (readonly Cell[])[]
  /** Rows with gaps, grouped by which columns they have. */
  readonly partials: readonly PartialRows[]
}

/**
 * Rows that carry values for `columns` only. needsRow: yes when other columns are `unchanged`: the
 * stored row must exist and keeps them. no: the others were absent from the record: a stored row
 * keeps them, a new one gets the target's default.
 */
export interface PartialRows {
  readonly columns: readonly number[]
  readonly needsRow: 'yes' | 'no'
  readonly rows: readonly (readonly Cell[])[]
  /** Of one of the rows, for the failure. */
  readonly position: RecordPosition | undefined
}

/** By key, in the one order of all writers. */
export function sortRows(rows: BufferedRow[], order: 'integer' | 'text'): BufferedRow[] {
  if (order === 'text') return rows.sort(byText)
  for (const row of rows) row.order = Number(row.id)
  return rows.sort((a, b) => (a.order === b.order ? byText(a, b) : a.order - b.order))
}

function byText(a: BufferedRow, b: BufferedRow): number {
  if (a.id === b.id) return 0
  return a.id < b.id ? -1 : 1
}

interface Group {
  readonly columns: number[]
  readonly needsRow: 'yes' | 'no'
  readonly rows: (readonly Cell[])[]
  readonly position: RecordPosition | undefined
}

/** Groups rows that have gaps; a gap that nothing can fill is the failure of its record. */
export class PartialGroups {
  readonly #groups = new Map<string, Group>()

  add(row: BufferedRow): void {
    const mask = maskOf(row)
    let group = this.#groups.get(mask)
    if (group === undefined) {
      group = emptyGroup(row)
      this.#groups.set(mask, group)
    }
    group.rows.push(row.cells)
  }

  list(): readonly PartialRows[] {
    return [...this.#groups.values()]
  }
}

function maskOf(row: BufferedRow): string {
  let mask = ''
  for (const cell of row.cells) {
    if (cell === unchanged) {
      if (row.stored !== 'own') missingRow(row)
      mask += 'u'
    } else mask += cell === undefined ? '-' : 'v'
  }
  return mask
}

function emptyGroup(row: BufferedRow): Group {
  const columns: number[] = []
  let needsRow: 'yes' | 'no' = 'no'
  for (const [index, cell] of row.cells.entries()) {
    if (cell === unchanged) needsRow = 'yes'
    else if (cell !== undefined) columns.push(index)
  }
  return { columns, needsRow, rows: [], position: row.position }
}

export function missingRow(row: BufferedRow): never {
  return fail('PLACEHOLDER_WITHOUT_ROW', {
    detail: 'the row whose unchanged values the record refers to is not at hand',
    ...(row.position === undefined ? {} : { position: row.position }),
  })
}
