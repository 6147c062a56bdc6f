// Invariants:
// - changes are taken in the order in which they must take effect; what comes out, applied to the
//   target as it was before the epoch, gives what the changes give one by one (SPEC.md, EB rules);
// - nothing here decides about time, positions or transactions: a buffer is filled, emptied once by
//   `tables`, and thrown away.
import type { Cell, Change, SourceTable, TableShape } from '@onceflow/model'
import { fail, invariant } from '@onceflow/model'
import type { EpochTable } from './epoch-buffer-output.ts'
import { filled, type MovedRow, type OpenDeparture } from './epoch-buffer-row.ts'
import { TableBuffer } from './epoch-buffer-table.ts'

export type { EpochTable, PartialRows } from './epoch-buffer-output.ts'
export type { MovedRow, OpenDeparture } from './epoch-buffer-row.ts'

export interface EpochBufferOptions {
  /** Rows held after coalescing; `full` from there on. */
  readonly recordsMax: number
  /** Estimated bytes held; `full` from there on. */
  readonly bytesMax: number
  /** The target table of a source table, as a text that names it uniquely. */
  readonly targetOf: (source: SourceTable) => string
  /** Throws when a truncate of the source would take rows of another source along. */
  readonly checkTruncate?: (source: SourceTable) => void
}

/** Coalesces the changes of one epoch by target table and key. */
export class EpochBuffer {
  readonly #options: EpochBufferOptions
  readonly #tables = new Map<string, TableBuffer>()
  readonly #byShape = new Map<TableShape, TableBuffer>()
  /** Tables truncated before any row told their shape. */
  readonly #truncated = new Map<string, Change & { kind: 'truncate' }>()
  #lastShape: TableShape | undefined
  #lastTable: TableBuffer | undefined
  #records = 0

  constructor(options: EpochBufferOptions) {
    this.#options = options
  }

  /** Changes taken, before coalescing. */
  get records(): number {
    return this.#records
  }

  get rows(): number {
    let rows = 0
    for (const table of this.#tables.values()) rows += table.rows
    return rows
  }

  get bytes(): number {
    let bytes = 0
    for (const table of this.#tables.values()) bytes += table.bytes
    return bytes
  }

  get isEmpty(): boolean {
    return this.#records === 0
  }

  /** Throws KEY_MISSING; the changes before the refused one have been taken. */
  add(changes: readonly Change[]): 'accepted' | 'full' {
    for (const change of changes) this.#take(change)
    const { recordsMax, bytesMax } = this.#options
    return this.rows >= recordsMax || this.bytes >= bytesMax ? 'full' : 'accepted'
  }

  #take(change: Change): void {
    this.#records += 1
    switch (change.kind) {
      case 'upsert':
        this.#tableOf(change.shape).upsert(change)
        return
      case 'delete':
        this.#tableOf(change.shape).delete(change)
        return
      case 'truncate': {
        this.#options.checkTruncate?.(change.source)
        const target = this.#options.targetOf(change.source)
        const table = this.#tables.get(target)
        if (table === undefined) this.#truncated.set(target, change)
        else table.truncate(change)
      }
    }
  }

  #tableOf(shape: TableShape): TableBuffer {
    if (shape === this.#lastShape && this.#lastTable !== undefined) return this.#lastTable
    const table = this.#byShape.get(shape) ?? this.#meet(shape)
    this.#lastShape = shape
    this.#lastTable = table
    return table
  }

  #meet(shape: TableShape): TableBuffer {
    const target = this.#options.targetOf(shape.source)
    let table = this.#tables.get(target)
    if (table === undefined) {
      table = new TableBuffer(target, shape)
      this.#tables.set(target, table)
      const truncate = this.#truncated.get(target)
      if (truncate !== undefined) table.truncate(truncate)
      this.#truncated.delete(target)
    } else if (!sameColumns(table.shape, shape) && table.widen(shape) === 'other-key') {
      fail('TARGET_MISMATCH', {
        detail: `records for ${target} have different keys within an epoch`,
        hint: 'the key of a table cannot change under a running pipeline; make a new one',
      })
    }
    this.#byShape.set(shape, table)
    return table
  }

  /** Rows that need values of another key's stored row; give them back with `fill`. */
  moves(): readonly MovedRow[] {
    return [...this.#tables.values()].flatMap((table) => table.moves())
  }

  /** Rows that left their key, whose new key has not come: keep them for a later epoch. */
  departures(): readonly OpenDeparture[] {
    return [...this.#tables.values()].flatMap((table) => table.departures())
  }

  /** `stored`: that row, aligned with the shape's columns; undefined when there is none. */
  fill(move: MovedRow, stored: readonly Cell[] | undefined): void {
    invariant(move.row.stored === (move.from ?? 'nowhere'), 'a moved row is filled once')
    if (stored === undefined) {
      move.row.stored = 'nowhere'
      return
    }
    const cells = filled(move.cells, stored)
    move.row.cells = cells.map((cell, index) =>
      move.cells[index] === undefined ? undefined : cell,
    )
    move.row.gaps = move.row.cells.filter((cell) => cell === undefined).length
    move.row.stored = 'nowhere'
  }

  /** Throws PLACEHOLDER_WITHOUT_ROW when the value of a placeholder cannot be known. */
  tables(): readonly EpochTable[] {
    return [...this.#tables.values()].map((table) => table.output())
  }

  /** Targets that are truncated and get no row: their shape is not known here. */
  truncatedOnly(): readonly string[] {
    return [...this.#truncated.keys()]
  }
}

function sameColumns(a: TableShape, b: TableShape): boolean {
  if (a === b) return true
  if (a.columns.length !== b.columns.length) return false
  return a.columns.every((column, index) => {
    const other = b.columns[index]
    return other !== undefined && other.name === column.name && other.type === column.type
  })
}
