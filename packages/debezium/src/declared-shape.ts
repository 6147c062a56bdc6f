import { type Column, fail, type SourceTable, type TableShape } from '@onceflow/model'
import { fieldNamed, type WireField, type WireSchema } from './connect-schema.ts'
import { declaredColumn } from './declared-type.ts'
import { type ColumnFilter, isIncluded } from './row-plan.ts'

/** One object for shapes of equal structure. */
export class ShapeInterner {
  readonly #shapes = new Map<string, TableShape>()

  intern(shape: TableShape): TableShape {
    const columns = shape.columns.map((column) => [
      column.name,
      column.type,
      column.nullable,
      column.keyOrdinal ?? -1,
    ])
    const { source, origin, keyColumns } = shape
    const key = JSON.stringify([source.schema, source.table, origin, columns, keyColumns])
    const known = this.#shapes.get(key)
    if (known !== undefined) return known
    this.#shapes.set(key, shape)
    return shape
  }
}

/** Names of the message key's members, with their schemas where the key has one. */
export interface WireKey {
  readonly names: readonly string[]
  readonly schema: WireSchema | undefined
}

export interface DeclaredRequest {
  readonly source: SourceTable
  readonly row: WireSchema
  readonly key: WireKey
  readonly filter: ColumnFilter
}

/** The table that a record's own schema describes: the columns that are taken, keys always. */
export function declaredShape(request: DeclaredRequest): TableShape {
  const { row, key, filter } = request
  const fields = row.fields.filter(
    (field) => key.names.includes(field.name) || isIncluded(filter, field.name),
  )
  const missing = key.names.filter((name) => fieldNamed(row, name) === undefined)
  const columns = [...fields, ...missing.map((name) => keyField(name, key))].map((field) =>
    declaredColumn(field, ordinalIn(key.names, field.name)),
  )
  return shapeOf(request.source, columns, key.names)
}

const ordinalIn = (names: readonly string[], name: string): number | undefined =>
  names.includes(name) ? names.indexOf(name) : undefined

function keyField(name: string, key: WireKey): WireField {
  const schema = fieldNamed(key.schema, name)
  if (schema !== undefined) return { name, schema }
  return fail('KEY_MISSING', { detail: 'the row lacks a column of the message key', field: name })
}

export function shapeOf(
  source: SourceTable,
  columns: readonly Column[],
  keyNames: readonly string[],
): TableShape {
  const keyColumns = keyNames.map((name) => columns.findIndex((column) => column.name === name))
  return { source, columns, keyColumns, origin: 'record' }
}
