import { fail, type SourceTable, type TableSpec } from '@onceflow/model'
import type { ColumnFilter } from './row-plan.ts'

export type Route =
  | { readonly kind: 'take'; readonly filter: ColumnFilter }
  | { readonly kind: 'filtered' }
  | { readonly kind: 'refused' }

export type OtherTables = 'pass' | 'ignore' | 'refuse'

const everyColumn: ColumnFilter = { kind: 'all' }

/** Which tables are taken, with which columns; SourceTable objects are interned by the caller. */
export class Routes {
  readonly #specs: ReadonlyMap<string, TableSpec>
  readonly #others: OtherTables
  readonly #routes = new Map<SourceTable, Route>()

  constructor(tables: readonly TableSpec[], others: OtherTables) {
    const keyed = tables.map((spec) => [keyOf(spec.source), spec] as const)
    this.#specs = new Map(keyed)
    this.#others = others
  }

  of(source: SourceTable): Route {
    const known = this.#routes.get(source)
    if (known !== undefined) return known
    const route = this.#find(source)
    this.#routes.set(source, route)
    return route
  }

  #find(source: SourceTable): Route {
    const spec = this.#specs.get(keyOf(source))
    if (spec !== undefined) return { kind: 'take', filter: spec.columns }
    if (this.#others === 'pass') return { kind: 'take', filter: everyColumn }
    return { kind: this.#others === 'ignore' ? 'filtered' : 'refused' }
  }
}

const keyOf = ({ schema, table }: SourceTable): string => `${schema}\u0000${table}`

export function refuseTable(source: SourceTable): never {
  const name = `${JSON.stringify(source.schema)}.${JSON.stringify(source.table)}`
  return fail('TABLE_UNROUTED', { detail: `no route names the source table ${name}` })
}
