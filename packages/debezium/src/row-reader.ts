import { type Cell, unchanged } from '@onceflow/model'
import { withField } from './failing-field.ts'
import { type JsonKind, JsonReader, unescaped, unreadable } from './json-reader.ts'
import type { MemberTable } from './json-walk.ts'
import { type ColumnFilter, type RowPlan, type Slot, unknownMember } from './row-plan.ts'
import { textBetween } from './text-decoding.ts'

/** values: a text equal to the placeholder is a value; placeholders: it means unchanged. */
export type RowReading = 'values' | 'placeholders'

export interface RowRequest {
  readonly plan: RowPlan
  readonly filter: ColumnFilter
  readonly reading: RowReading
}

/**
 * Turns the members of a row object into cells. The walk over the bytes has found every member; in
 * a row of ASCII only, its places in the bytes are its places in the text, and nothing is searched
 * for a second time. Other rows are read again as text.
 */
export class RowReader {
  readonly #reader = new JsonReader()

  read(bytes: Uint8Array, members: MemberTable, request: RowRequest): Cell[] {
    const { begin, end } = members
    const text = textBetween(bytes, begin, end)
    if (text === undefined) return unreadable('the row is not UTF-8')
    if (text.length !== end - begin) return readRow(this.#reader.open(text), request)
    return readWalked(text, members, request)
  }
}

/** The text is the object's own, and the table holds its members by place in the record. */
function readWalked(text: string, members: MemberTable, request: RowRequest): Cell[] {
  const { plan, reading } = request
  const { begin, count } = members
  const cells: Cell[] = new Array(plan.shape.columns.length).fill(undefined)
  let slot: Slot | undefined
  try {
    for (let place = 0; place < count; place++) {
      const from = members.nameStart(place) - begin - 1
      const start = members.start(place) - begin
      const expected = plan.expected[place]
      slot =
        expected !== undefined && text.startsWith(expected.lead, from)
          ? expected.slot
          : learn({ place, lead: text.substring(from, start) }, request)
      if (slot.column < 0) continue
      if (cells[slot.column] !== undefined) unreadable(twice)
      const end = members.valueEnd(place) - begin
      const kind = kindAt(text, start)
      if (kind === 'null') cells[slot.column] = null
      else {
        let raw = text.substring(start, end)
        if (kind === 'string') {
          raw = members.isEscaped(place) ? unescaped(raw) : text.substring(start + 1, end - 1)
        }
        const isMarker = reading === 'placeholders' && slot.placeholder?.(kind, raw) === true
        cells[slot.column] = isMarker ? unchanged : slot.convert(kind, raw)
      }
    }
  } catch (thrown) {
    throw slot === undefined ? thrown : withField(thrown, slot.name)
  }
  return cells
}

const twice = 'a row has the same member twice'

function kindAt(text: string, at: number): JsonKind {
  const code = text.charCodeAt(at)
  if (code === 0x22) return 'string'
  if (code === 0x2d || (code >= 0x30 && code <= 0x39)) return 'number'
  if (code === 0x7b) return 'object'
  if (code === 0x5b) return 'array'
  if (code === 0x6e && text.startsWith('null', at)) return 'null'
  if (text.startsWith('true', at) || text.startsWith('false', at)) return 'boolean'
  return unreadable('a member of a row has no JSON value')
}

/** A name that was not expected at its place: looked up, and expected there from now on. */
function learn(
  { place, lead }: { readonly place: number; readonly lead: string },
  { plan, filter }: RowRequest,
): Slot {
  const { name } = new JsonReader().open(lead).readName()
  const slot = plan.slots.get(name) ?? unknownMember(name, plan, filter)
  plan.expected[place] = { lead, slot }
  return slot
}

/** Reads the row object that the reader stands at, into cells aligned with the plan's shape. */
export function readRow(reader: JsonReader, request: RowRequest): Cell[] {
  const { plan, reading } = request
  const cells: Cell[] = new Array(plan.shape.columns.length).fill(undefined)
  let slot: Slot | undefined
  reader.skipCode(0x7b, 'a row')
  try {
    for (let place = 0; reader.peek() !== 0x7d; place++) {
      if (place > 0) reader.skipCode(0x2c, 'a comma')
      slot = slotAt(reader, place, request)
      if (slot.column < 0) reader.skipValue()
      else if (cells[slot.column] !== undefined) unreadable(twice)
      else {
        reader.readValue()
        cells[slot.column] = cellOf(reader, slot, reading)
      }
    }
  } catch (thrown) {
    throw slot === undefined ? thrown : withField(thrown, slot.name)
  }
  return cells
}

function cellOf({ kind, raw }: JsonReader, slot: Slot, reading: RowReading): Cell {
  if (kind === 'null') return null
  if (reading === 'placeholders' && slot.placeholder?.(kind, raw) === true) return unchanged
  return slot.convert(kind, raw)
}

function slotAt(reader: JsonReader, place: number, request: RowRequest): Slot {
  reader.peek()
  const expected = request.plan.expected[place]
  if (expected !== undefined && reader.skipText(expected.lead) === 'skipped') return expected.slot
  const { name, lead } = reader.readName()
  const slot = request.plan.slots.get(name) ?? unknownMember(name, request.plan, request.filter)
  request.plan.expected[place] = { lead, slot }
  return slot
}
