import { fail, type RecordPosition, type SourceTable } from '@onceflow/model'
import type { Bindings, Bound } from './binding.ts'
import { fieldNamed } from './connect-schema.ts'
import { unreadable } from './json-reader.ts'
import { asciiBytes, MemberTable, memberNamed } from './json-walk.ts'
import type { KeyReader, TopicHints } from './key-reader.ts'
import { PayloadReader, type SchemaCache } from './payload-reader.ts'
import { type DecodableRecord, type Decoded, ignored } from './record.ts'
import { ignoredReason } from './record-kind.ts'
import { type Route, type Routes, refuseTable } from './route.ts'
import type { ColumnFilter } from './row-plan.ts'
import { RowReader } from './row-reader.ts'
import { SourceReader, type SourceTables } from './source-block.ts'

const opName = asciiBytes('op')

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

interface RowVisit {
  readonly visit: Visit
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
  readonly #after = new MemberTable()
  readonly #rows = new RowReader()

  constructor(parts: DecoderParts) {
    this.#parts = parts
    this.#source = new SourceReader(parts.tables)
    this.#payload = new PayloadReader(parts.schemas, [
      { name: asciiBytes('after'), table: this.#after },
      { name: asciiBytes('source'), table: this.#source.members },
    ])
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
    const source = this.#source.sourceTable(bytes)
    const route: Route = this.#parts.routes.of(source)
    if (route.kind === 'filtered') return ignored('filtered')
    if (route.kind === 'refused') return refuseTable(source)
    if (op === 'truncate') {
      const origin = this.#source.origin(bytes)
      return { kind: 'truncate', source, origin, position: visit.position }
    }
    if (op === 'delete') return this.#decodeDelete(visit, bytes, { source, filter: route.filter })
    const row: RowVisit = { visit, bytes, op, source, filter: route.filter }
    return this.#decodeUpsert(row)
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

  #decodeUpsert(row: RowVisit): Decoded {
    const { bytes, op, visit } = row
    if (this.#after.begin === -1) return unreadable(`a ${op} has no row after it`)
    const bound = this.#bind(visit, row)
    if (bound.kind === 'needs-table') return bound
    const { binding } = bound
    const { shape, filter, row: plan } = binding
    if (op === 'update' && shape.keyColumns.length === 0) {
      return fail('KEY_MISSING', { detail: 'an update of a table without key' })
    }
    const keyChange = op === 'create' && hasHeader(visit.record, oldKeyHeader) ? 'arrives' : 'none'
    const reading = op === 'update' || keyChange === 'arrives' ? 'placeholders' : 'values'
    const cells = this.#rows.read(bytes, this.#after, { plan, filter, reading })
    this.#parts.keys.complete(cells, binding, visit)
    const origin = this.#source.origin(bytes)
    return { kind: 'upsert', op, shape, cells, keyChange, origin, position: visit.position }
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
