import type { Session } from './session.ts'
import { quoteText } from './sql-text.ts'
import type { TargetColumn, TargetIndex, TargetTable } from './target-table.ts'

const relation = (schema: string, table: string): string =>
  '(SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace' +
  ` WHERE n.nspname = ${quoteText(schema)} AND c.relname = ${quoteText(table)}` +
  " AND c.relkind IN ('r', 'p'))"

/** A domain takes the values of the type at its bottom; it may stand on another domain. */
const baseTypeSql =
  '(WITH RECURSIVE base(type, modifier) AS (SELECT a.atttypid, a.atttypmod UNION ALL' +
  ' SELECT d.typbasetype, d.typtypmod FROM base' +
  " JOIN pg_type d ON d.oid = base.type AND d.typtype = 'd')" +
  ' SELECT format_type(base.type, base.modifier) FROM base' +
  " JOIN pg_type t ON t.oid = base.type AND t.typtype <> 'd')"

/** Types are format_type's: qualified when outside pg_catalog, quoted, with their modifier. */
const columnsSql = (schema: string, table: string): string =>
  `SELECT a.attname, ${baseTypeSql}, a.attnotnull::int,` +
  ' a.atthasdef::int, a.attidentity, a.attgenerated FROM pg_attribute a' +
  ` WHERE a.attrelid = ${relation(schema, table)} AND a.attnum > 0 AND NOT a.attisdropped` +
  ' ORDER BY a.attnum'

const indexesSql = (schema: string, table: string): string =>
  'SELECT i.indexrelid::regclass::text, i.indisprimary::int,' +
  ' i.indimmediate::int, (i.indpred IS NULL AND i.indexprs IS NULL)::int,' +
  ' (SELECT json_agg(a.attname ORDER BY k.place)::text' +
  '  FROM unnest(i.indkey::int2[]) WITH ORDINALITY k(attnum, place)' +
  '  LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum' +
  '  WHERE k.place <= i.indnkeyatts)' +
  ` FROM pg_index i WHERE i.indrelid = ${relation(schema, table)}` +
  ' AND i.indisunique AND i.indisvalid ORDER BY i.indisprimary DESC, 1'

/** undefined: there is no such table. */
export async function readTable(
  session: Session,
  schema: string,
  table: string,
): Promise<TargetTable | undefined> {
  const [columns, indexes] = await session.must(
    `${columnsSql(schema, table)};\n${indexesSql(schema, table)}`,
    'reading the catalogue',
  )
  if (columns === undefined || columns.rows.length === 0) return undefined
  return {
    schema,
    name: table,
    columns: columns.rows.map(columnOf),
    uniqueIndexes: (indexes?.rows ?? []).map(indexOf),
  }
}

type Row = readonly (string | null)[]

function columnOf(row: Row): TargetColumn {
  const [name, type, notNull, hasDefault, identity, generated] = row
  return {
    name: name ?? '',
    type: type ?? '',
    notNull: notNull === '1',
    hasDefault: hasDefault === '1',
    identity: identity === 'a' ? 'always' : identity === 'd' ? 'by-default' : 'no',
    generated: (generated ?? '') !== '',
  }
}

function indexOf(row: Row): TargetIndex {
  const [name, primary, immediate, plain, columns] = row
  const names: readonly (string | null)[] = JSON.parse(columns ?? '[]')
  return {
    name: name ?? '',
    primary: primary === '1',
    immediate: immediate === '1',
    arbiter: immediate === '1' && plain === '1',
    columns: names.map((one) => one ?? undefined),
  }
}
