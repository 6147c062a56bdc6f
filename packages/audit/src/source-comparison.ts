import type { TableRef } from '@onceflow/model'
import type { Client } from 'pg'
import { type CheckScope, found } from './check-scope.ts'
import type { FindingKind, Severity } from './report.ts'
import { type CatalogueColumn, type CatalogueTable, readCatalogue } from './target-catalogue.ts'
import { quoted, relation, type TextRow, textRows } from './target-connection.ts'

const fetchRows = 2_000

export interface SourceComparison {
  /** In a transaction that sees one moment of the source. */
  readonly source: Client
  /** Sees the snapshot of the target. */
  readonly target: Client
  readonly sourceTable: TableRef
  readonly targetTable: TableRef
  readonly key: readonly string[]
  /** Columns that the pipeline carries. */
  readonly columns: readonly string[]
  readonly catalogue: CatalogueTable
  /** violation when the pipeline has nothing left to do; warning while it lags. */
  readonly severity: Severity
}

interface SharedColumn {
  readonly name: string
  readonly source: CatalogueColumn
  readonly target: CatalogueColumn
}

/**
 * The target's table against the source's own, row by row in order of the key's text: finds what
 * was lost before the log. Meaningful only while the source is at rest.
 */
export async function compareWithSource(
  scope: CheckScope,
  input: SourceComparison,
): Promise<number> {
  const table = relation(input.targetTable)
  const catalogue = await readCatalogue(input.source, input.sourceTable)
  if (catalogue === undefined) {
    scope.findings.unchecked(`the source database has no table ${relation(input.sourceTable)}`)
    return 0
  }
  if (input.key.length === 0) {
    scope.findings.note(`${table} has no key: not compared with the source database`)
    return 0
  }
  const columns = sharedColumns(input, catalogue)
  if (input.key.some((name) => !columns.some((column) => column.name === name))) {
    scope.findings.unchecked(`${table}: the source's table lacks a column of the key`)
    return 0
  }
  const own = await openRows(input.source, { table: input.sourceTable, key: input.key, columns })
  const other = await openRows(input.target, { table: input.targetTable, key: input.key, columns })
  return merge({ scope, input, columns }, own, other)
}

function sharedColumns(input: SourceComparison, source: CatalogueTable): readonly SharedColumn[] {
  return input.columns.flatMap((name) => {
    const one = source.columns.find((column) => column.name === name)
    const two = input.catalogue.columns.find((column) => column.name === name)
    return one === undefined || two === undefined ? [] : [{ name, source: one, target: two }]
  })
}

/** Digits behind the point that say nothing are dropped: the two sides may differ in scale. */
function textOf(column: CatalogueColumn): string {
  const name = quoted(column.name)
  return column.baseType === 'numeric' ? `trim_scale(${name})::text` : `${name}::text`
}

interface Rows {
  next(): Promise<TextRow | undefined>
}

interface RowsRequest {
  readonly table: TableRef
  readonly key: readonly string[]
  readonly columns: readonly SharedColumn[]
}

let cursors = 0

async function openRows(client: Client, request: RowsRequest): Promise<Rows> {
  cursors += 1
  const cursor = `onceflow_audit_rows_${cursors}`
  const values = request.columns.map(({ source }, index) => `${textOf(source)} AS v${index}`)
  const order = request.key.map((name) => {
    const index = request.columns.findIndex((column) => column.name === name)
    const column = request.columns[index]?.source
    return column === undefined ? quoted(name) : textOf(column)
  })
  // The key as one text of bytes: both servers and this program order it alike.
  const sorted = order.map((text) => `coalesce(${text}, '')`).join(` || E'\\x01' || `)
  await client.query(
    `DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${values.join(', ')},` +
      ` (${sorted}) COLLATE "C" AS sorted FROM ${relation(request.table)}` +
      ` ORDER BY sorted`,
  )
  let page: readonly TextRow[] = []
  let at = 0
  return {
    next: async () => {
      if (at >= page.length) {
        page = await textRows(client, `FETCH ${fetchRows} FROM ${cursor}`)
        at = 0
      }
      at += 1
      return page[at - 1]
    },
  }
}

interface Merge {
  readonly scope: CheckScope
  readonly input: SourceComparison
  readonly columns: readonly SharedColumn[]
}

async function merge(context: Merge, source: Rows, target: Rows): Promise<number> {
  let own = await source.next()
  let other = await target.next()
  let rows = 0
  while (own !== undefined || other !== undefined) {
    rows += 1
    const order = orderOf(own, other)
    if (order === 'source-only' && own !== undefined) {
      report(context, { kind: 'source-lost', row: own, detail: 'in the source, not in the target' })
    } else if (order === 'target-only' && other !== undefined) {
      report(context, {
        kind: 'source-phantom',
        row: other,
        detail: 'in the target, not in the source',
      })
    } else if (own !== undefined && other !== undefined) compareRow(context, own, other)
    if (order !== 'target-only') own = await source.next()
    if (order !== 'source-only') other = await target.next()
  }
  return rows
}

function orderOf(
  own: TextRow | undefined,
  other: TextRow | undefined,
): 'same' | 'source-only' | 'target-only' {
  if (own === undefined) return 'target-only'
  if (other === undefined) return 'source-only'
  const order = Buffer.compare(Buffer.from(own['sorted'] ?? ''), Buffer.from(other['sorted'] ?? ''))
  return order === 0 ? 'same' : order < 0 ? 'source-only' : 'target-only'
}

function compareRow(context: Merge, own: TextRow, other: TextRow): void {
  const differing = context.columns.filter((_, index) => own[`v${index}`] !== other[`v${index}`])
  if (differing.length === 0) return
  const names = differing.map(({ name, source, target }) =>
    source.type === target.type ? name : `${name} (${source.type} there, ${target.type} here)`,
  )
  // Another type may write the same value in another way, so this alone accuses nobody.
  const isTyped = differing.some(({ source, target }) => source.baseType === target.baseType)
  report(context, {
    kind: 'source-differing',
    row: own,
    detail: `other values in ${names.join(', ')}`,
    severity: isTyped ? context.input.severity : 'warning',
  })
}

interface ReportInput {
  readonly kind: FindingKind
  readonly row: TextRow
  readonly detail: string
  readonly severity?: Severity
}

function report({ scope, input, columns }: Merge, { kind, row, detail, severity }: ReportInput) {
  const key = input.key.map((name) => [
    name,
    row[`v${columns.findIndex((column) => column.name === name)}`] ?? null,
  ])
  found(scope, {
    kind,
    severity: severity ?? input.severity,
    table: relation(input.targetTable),
    key: JSON.stringify(Object.fromEntries(key)),
    detail,
  })
}
