import type {
  Column,
  PipelineSpec,
  PostgresSinkSpec,
  SourceTable,
  TableRef,
  TableShape,
  TableSpec,
} from '@onceflow/model'
import type { Client } from 'pg'
import { relation, textRows } from './target-connection.ts'

export interface CatalogueColumn {
  readonly name: string
  /** As SQL text. */
  readonly type: string
  /** Name of the base type in pg_type: what stands under a domain. */
  readonly baseType: string
  /** Computed from other columns: no record fills it. */
  readonly generated: 'yes' | 'no'
}

export interface CatalogueTable {
  readonly columns: readonly CatalogueColumn[]
  /** Columns of the primary key, else of the first unique index without null columns. */
  readonly key: readonly string[]
  /** Columns of every valid unique index without a condition, each list sorted. */
  readonly uniqueKeys: readonly (readonly string[])[]
}

const columnsSql =
  'SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,' +
  " a.attgenerated <> '' AS generated," +
  ' (WITH RECURSIVE base AS (SELECT t.oid, t.typname, t.typbasetype FROM pg_type t' +
  ' WHERE t.oid = a.atttypid UNION ALL SELECT t.oid, t.typname, t.typbasetype FROM pg_type t' +
  ' JOIN base b ON t.oid = b.typbasetype) SELECT typname FROM base WHERE typbasetype = 0)' +
  ' AS base_type FROM pg_attribute a WHERE a.attrelid = to_regclass($1)' +
  ' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum'

const indexesSql =
  'SELECT json_agg(a.attname ORDER BY a.attname)::text AS columns, i.indisprimary AS is_primary,' +
  ' bool_and(a.attnotnull) AS never_null FROM pg_index i JOIN pg_attribute a' +
  ' ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey::int2[])' +
  ' AND array_position(i.indkey::int2[], a.attnum) < i.indnkeyatts' +
  ' WHERE i.indrelid = to_regclass($1) AND i.indisunique AND i.indisvalid' +
  ' AND i.indpred IS NULL AND i.indexprs IS NULL' +
  ' GROUP BY i.indexrelid, i.indisprimary ORDER BY i.indisprimary DESC, 1'

/** undefined: there is no such table, or the role may not see it. */
export async function readCatalogue(
  client: Client,
  table: TableRef,
): Promise<CatalogueTable | undefined> {
  const columns = await textRows(client, columnsSql, [relation(table)])
  if (columns.length === 0) return undefined
  const indexes = await textRows(client, indexesSql, [relation(table)])
  const keys = indexes.map((row) => ({
    columns: JSON.parse(row['columns'] ?? '[]') as readonly string[],
    isKey: row['is_primary'] === 't' || row['never_null'] === 't',
  }))
  return {
    columns: columns.map((row) => ({
      name: row['name'] ?? '',
      type: row['type'] ?? '',
      baseType: row['base_type'] ?? '',
      generated: row['generated'] === 't' ? 'yes' : 'no',
    })),
    key: keys.find(({ isKey }) => isKey)?.columns ?? [],
    uniqueKeys: keys.map((one) => one.columns),
  }
}

const specOf = (spec: PipelineSpec, source: SourceTable): TableSpec | undefined =>
  spec.tables.find(
    (one) => one.source.schema === source.schema && one.source.table === source.table,
  )

/** Where the spec sends the rows of a source table. */
export const targetOf = (
  spec: PipelineSpec,
  sink: PostgresSinkSpec,
  source: SourceTable,
): TableRef => specOf(spec, source)?.target ?? { schema: sink.schema, table: source.table }

export interface ShapeRequest {
  readonly spec: PipelineSpec
  readonly source: SourceTable
  readonly declared: TableShape | undefined
  readonly table: CatalogueTable
}

/** The shape in which records are to be decoded: cells are input text of the target's types. */
export function shapeFor({ spec, source, declared, table }: ShapeRequest): TableShape {
  const filter = specOf(spec, source)?.columns ?? { kind: 'all' }
  const key =
    declared === undefined
      ? table.key
      : declared.keyColumns.map((index) => declared.columns[index]?.name ?? '')
  const isWanted = (name: string): boolean => {
    if (key.includes(name)) return true
    if (declared !== undefined && !declared.columns.some((one) => one.name === name)) return false
    if (filter.kind === 'all') return true
    return filter.names.includes(name) === (filter.kind === 'include')
  }
  const columns = table.columns
    .filter(({ name, generated }) => generated === 'no' && isWanted(name))
    .map(({ name, type }): Column => {
      const ordinal = key.indexOf(name)
      return { name, type, nullable: true, keyOrdinal: ordinal === -1 ? undefined : ordinal }
    })
  const keyColumns = key.map((name) => columns.findIndex((column) => column.name === name))
  return { source, columns, keyColumns, origin: 'catalogue' }
}
