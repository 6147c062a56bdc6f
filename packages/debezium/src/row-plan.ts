import { fail, type TableShape, type TableSpec } from '@onceflow/model'
import type { WireSchema } from './connect-schema.ts'
import type { Convert } from './convert-scalar.ts'
import { type ConvertOptions, converterOf } from './converter.ts'
import type { Placeholder, PlaceholderTest } from './placeholder.ts'
import { bareSemantic, type Semantic, semanticOf } from './semantic.ts'
import { parseTargetType } from './target-type.ts'

/** What to do with one member of a row object. */
export interface Slot {
  readonly name: string
  /** Index of the column in the target shape; -1: the member is left out. */
  readonly column: number
  readonly convert: Convert
  readonly placeholder: PlaceholderTest | undefined
}

export interface ExpectedMember {
  /** The member's name with quotes and colon, as the records write it. */
  readonly lead: string
  readonly slot: Slot
}

/**
 * How rows of one table with one wire schema become cells. `expected` is what the record before had
 * at each place: members come in the same order, so a name is compared, not looked up.
 */
export interface RowPlan {
  readonly shape: TableShape
  /** What the object is: for a member that has no slot. */
  readonly part: 'row' | 'key'
  readonly slots: ReadonlyMap<string, Slot>
  readonly expected: ExpectedMember[]
}

export type ColumnFilter = TableSpec['columns']

export const isIncluded = (filter: ColumnFilter, name: string): boolean => {
  if (filter.kind === 'all') return true
  return filter.names.includes(name) === (filter.kind === 'include')
}

export interface PlanOptions extends ConvertOptions {
  readonly placeholder: Placeholder
  /** What values without a schema mean: Debezium's forms by target type, or plain text. */
  readonly bare: 'by-target' | 'plain'
}

export interface PlanRequest {
  readonly shape: TableShape
  /** Struct of the row in the record's schema; undefined for a record without. */
  readonly wire: WireSchema | undefined
  readonly filter: ColumnFilter
}

export function planRow(request: PlanRequest, options: PlanOptions): RowPlan {
  const { shape, wire, filter } = request
  const slots = new Map<string, Slot>()
  const keys = new Set(shape.keyColumns)
  const fields = new Map(wire?.fields.map((field) => [field.name, field.schema]))
  for (const [index, column] of shape.columns.entries()) {
    const field = fields.get(column.name)
    if (wire !== undefined && field === undefined) continue
    const target = parseTargetType(column.type)
    const semantic = field === undefined ? bareOf(options, target) : semanticOf(field)
    const isTaken = keys.has(index) || isIncluded(filter, column.name)
    slots.set(column.name, {
      name: column.name,
      column: isTaken ? index : -1,
      convert: converterOf(semantic, target, options),
      placeholder: options.placeholder.testFor(target),
    })
  }
  return { shape, part: 'row', slots: withoutTarget(slots, request), expected: [] }
}

/** Message keys: the members are exactly the key columns of the target. */
export function planKey(request: PlanRequest, options: PlanOptions): RowPlan {
  const { slots } = planRow({ ...request, filter: { kind: 'all' } }, options)
  const keys = new Set(request.shape.keyColumns)
  const ofKey = [...slots].filter(([, slot]) => keys.has(slot.column))
  return { shape: request.shape, part: 'key', slots: new Map(ofKey), expected: [] }
}

const bareOf = (options: PlanOptions, target: Parameters<typeof bareSemantic>[0]): Semantic =>
  options.bare === 'plain' ? { kind: 'plain' } : bareSemantic(target)

/**
 * Members that need no column in the target: those that the filter leaves out, and of a declared
 * table those that the shape provided for it does not want, such as a generated column.
 */
function withoutTarget(
  slots: Map<string, Slot>,
  { filter, wire }: PlanRequest,
): ReadonlyMap<string, Slot> {
  for (const name of filter.kind === 'exclude' ? filter.names : []) {
    if (!slots.has(name)) slots.set(name, leftOut(name))
  }
  for (const { name } of wire?.fields ?? []) if (!slots.has(name)) slots.set(name, leftOut(name))
  return slots
}

export const leftOut = (name: string): Slot => ({
  name,
  column: -1,
  convert: (_kind, raw) => raw,
  placeholder: undefined,
})

/** A member without slot: left out by the filter, or a failure. */
export function unknownMember(name: string, plan: RowPlan, filter: ColumnFilter): Slot {
  if (plan.part === 'key') {
    return fail('TARGET_MISMATCH', {
      detail: 'the message key has a column that is not in the key of the target table',
      field: name,
    })
  }
  if (!isIncluded(filter, name)) return leftOut(name)
  return fail('TARGET_MISMATCH', { detail: 'the target table has no such column', field: name })
}
