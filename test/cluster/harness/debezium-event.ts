// Change events as Debezium's PostgreSQL connector writes them, in both shapes: without schemas and
// decimals as text, or with schemas and decimals as scaled integers.

export type Shape = 'schemaless' | 'with-schema'

export interface ColumnDef {
  readonly name: string
  readonly type: 'int64' | 'decimal' | 'text'
}

export interface TableDef {
  readonly table: string
  /** The first one is the key. */
  readonly columns: readonly ColumnDef[]
}

/** Cells as PostgreSQL prints them. */
export type Row = readonly (string | null)[]

export interface EventInput {
  readonly def: TableDef
  readonly shape: Shape
  readonly op: 'c' | 'u' | 'd'
  readonly id: string
  readonly row: Row | undefined
  readonly lsn: number
  readonly txId: number
  readonly atMs: number
  readonly moved?: { readonly header: 'newkey' | 'oldkey'; readonly id: string } | undefined
}

export interface KafkaMessage {
  readonly key: string
  readonly value: string | null
  readonly headers?: Record<string, string>
}

const scale = 2

export function messageOf(input: EventInput): KafkaMessage {
  const { def, shape, op, row } = input
  const key = { [def.columns[0]?.name ?? 'id']: Number(input.id) }
  const after = row === undefined ? null : rowJson(def, shape, row)
  const payload = {
    before: op === 'd' ? keyOnly(def, input) : null,
    after,
    source: sourceOf(input),
    transaction: null,
    op,
    ts_ms: input.atMs + 3,
  }
  const moved = input.moved
  const headers =
    moved === undefined
      ? undefined
      : { [`__debezium.${moved.header}`]: JSON.stringify({ id: Number(moved.id) }) }
  const texts =
    shape === 'schemaless'
      ? { key: JSON.stringify(key), value: JSON.stringify(payload) }
      : {
          key: JSON.stringify({ schema: keySchema(def), payload: key }),
          value: JSON.stringify({ schema: envelopeSchema(def), payload }),
        }
  return headers === undefined ? texts : { ...texts, headers }
}

export const tombstoneOf = (message: KafkaMessage): KafkaMessage => ({
  key: message.key,
  value: null,
})

function keyOnly(def: TableDef, input: EventInput): Record<string, unknown> {
  return Object.fromEntries(
    def.columns.map(({ name, type }, index) => [
      name,
      index === 0 ? Number(input.id) : input.shape === 'with-schema' && type !== 'text' ? 0 : null,
    ]),
  )
}

const rowJson = (def: TableDef, shape: Shape, row: Row): Record<string, unknown> =>
  Object.fromEntries(
    def.columns.map((column, index) => [column.name, cellJson(column, shape, row[index] ?? null)]),
  )

function cellJson(column: ColumnDef, shape: Shape, cell: string | null): unknown {
  if (cell === null) return null
  switch (column.type) {
    case 'int64':
      return Number(cell)
    case 'text':
      return cell
    case 'decimal':
      return shape === 'schemaless' ? cell : decimalBytes(cell)
  }
}

/** Connect's Decimal: big-endian two's complement of the unscaled value, base64. */
function decimalBytes(text: string): string {
  let unscaled = BigInt(text.replace('.', ''))
  const bytes: number[] = []
  do {
    bytes.unshift(Number(BigInt.asUintN(8, unscaled)))
    unscaled >>= 8n
  } while (
    !(unscaled === 0n && (bytes[0] ?? 0) < 128) &&
    !(unscaled === -1n && (bytes[0] ?? 0) > 127)
  )
  return Buffer.from(bytes).toString('base64')
}

const sourceOf = ({ def, lsn, txId, atMs }: EventInput) => ({
  version: '3.6.1.Final',
  connector: 'postgresql',
  name: 'bank',
  ts_ms: atMs,
  snapshot: 'false',
  db: 'source',
  sequence: `[null,"${lsn}"]`,
  ts_us: atMs * 1_000,
  ts_ns: atMs * 1_000_000,
  schema: 'public',
  table: def.table,
  txId,
  lsn,
  xmin: null,
})

const fieldOf = ({ name, type }: ColumnDef, optional: boolean) => {
  switch (type) {
    case 'int64':
      return { type: 'int64', optional, field: name }
    case 'text':
      return { type: 'string', optional, field: name }
    case 'decimal':
      return {
        type: 'bytes',
        optional,
        name: 'org.apache.kafka.connect.data.Decimal',
        version: 1,
        parameters: { scale: String(scale), 'connect.decimal.precision': '14' },
        field: name,
      }
  }
}

const keySchema = (def: TableDef) => ({
  type: 'struct',
  fields: def.columns.slice(0, 1).map((column) => fieldOf(column, false)),
  optional: false,
  name: `bank.public.${def.table}.Key`,
})

const rowSchema = (def: TableDef, field: string) => ({
  type: 'struct',
  fields: def.columns.map((column, index) => fieldOf(column, index > 0)),
  optional: true,
  name: `bank.public.${def.table}.Value`,
  field,
})

const sourceFields = [
  ['version', 'string'],
  ['connector', 'string'],
  ['name', 'string'],
  ['ts_ms', 'int64'],
  ['snapshot', 'string'],
  ['db', 'string'],
  ['sequence', 'string'],
  ['ts_us', 'int64'],
  ['ts_ns', 'int64'],
  ['schema', 'string'],
  ['table', 'string'],
  ['txId', 'int64'],
  ['lsn', 'int64'],
  ['xmin', 'int64'],
] as const

const envelopeSchema = (def: TableDef) => ({
  type: 'struct',
  fields: [
    rowSchema(def, 'before'),
    rowSchema(def, 'after'),
    {
      type: 'struct',
      fields: sourceFields.map(([field, type]) => ({ type, optional: true, field })),
      optional: false,
      name: 'io.debezium.connector.postgresql.Source',
      field: 'source',
    },
    { type: 'struct', fields: [], optional: true, name: 'event.block', field: 'transaction' },
    { type: 'string', optional: false, field: 'op' },
    { type: 'int64', optional: true, field: 'ts_ms' },
  ],
  optional: false,
  name: `bank.public.${def.table}.Envelope`,
})
