import type { RecordPosition, TableRef } from '@onceflow/model'
import type { Client } from 'pg'
import type { AuditOptions } from './audit-request.ts'
import type { CheckScope } from './check-scope.ts'
import { comparable } from './column-equality.ts'
import { goneColumn, type LoadedFold, loadFold, placeColumn, unknownColumn } from './fold-table.ts'
import { epochOf } from './ledger-checks.ts'
import type { LedgerRow } from './ledger-row.ts'
import type { FindingKind, TableFigures } from './report.ts'
import type { FoldedTable } from './source-fold.ts'
import type { CatalogueColumn } from './target-catalogue.ts'
import { quoted, relation, type TextRow, textRows } from './target-connection.ts'

export interface ComparisonInput {
  /** Sees the snapshot; what it makes is gone when its transaction ends. */
  readonly client: Client
  readonly table: FoldedTable
  readonly options: AuditOptions
  readonly ledger: readonly LedgerRow[]
}

/** Every row of the target against the fold, by the server and in the target's types. */
export async function compareTable(
  scope: CheckScope,
  input: ComparisonInput,
): Promise<TableFigures> {
  const { client, table, options } = input
  const { fold } = table
  const target = relation(fold.target)
  const loaded = await loadFold(client, table)
  const rows =
    fold.key.length === 0
      ? await textRows(client, keylessSql(input, loaded))
      : await keyedDifferences(scope, input, loaded)
  const counted = new Set<string>()
  for (const row of rows) {
    const kind = kindOf(row)
    const severity = kind === 'unknown-origin' ? 'warning' : 'violation'
    if (!counted.has(kind)) scope.findings.count({ kind, severity }, Number(row['total']))
    counted.add(kind)
    const position = positionOf(row['place'] ?? null)
    scope.findings.keep({
      kind,
      severity,
      sink: scope.sink,
      table: target,
      key: row['key'] ?? undefined,
      detail: detailOf(kind, row, epochOf(input.ledger, position)),
      position,
    })
  }
  if (fold.key.length === 0 && loaded.hasUnknown === 'yes') {
    scope.findings.unchecked(`${target}: without a key, and some values are not known from the log`)
  }
  notCompared(scope, table)
  const [count] = await textRows(client, `SELECT count(*) AS n FROM ${target}`)
  await client.query(`DROP TABLE ${loaded.name}`)
  const rowsFound = Number(count?.['n'] ?? 0)
  const { rowsExpected } = loaded
  if (options.showValues === 'no' && counted.has('differing')) {
    scope.findings.note('values of differing columns are not shown unless asked for')
  }
  return { sink: scope.sink, table: target, rowsExpected, rowsFound }
}

const kinds: readonly FindingKind[] = [
  'lost',
  'phantom',
  'unknown-origin',
  'differing',
  'duplicated',
]
const kindOf = (row: TextRow): FindingKind =>
  kinds.find((kind) => kind === row['kind']) ?? 'differing'

function detailOf(kind: FindingKind, row: TextRow, epoch: string | undefined): string {
  const when = epoch === undefined ? '' : `; its last record belongs to ${epoch}`
  const values = row['values'] == null ? '' : `: ${row['values']}`
  switch (kind) {
    case 'lost':
      return `the log has the row, the target does not${values}${when}`
    case 'phantom':
      return `the target has a row that the log says is not there${values}${when}`
    case 'unknown-origin':
      return `no record speaks of this row${values}`
    case 'duplicated':
      return `the row is in the target ${row['copies'] ?? 'several'} times${values}`
    default:
      return `other values in ${row['columns'] ?? 'some columns'}${values}${when}`
  }
}

function positionOf(place: string | null): RecordPosition | undefined {
  const parts = place === null ? null : /^(.*)\/(\d+)\/(\d+)$/.exec(place)
  if (parts === null) return undefined
  const [, topic = '', partition, offset] = parts
  return { topic, partition: Number(partition), offset: BigInt(offset ?? 0) }
}

/** A row that no record speaks of: may it have been there before the pipeline? */
const strangerKind = ({ table, options }: ComparisonInput): FindingKind =>
  table.fold.truncated === 'yes' || options.targetTables === 'ours' ? 'phantom' : 'unknown-origin'

/** Of each kind: how many there are, and the first ones in order of key. */
const listed = (query: string, options: AuditOptions): string =>
  'SELECT * FROM (SELECT q.*, count(*) OVER (PARTITION BY q.kind) AS total,' +
  ' row_number() OVER (PARTITION BY q.kind ORDER BY q.key COLLATE "C") AS place_in_kind' +
  ` FROM (${query}) q WHERE q.kind IS NOT NULL) w` +
  ` WHERE w.place_in_kind <= ${options.findingsMax} ORDER BY w.kind, w.place_in_kind`

async function keyedDifferences(
  scope: CheckScope,
  input: ComparisonInput,
  loaded: LoadedFold,
): Promise<readonly TextRow[]> {
  const { client, table, options } = input
  const { fold, catalogue } = table
  const key = fold.key.map(quoted).join(', ')
  const [twice] = await textRows(
    client,
    `SELECT 1 AS one FROM ${loaded.name} GROUP BY ${key} HAVING count(*) > 1 LIMIT 1`,
  )
  if (twice !== undefined) {
    scope.findings.unchecked(
      `${relation(fold.target)}: keys that are written differently in the log are equal in the` +
        ' target, so its rows cannot be matched',
    )
    return []
  }
  const differences = await textRows(client, keyedSql(input, loaded))
  const sorted = fold.key.toSorted().join('\0')
  if (catalogue.uniqueKeys.some((columns) => columns.join('\0') === sorted)) return differences
  return [...differences, ...(await textRows(client, listed(duplicatesSql(fold), options)))]
}

