import type { CatalogueColumn } from './target-catalogue.ts'
import { quoted } from './target-connection.ts'

/**
 * Types whose `=` means the same value to the last digit. All others are compared by the text that
 * the server writes: equality that forgets (1.0 and 1.00, 24 hours and 1 day, the areas of boxes,
 * citext) or that does not exist (json, xml, point) tells nothing.
 */
const exactTypes: ReadonlySet<string> = new Set([
  'bool',
  'int2',
  'int4',
  'int8',
  'oid',
  'uuid',
  'bytea',
  'date',
  'time',
  'timestamp',
  'timestamptz',
])

/** What stands for a column's value where values are compared or grouped. */
export function comparable(column: CatalogueColumn, alias: string): string {
  const name = `${alias}.${quoted(column.name)}`
  if (exactTypes.has(column.baseType)) return name
  return `${name}::text COLLATE "C"`
}

/**
 * From a text parameter to the column's type as the server's input function does it. Text types
 * come by assignment: an explicit cast would cut what is too long.
 */
export function castOf(column: CatalogueColumn, value: string): string {
  const isText = column.baseType === 'varchar' || column.baseType === 'bpchar'
  return isText ? `${value}::text` : `${value}::${column.type}`
}
