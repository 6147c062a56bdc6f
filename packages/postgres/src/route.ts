import type { PostgresSinkSpec, SourceTable, TableRef, TableSpec } from '@onceflow/model'
import { isNameTooLong, qualified } from './sql-text.ts'

/** Where a source table's rows go. */
export interface Route {
  readonly target: TableRef
  /** Quoted and qualified: it names the target uniquely. */
  readonly sql: string
  readonly columns: TableSpec['columns']
}

/** A table without a route keeps its name, in the sink's schema. */
export function routeOf(
  source: SourceTable,
  tables: readonly TableSpec[],
  sink: PostgresSinkSpec,
): Route {
  const spec = tables.find(
    (one) => one.source.schema === source.schema && one.source.table === source.table,
  )
  const target = spec?.target ?? { schema: sink.schema, table: source.table }
  return {
    target,
    sql: qualified(target.schema, target.table),
    columns: spec?.columns ?? { kind: 'all' },
  }
}

export const isUsableName = ({ schema, table }: TableRef): boolean =>
  [schema, table].every((name) => name !== '' && !name.includes('\0') && !isNameTooLong(name))

/** Key columns always stay, whatever the spec excludes. */
export function isIncluded(columns: TableSpec['columns'], name: string): boolean {
  switch (columns.kind) {
    case 'all':
      return true
    case 'include':
      return columns.names.includes(name)
    case 'exclude':
      return !columns.names.includes(name)
  }
}