const duplicatesSql = (fold: { target: TableRef; key: readonly string[] }): string => {
  const key = fold.key.map((name) => `t.${quoted(name)}`)
  const text = describedKey(fold.key, 't')
  return (
    `SELECT 'duplicated' AS kind, ${text} AS key, NULL::text AS columns,` +
    ` NULL::text AS place, NULL::text AS values, count(*) AS copies` +
    ` FROM ${relation(fold.target)} t GROUP BY ${key.join(', ')} HAVING count(*) > 1`
  )
}

/** {"column":"text",...}; the text of a value is what the server writes. */
const describedKey = (names: readonly string[], alias: string): string =>
  `jsonb_build_object(${names
    .map((name) => `${literal(name)}, ${alias}.${quoted(name)}::text`)
    .join(', ')})::text`

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

function keyedSql(input: ComparisonInput, loaded: LoadedFold): string {
  const { table, options } = input
  const { fold } = table
  const key = fold.key.map(quoted)
  const others = loaded.columns.flatMap((column, index) =>
    fold.key.includes(column.name) ? [] : [{ column, index }],
  )
  const differs = others.map(({ column, index }) => {
    const test = `${comparable(column, 't')} IS DISTINCT FROM ${comparable(column, 'f')}`
    if (loaded.hasUnknown === 'no') return { column, test: `(${test})` }
    const known = `(f.${unknownColumn} IS NULL OR NOT ${index} = ANY (f.${unknownColumn}))`
    return { column, test: `(${known} AND ${test})` }
  })
  const anyDiffers = differs.length === 0 ? 'false' : differs.map(({ test }) => test).join(' OR ')
  const kind =
    `CASE WHEN f.${placeColumn} IS NULL THEN '${strangerKind(input)}'` +
    ` WHEN f.${goneColumn} AND t.onceflow_here THEN 'phantom'` +
    ` WHEN f.${goneColumn} THEN NULL WHEN t.onceflow_here IS NULL THEN 'lost'` +
    ` WHEN ${anyDiffers} THEN 'differing' END`
  const keyText = `jsonb_build_object(${fold.key
    .map((name) => `${literal(name)}, coalesce(f.${quoted(name)}::text, t.${quoted(name)}::text)`)
    .join(', ')})::text`
  const isBoth = `f.${placeColumn} IS NOT NULL AND t.onceflow_here`
  return listed(
    `SELECT ${kind} AS kind, ${keyText} AS key,` +
      ` CASE WHEN ${isBoth} THEN ${differingNames(differs)} END AS columns,` +
      ` f.${placeColumn} AS place, ${differingValues(differs, { isBoth, options })} AS values` +
      ` FROM (SELECT s.*, true AS onceflow_here FROM ${relation(fold.target)} s) t` +
      ` FULL JOIN ${loaded.name} f ON ${key.map((name) => `t.${name} = f.${name}`).join(' AND ')}`,
    options,
  )
}

interface Difference {
  readonly column: CatalogueColumn
  /** SQL: true where the values differ. */
  readonly test: string
}

const differingNames = (differs: readonly Difference[]): string =>
  differs.length === 0
    ? 'NULL::text'
    : `concat_ws(', ', ${differs
        .map(({ column, test }) => `CASE WHEN ${test} THEN ${literal(column.name)} END`)
        .join(', ')})`

function differingValues(
  differs: readonly Difference[],
  { isBoth, options }: { readonly isBoth: string; readonly options: AuditOptions },
): string {
  if (options.showValues === 'no' || differs.length === 0) return 'NULL::text'
  const parts = differs.map(({ column, test }) => {
    const name = quoted(column.name)
    const shown = `format('%s: log %L, target %L', ${literal(column.name)}, f.${name}, t.${name})`
    return `CASE WHEN ${test} THEN ${shown} END`
  })
  return `CASE WHEN ${isBoth} THEN concat_ws('; ', ${parts.join(', ')}) END`
}

/** Tables without key: how often each row must be there, and how often it is. */
function keylessSql(input: ComparisonInput, loaded: LoadedFold): string {
  const { table, options } = input
  const values = (alias: string): string =>
    loaded.columns.map((column, index) => `${comparable(column, alias)} AS v${index}`).join(', ')
  const places = loaded.columns.map((_, index) => `v${index}`).join(', ')
  const row = `jsonb_build_array(${loaded.columns.map((_, index) => `v${index}::text`).join(', ')})`
  const shown = options.showValues === 'yes' ? `${row}::text` : 'NULL::text'
  return listed(
    `SELECT CASE WHEN wanted = there THEN NULL WHEN there < wanted THEN 'lost'` +
      ` WHEN wanted = 0 THEN '${strangerKind(input)}' ELSE 'duplicated' END AS kind,` +
      ` md5(${row}::text) AS key, NULL::text AS columns, place,` +
      ` ${shown} AS values, there AS copies FROM (SELECT ${places}, sum(w) AS wanted,` +
      ` sum(h) AS there, max(p) AS place FROM (SELECT ${values('f')}, 1 AS w, 0 AS h,` +
      ` f.${placeColumn} AS p FROM ${loaded.name} f UNION ALL SELECT ${values('t')}, 0, 1, NULL` +
      ` FROM ${relation(table.fold.target)} t) both_sides GROUP BY ${places}) grouped`,
    options,
  )
}

function notCompared(scope: CheckScope, { fold, catalogue }: FoldedTable): void {
  const names = catalogue.columns
    .filter(({ name, generated }) => generated === 'no' && !fold.columns.includes(name))
    .map(({ name }) => name)
  if (names.length === 0) return
  scope.findings.note(`${relation(fold.target)}: no record has ${names.join(', ')}: not compared`)
}
