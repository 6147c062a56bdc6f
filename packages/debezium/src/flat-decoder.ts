import { fail, type SourceTable } from '@onceflow/model'
import type { Bound } from './binding.ts'
import type { DecoderParts, Visit } from './envelope-decoder.ts'
import { unreadable } from './json-reader.ts'
import { PayloadReader } from './payload-reader.ts'
import { type Decoded, ignored } from './record.ts'
import { refuseTable } from './route.ts'
import type { ColumnFilter } from './row-plan.ts'
import { RowReader } from './row-reader.ts'

const noOrigin = { lsn: undefined, commitTimeMs: 0 }

/** Decodes flat JSON: the value is the row, the topic is the table, a tombstone deletes the key. */
export class FlatDecoder {
  readonly #parts: DecoderParts
  readonly #payload: PayloadReader
  readonly #rows = new RowReader()

  constructor(parts: DecoderParts) {
    this.#parts = parts
    this.#payload = new PayloadReader(parts.schemas)
  }

  decode(visit: Visit): Decoded {
    const source = this.#parts.tables.intern('', visit.position.topic)
    const route = this.#parts.routes.of(source)
    if (route.kind === 'filtered') return ignored('filtered')
    if (route.kind === 'refused') return refuseTable(source)
    const bytes = visit.record.value
    const kind = bytes === null ? 'null' : this.#payload.open(bytes, visit.hints.value)
    if (bytes === null || kind === 'null') return this.#decodeDelete(visit, source, route.filter)
    visit.hints.value = this.#payload.hint
    if (kind !== 'object') return unreadable('the value is not a JSON object')
    return this.#decodeUpsert(visit, bytes, { source, filter: route.filter })
  }

  #decodeDelete(visit: Visit, source: SourceTable, filter: ColumnFilter): Decoded {
    const bound = this.#parts.bindings.bindBare(source, filter)
    if (bound.kind === 'needs-table') return bound
    const { record, position, hints } = visit
    const key = this.#parts.keys.cells(record.key, bound.binding, hints)
    const { shape } = bound.binding
    return { kind: 'delete', shape, key, keyChange: 'none', origin: noOrigin, position }
  }

  #decodeUpsert(
    visit: Visit,
    bytes: Uint8Array,
    table: { readonly source: SourceTable; readonly filter: ColumnFilter },
  ): Decoded {
    const bound: Bound = this.#bind(table)
    if (bound.kind === 'needs-table') return bound
    const { position } = visit
    const { binding } = bound
    const request = { plan: binding.row, filter: binding.filter, reading: 'values' } as const
    const cells = this.#rows.read(bytes, this.#payload.members, request)
    this.#parts.keys.complete(cells, binding, visit)
    const { shape } = binding
    const change = { kind: 'upsert', op: 'create', keyChange: 'none' } as const
    return { ...change, shape, cells, origin: noOrigin, position }
  }

  /** A tombstone has no schema, so the types of a flat table always come from the catalogue. */
  #bind(table: { readonly source: SourceTable; readonly filter: ColumnFilter }): Bound {
    if (this.#payload.schema !== undefined) {
      return fail('RECORD_UNREADABLE', {
        detail: 'the record carries a schema, which format json does not read',
        hint: 'switch schemas off in the converter, or use format debezium-json for envelopes',
      })
    }
    return this.#parts.bindings.bindBare(table.source, table.filter)
  }
}
