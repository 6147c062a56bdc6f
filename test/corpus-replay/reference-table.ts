/**
 * A reference sink in memory: each table a map from key to row, changes applied in log order.
 *
 * Invariants: rows holds what the table would hold; moved holds rows whose delete was the first
 * half of a key change, until the create with the same position at the source comes.
 */

import { type Cell, type Change, type RowUpsert, unchanged } from '@onceflow/model'

export type Row = Map<string, Cell>

export class ReferenceTables {
  readonly tables = new Map<string, Map<string, Row>>()
  readonly #moved = new Map<string, Row>()
  #keyless = 0

  apply(change: Change): void {
    const name = (change.kind === 'truncate' ? change.source : change.shape.source).table
    const rows = this.#rowsOf(name)
    switch (change.kind) {
      case 'truncate':
        rows.clear()
        return
      case 'delete': {
        const key = JSON.stringify(change.key)
        const row = rows.get(key)
        if (change.keyChange === 'leaves' && row !== undefined) {
          this.#moved.set(`${name} ${change.origin.lsn}`, row)
        }
        rows.delete(key)
        return
      }
      case 'upsert':
        this.#upsert(rows, name, change)
    }
  }

  #upsert(rows: Map<string, Row>, name: string, change: RowUpsert): void {
    const { shape, cells } = change
    const key =
      shape.keyColumns.length === 0
        ? `row ${this.#keyless++}`
        : JSON.stringify(shape.keyColumns.map((index) => cells[index]))
    const moved = `${name} ${change.origin.lsn}`
    const before = change.keyChange === 'arrives' ? this.#moved.get(moved) : rows.get(key)
    const row: Row = new Map(change.op === 'update' ? before : [])
    for (const [index, column] of shape.columns.entries()) {
      const cell = cells[index]
      if (cell === undefined) continue
      row.set(column.name, cell === unchanged ? (before?.get(column.name) ?? cell) : cell)
    }
    rows.set(key, row)
  }

  #rowsOf(name: string): Map<string, Row> {
    let rows = this.tables.get(name)
    if (rows === undefined) {
      rows = new Map()
      this.tables.set(name, rows)
    }
    return rows
  }
}
