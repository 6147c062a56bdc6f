import type { Column, TableShape } from '@onceflow/model'
import { invariant } from '@onceflow/model'
import { qualified, quoteName } from './sql-text.ts'

/** A column of the target as its catalogue has it. */
export interface TargetColumn {
  readonly name: string
  /** SQL text, schema-qualified and quoted where it must be. */
  readonly type: string
  readonly notNull: boolean
  readonly hasDefault: boolean
  /** always: an identity that can be inserted with OVERRIDING, and never updated. */
  readonly identity: 'no' | 'always' | 'by-default'
  readonly generated: boolean
}

export interface TargetIndex {
  readonly name: string
  readonly primary: boolean
  /** Column names; undefined for an expression. */
  readonly columns: readonly (string | undefined)[]
  /** Checked at each row, not at the end of the transaction. */
  readonly immediate: boolean
  /** Usable as a conflict target: not deferrable, not partial, no expression. */
  readonly arbiter: boolean
}

export interface TargetTable {
  readonly schema: string
  readonly name: string
  readonly columns: readonly TargetColumn[]
  readonly uniqueIndexes: readonly TargetIndex[]
}

export const tableSql = (table: TargetTable): string => qualified(table.schema, table.name)

/** What the statements for one shape of a target are made of: quoted names, in the cells' order. */
export interface TargetColumns {
  readonly table: string
  readonly all: readonly string[]
  readonly key: readonly string[]
  /** Columns that an UPDATE may set. */
  readonly settable: ReadonlySet<number>
}

export function targetColumns(target: TargetTable, shape: TableShape): TargetColumns {
  const byName = new Map(target.columns.map((column) => [column.name, column]))
  const settable = new Set<number>()
  for (const [index, column] of shape.columns.entries()) {
    if (byName.get(column.name)?.identity !== 'always') settable.add(index)
  }
  return {
    table: tableSql(target),
    all: shape.columns.map((column) => quoteName(column.name)),
    key: shape.keyColumns.map((column) => quoteName(columnAt(shape, column).name)),
    settable,
  }
}

export function columnAt(shape: TableShape, index: number): Column {
  const column = shape.columns[index]
  invariant(column !== undefined, `no column ${index} in the shape`)
  return column
}
