import { type Cell, type Column, fail, type SourceTable, type TableShape } from '@onceflow/model'
import { byteaOf } from './base64.ts'
import { shapeOf } from './declared-shape.ts'
import type { DecoderParts, Visit } from './envelope-decoder.ts'
import { type DecodableRecord, type Decoded, ignored } from './record.ts'
import { refuseTable } from './route.ts'
import { type ColumnFilter, isIncluded } from './row-plan.ts'

const noOrigin = { lsn: undefined, commitTimeMs: 0 }

interface RecordColumn {
  readonly column: Column
  cell(topic: string, partition: number, record: DecodableRecord): Cell
}

const keyed = (name: string, type: string, keyOrdinal: number): Column => ({
  name,
  type,
  nullable: false,
  keyOrdinal,
})
const plain = (name: string): Column => ({
  name,
  type: 'bytea',
  nullable: true,
  keyOrdinal: undefined,
})
const byteaCell = (bytes: Uint8Array | null): Cell => (bytes === null ? null : byteaOf(bytes))

const recordColumns: readonly RecordColumn[] = [
  { column: keyed('topic', 'text', 0), cell: (topic) => topic },
  { column: keyed('partition', 'integer', 1), cell: (_topic, partition) => String(partition) },
  { column: keyed('offset', 'bigint', 2), cell: (_t, _p, record) => String(record.offset) },
  { column: plain('key'), cell: (_t, _p, record) => byteaCell(record.key) },
  { column: plain('value'), cell: (_t, _p, record) => byteaCell(record.value) },
]

/** Takes records as they are: one row for each, with its position as the key. */
export class BytesDecoder {
  readonly #parts: DecoderParts
  readonly #declared = new Map<SourceTable, TableShape>()

  constructor(parts: DecoderParts) {
    this.#parts = parts
  }

  decode({ record, position }: Visit): Decoded {
    const { tables, routes, bindings } = this.#parts
    const source = tables.intern('', position.topic)
    const route = routes.of(source)
    if (route.kind === 'filtered') return ignored('filtered')
    if (route.kind === 'refused') return refuseTable(source)
    const declared = this.#declaredOf(source, route.filter)
    const shape = bindings.resolved(declared)
    if (shape === undefined) return { kind: 'needs-table', source, declared }
    const cells: Cell[] = new Array(shape.columns.length).fill(undefined)
    for (const { column, cell } of recordColumns) {
      if (!declared.columns.includes(column)) continue
      const index = shape.columns.findIndex((target) => target.name === column.name)
      if (index === -1) {
        fail('TARGET_MISMATCH', {
          detail: 'the target table has no such column',
          field: column.name,
        })
      }
      cells[index] = cell(position.topic, position.partition, record)
    }
    const change = { kind: 'upsert', op: 'create', keyChange: 'none' } as const
    return { ...change, shape, cells, origin: noOrigin, position }
  }

  #declaredOf(source: SourceTable, filter: ColumnFilter): TableShape {
    const known = this.#declared.get(source)
    if (known !== undefined) return known
    const columns = recordColumns
      .map(({ column }) => column)
      .filter(({ name, keyOrdinal }) => keyOrdinal !== undefined || isIncluded(filter, name))
    const made = shapeOf(source, columns, ['topic', 'partition', 'offset'])
    this.#declared.set(source, made)
    return made
  }
}
