import { fail, type RecordPosition, type SourceTable } from '@onceflow/model'
import type { Binding, Bindings, Bound } from './binding.ts'
import { fieldNamed } from './connect-schema.ts'
import { JsonReader, unreadable } from './json-reader.ts'
import { asciiBytes, memberNamed } from './json-walk.ts'
import type { KeyReader, TopicHints } from './key-reader.ts'
import { PayloadReader, type SchemaCache } from './payload-reader.ts'
import { type DecodableRecord, type Decoded, ignored } from './record.ts'
import { ignoredReason } from './record-kind.ts'
import { type Route, type Routes, refuseTable } from './route.ts'
import { type ColumnFilter, type RowReading, readRow } from './row-plan.ts'
import { SourceReader, type SourceTables } from './source-block.ts'
import { textBetween } from './text-decoding.ts'

const opName = asciiBytes('op')
const afterName = asciiBytes('after')
const sourceName = asciiBytes('source')

const newKeyHeader = '__debezium.newkey'
const oldKeyHeader = '__debezium.oldkey'

type RowOperation = 'read' | 'create' | 'update'
type EnvelopeOperation = RowOperation | 'delete' | 'truncate' | 'message'

const operations: ReadonlyMap<string, EnvelopeOperation> = new Map([
  ['r', 'read'],
  ['c', 'create'],
  ['u', 'update'],
  ['d', 'delete'],
  ['t', 'truncate'],
  ['m', 'message'],
])

export interface DecoderParts {
  readonly schemas: SchemaCache
  readonly tables: SourceTables
  readonly routes: Routes
  readonly bindings: Bindings
  readonly keys: KeyReader
}

/** One record on its way through the decoder. */
export interface Visit {
  readonly record: DecodableRecord
  readonly position: RecordPosition
  readonly hints: TopicHints
}

interface RowVisit extends Visit {
  readonly bytes: Uint8Array
  readonly op: RowOperation
  readonly source: SourceTable
  readonly filter: ColumnFilter
}

/** Decodes Debezium envelopes; the two readers hold the state of one record at a time. */
export class EnvelopeDecoder {
  readonly #parts: DecoderParts
  readonly #payload: PayloadReader
  readonly #source: SourceReader
  readonly #row = new JsonReader()

  constructor(parts: DecoderParts) {
    this.#parts = parts
    this.#payload = new PayloadReader(parts.schemas)
    this.#source = new SourceReader(parts.tables)
  }

  decode(visit: Visit): Decoded {
    const bytes = visit.record.value
    if (bytes === null) return ignored('tombstone')
    const kind = this.#payload.open(bytes, visit.hints.value)
    visit.hints.value = this.#payload.hint
    if (kind === 'null') return ignored('tombstone')
    const { members, schema } = this.#payload
    const opAt = kind === 'object' ? memberNamed(bytes, members, opName) : -1
    if (opAt === -1) {
      const reason = kind === 'object' ? this.#reason(bytes) : undefined
      if (reason !== undefined) return ignored(reason)
      return unreadable(
        `the record is not a change event${schema === undefined ? '' : ' by schema'}`,
      )
    }
    const op = operationAt(bytes, members.start(opAt), members.valueEnd(opAt))
    return op === 'message' ? ignored('message') : this.#decodeChange(visit, bytes, op)
  }

  #reason(bytes: Uint8Array): ReturnType<typeof ignoredReason> {
    const { members, schema } = this.#payload
    return ignoredReason(bytes, members, schema?.schema.name)
  }

  #decodeChange(
    visit: Visit,
    bytes: Uint8Array,
    op: Exclude<EnvelopeOperation, 'message'>,
  ): Decoded {
    const { members } = this.#payload
    const sourceAt = memberNamed(bytes, members, sourceName)
    if (sourceAt === -1) return unreadable('the record has no source block')
    this.#source.open(bytes, members.start(sourceAt))
    const source = this.#source.sourceTable(bytes)
    const route: Route = this.#parts.routes.of(source)
    if (route.kind === 'filtered') return ignored('filtered')
    if (route.kind === 'refused') return refuseTable(source)
    if (op === 'truncate') {
      const origin = this.#source.origin(bytes)
      return { kind: 'truncate', source, origin, position: visit.position }
    }
    if (op === 'delete') return this.#decodeDelete(visit, bytes, { source, filter: route.filter })
    return this.#decodeUpsert({ ...visit, bytes, op, source, filter: route.filter })
  }

  #bind(visit: Visit, table: { source: SourceTable; filter: ColumnFilter }): Bound {
    const entry = this.#payload.schema
    const { bindings, keys } = this.#parts
    const { source, filter } = table
    if (entry === undefined) return bindings.bindBare(source, filter)
    const row = fieldNamed(entry.schema, 'after') ?? fieldNamed(entry.schema, 'before')
    if (row?.type !== 'struct') return unreadable('the schema of the record describes no row')
    const key = keys.identity(visit.record.key, visit.hints)
    return bindings.bindDeclared({ source, filter, entry, row, key }, () => keys.wireKey(key))
  }

  #decodeUpsert(visit: RowVisit): Decoded {
    const { bytes, op, record, position } = visit
    const { members } = this.#payload
    const afterAt = memberNamed(bytes, members, afterName)
    if (afterAt === -1 || bytes[members.start(afterAt)] !== 0x7b) {
      return unreadable(`a ${op} has no row after it`)
    }
    const bound = this.#bind(visit, visit)
    if (bound.kind === 'needs-table') return bound
    const { binding } = bound
    const shape = binding.shape
    if (op === 'update' && shape.keyColumns.length === 0) {
      return fail('KEY_MISSING', { detail: 'an update of a table without key' })
    }
    const keyChange = op === 'create' && hasHeader(record, oldKeyHeader) ? 'arrives' : 'none'
    const reading = op === 'update' || keyChange === 'arrives' ? 'placeholders' : 'values'
    const text = textBetween(bytes, members.start(afterAt), members.valueEnd(afterAt))
    if (text === undefined) return unreadable('the row is not UTF-8')
    const cells = this.#cells(text, binding, reading)
    this.#parts.keys.complete(cells, binding, { key: record.key, hints: visit.hints })
    const origin = this.#source.origin(bytes)
    return { kind: 'upsert', op, shape, cells, keyChange, origin, position }
  }

  #cells(text: string, binding: Binding, reading: RowReading): ReturnType<typeof readRow> {
    const { row: plan, filter } = binding
    return readRow(this.#row.open(text), { plan, filter, reading })
  }

  #decodeDelete(
    visit: Visit,
    bytes: Uint8Array,
    table: { source: SourceTable; filter: ColumnFilter },
  ): Decoded {
    const bound = this.#bind(visit, table)
    if (bound.kind === 'needs-table') return bound
    const { record, position, hints } = visit
    const shape = bound.binding.shape
    const key = this.#parts.keys.cells(record.key, bound.binding, hints)
    const keyChange = hasHeader(record, newKeyHeader) ? 'leaves' : 'none'
    return { kind: 'delete', shape, key, keyChange, origin: this.#source.origin(bytes), position }
  }
}

/** A string of one letter; the case does not matter. */
function operationAt(bytes: Uint8Array, start: number, end: number): EnvelopeOperation {
  const letter =
    end - start === 3 && bytes[start] === 0x22
      ? String.fromCharCode((bytes[start + 1] as number) | 0x20)
      : ''
  return operations.get(letter) ?? unreadable('the record has an operation that is not known')
}

function hasHeader(record: DecodableRecord, name: string): boolean {
  for (const header of record.headers) if (header.key === name) return true
  return false
}
