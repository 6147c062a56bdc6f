import type { SourceTable, TableShape } from '@onceflow/model'
import type { WireSchema } from './connect-schema.ts'
import { declaredShape, ShapeInterner, type WireKey } from './declared-shape.ts'
import type { SchemaEntry } from './payload-reader.ts'
import { type ColumnFilter, type PlanOptions, planKey, planRow, type RowPlan } from './row-plan.ts'

/** Everything that is needed to decode rows of one table with one wire schema. */
export interface Binding {
  readonly shape: TableShape
  readonly filter: ColumnFilter
  readonly wire: WireSchema | undefined
  readonly row: RowPlan
  /** Plans of the message key, by its own schema; undefined: a key without schema. */
  readonly keys: Map<SchemaEntry | undefined, RowPlan>
}

export type Bound =
  | { readonly kind: 'bound'; readonly binding: Binding }
  | {
      readonly kind: 'needs-table'
      readonly source: SourceTable
      readonly declared: TableShape | undefined
    }

/** The key's schema, or the names of a key without schema, joined; '' for no key. */
export type KeyIdentity = SchemaEntry | string

export interface DeclaredBinding {
  readonly source: SourceTable
  readonly filter: ColumnFilter
  readonly entry: SchemaEntry
  readonly row: WireSchema
  readonly key: KeyIdentity
}

interface Cached {
  readonly source: SourceTable
  readonly key: KeyIdentity
  readonly declared: TableShape
  binding: Binding | undefined
}

/**
 * Invariants: #answers holds what provide() was told, by declared shape or by source table; the
 * other maps are caches made from it and are emptied by each answer.
 */
export class Bindings {
  readonly #options: PlanOptions
  readonly #shapes = new ShapeInterner()
  readonly #answers = new Map<TableShape | SourceTable, TableShape>()
  readonly #bare = new Map<SourceTable, Binding>()
  #declared = new WeakMap<SchemaEntry, Cached[]>()

  constructor(options: PlanOptions) {
    this.#options = options
  }

  provide(source: SourceTable, declared: TableShape | undefined, resolved: TableShape): void {
    const asked = declared === undefined ? source : this.#shapes.intern(declared)
    this.#answers.set(asked, this.#shapes.intern(resolved))
    this.#bare.clear()
    this.#declared = new WeakMap()
  }

  /** The shape that a declared one was resolved to. */
  resolved(declared: TableShape): TableShape | undefined {
    return this.#answers.get(this.#shapes.intern(declared))
  }

  bindBare(source: SourceTable, filter: ColumnFilter): Bound {
    const known = this.#bare.get(source)
    if (known !== undefined) return { kind: 'bound', binding: known }
    const shape = this.#answers.get(source)
    if (shape === undefined) return { kind: 'needs-table', source, declared: undefined }
    const binding = this.#bindingOf({ shape, filter, wire: undefined })
    this.#bare.set(source, binding)
    return { kind: 'bound', binding }
  }

  bindDeclared(request: DeclaredBinding, keyOf: () => WireKey): Bound {
    const cached = this.#cachedFor(request, keyOf)
    if (cached.binding === undefined) {
      const shape = this.#answers.get(cached.declared)
      const { source, filter, row: wire } = request
      if (shape === undefined) return { kind: 'needs-table', source, declared: cached.declared }
      cached.binding = this.#bindingOf({ shape, filter, wire })
    }
    return { kind: 'bound', binding: cached.binding }
  }

  #cachedFor(request: DeclaredBinding, keyOf: () => WireKey): Cached {
    let list = this.#declared.get(request.entry)
    if (list === undefined) {
      list = []
      this.#declared.set(request.entry, list)
    }
    for (const cached of list) {
      if (cached.source === request.source && cached.key === request.key) return cached
    }
    const { source, row, filter, key } = request
    const declared = this.#shapes.intern(declaredShape({ source, row, filter, key: keyOf() }))
    const made: Cached = { source, key, declared, binding: undefined }
    list.push(made)
    return made
  }

  #bindingOf(request: {
    readonly shape: TableShape
    readonly filter: ColumnFilter
    readonly wire: WireSchema | undefined
  }): Binding {
    return { ...request, row: planRow(request, this.#options), keys: new Map() }
  }

  /** A key without schema beside a value with one has the value's types. */
  keyPlan(binding: Binding, entry: SchemaEntry | undefined): RowPlan {
    const known = binding.keys.get(entry)
    if (known !== undefined) return known
    const wire = entry?.schema ?? binding.wire
    const { shape, filter } = binding
    const made = planKey({ shape, wire, filter }, this.#options)
    binding.keys.set(entry, made)
    return made
  }
}
