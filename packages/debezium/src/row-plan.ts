import { type Cell, fail, type TableShape, type TableSpec, unchanged } from '@onceflow/model'
import type { WireSchema } from './connect-schema.ts'
import type { Convert } from './convert-scalar.ts'
import { type ConvertOptions, converterOf } from './converter.ts'
import { withField } from './failing-field.ts'
import { type JsonReader, unreadable } from './json-reader.ts'
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

interface ExpectedMember {
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

/** Members that the filter leaves out need no column in the target. */
function withoutTarget(
  slots: Map<string, Slot>,
  { filter, wire }: PlanRequest,
): ReadonlyMap<string, Slot> {
  const names =
    filter.kind === 'exclude' ? filter.names : (wire?.fields.map((field) => field.name) ?? [])
  for (const name of names) {
    if (slots.has(name) || isIncluded(filter, name)) continue
    slots.set(name, leftOut(name))
  }
  return slots
}

const leftOut = (name: string): Slot => ({
  name,
  column: -1,
  convert: (_kind, raw) => raw,
  placeholder: undefined,
})

/** values: a text equal to the placeholder is a value; placeholders: it means unchanged. */
export type RowReading = 'values' | 'placeholders'

/** More members than PostgreSQL has columns. */
const rowMembersMax = 1664

export interface RowRequest {
  readonly plan: RowPlan
  readonly filter: ColumnFilter
  readonly reading: RowReading
}

/** Reads the row object that the reader stands at, into cells aligned with the plan's shape. */
export function readRow(reader: JsonReader, request: RowRequest): Cell[] {
  const { plan, reading } = request
  const cells: Cell[] = new Array(plan.shape.columns.length).fill(undefined)
  reader.skipCode(0x7b, 'a row')
  if (reader.peek() === 0x7d) {
    reader.at++
    return cells
  }
  for (let place = 0; place <= rowMembersMax; place++) {
    const slot = slotAt(reader, place, request)
    if (slot.column < 0) reader.skipValue()
    else readCell(reader, slot, { cells, reading })
    if (reader.peek() === 0x7d) {
      reader.at++
      return cells
    }
    reader.skipCode(0x2c, 'a comma')
    reader.peek()
  }
  return unreadable('a row has more members than a table has columns')
}

function readCell(
  reader: JsonReader,
  slot: Slot,
  row: { readonly cells: Cell[]; readonly reading: RowReading },
): void {
  if (row.cells[slot.column] !== undefined) unreadable('a row has the same member twice')
  try {
    reader.readValue()
    row.cells[slot.column] = cellOf(reader, slot, row.reading)
  } catch (thrown) {
    throw withField(thrown, slot.name)
  }
}

function cellOf({ kind, raw }: JsonReader, slot: Slot, reading: RowReading): Cell {
  if (kind === 'null') return null
  if (reading === 'placeholders' && slot.placeholder?.(kind, raw) === true) return unchanged
  return slot.convert(kind, raw)
}

function slotAt(reader: JsonReader, place: number, request: RowRequest): Slot {
  const { plan, filter } = request
  const expected = plan.expected[place]
  if (expected !== undefined && reader.skipText(expected.lead) === 'skipped') return expected.slot
  const { name, lead } = reader.readName()
  const slot = plan.slots.get(name) ?? unknownMember(name, plan, filter)
  plan.expected[place] = { lead, slot }
  return slot
}

function unknownMember(name: string, plan: RowPlan, filter: ColumnFilter): Slot {
  if (plan.part === 'key') {
    return fail('TARGET_MISMATCH', {
      detail: 'the message key has a column that is not in the key of the target table',
      field: name,
    })
  }
  if (!isIncluded(filter, name)) return leftOut(name)
  return fail('TARGET_MISMATCH', { detail: 'the target table has no such column', field: name })
}
