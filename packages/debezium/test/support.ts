/** Builds records and decodes them into a table that a test names by its columns. */

import type { Cell, Change, Column, TableShape } from '@onceflow/model'
import { createDecoder, type Decoded, type Decoder, type DecoderOptions } from '../src/index.ts'

const encoder = new TextEncoder()
export const bytes = (text: string): Uint8Array => encoder.encode(text)

export type ColumnText = readonly [name: string, type: string]

/** A catalogue shape; the key is the first column unless said. */
export function shapeOf(
  columns: readonly ColumnText[],
  keyNames: readonly string[] = columns.slice(0, 1).map(([name]) => name),
): TableShape {
  const made: Column[] = columns.map(([name, type]) => ({
    name,
    type,
    nullable: !keyNames.includes(name),
    keyOrdinal: keyNames.includes(name) ? keyNames.indexOf(name) : undefined,
  }))
  const keyColumns = keyNames.map((name) => made.findIndex((column) => column.name === name))
  return {
    source: { schema: 'public', table: 'item' },
    columns: made,
    keyColumns,
    origin: 'catalogue',
  }
}

export const sourceJson =
  '{"version":"3.6.1.Final","connector":"postgresql","name":"shop","ts_ms":1700000000123,' +
  '"snapshot":"false","db":"shopdb","sequence":"[\\"24023119\\",\\"24023128\\"]",' +
  '"ts_us":1700000000123456,"ts_ns":1700000000123456789,"schema":"public","table":"item",' +
  '"txId":571,"lsn":9007199254740993,"xmin":null}'

export interface EnvelopeText {
  readonly op: string
  readonly before?: string
  readonly after?: string
  readonly source?: string
}

export const envelope = ({ op, before, after, source }: EnvelopeText): string =>
  `{"before":${before ?? 'null'},"after":${after ?? 'null'},"source":${source ?? sourceJson},` +
  `"transaction":null,"op":"${op}","ts_ms":1700000000200,"ts_ns":1700000000200111222}`

export interface RecordText {
  readonly key?: string | null
  readonly value: string | Uint8Array | null
  readonly headers?: readonly string[]
  readonly offset?: bigint
}

export const place = { topic: 'shop.public.item', partition: 3 }

export function decodeWith(decoder: Decoder, record: RecordText): Decoded {
  const { key = '{"id":1}', value, headers = [], offset = 41n } = record
  const built = {
    offset,
    key: key === null ? null : bytes(key),
    value: typeof value === 'string' ? bytes(value) : value,
    headers: headers.map((name) => ({ key: name })),
  }
  return decoder.decode(built, place)
}

export const newDecoder = (options: Partial<DecoderOptions> = {}): Decoder =>
  createDecoder({ format: 'debezium-json', tables: [], otherTables: 'pass', ...options })

export interface IntoRequest extends RecordText {
  /** undefined: into the table that the record declares. */
  readonly into?: TableShape
  readonly options?: Partial<DecoderOptions>
}

/** Decodes one record, answering needs-table with the shape given. */
export function decodeInto(request: IntoRequest): Decoded {
  const decoder = newDecoder(request.options)
  const first = decodeWith(decoder, request)
  if (first.kind !== 'needs-table') return first
  const shape = request.into ?? first.declared
  if (shape === undefined) return first
  decoder.provide(first.source, first.declared, shape)
  return decodeWith(decoder, request)
}

export function changeOf(decoded: Decoded): Change {
  if (decoded.kind === 'upsert' || decoded.kind === 'delete' || decoded.kind === 'truncate') {
    return decoded
  }
  throw new Error(`not a change: ${describe(decoded)}`)
}

const describe = (decoded: Decoded): string =>
  JSON.stringify(decoded, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )

/** The cells of an upsert by column name. */
export function rowOf(decoded: Decoded): ReadonlyMap<string, Cell> {
  const change = changeOf(decoded)
  if (change.kind !== 'upsert') throw new Error(`not an upsert: ${change.kind}`)
  return new Map(change.shape.columns.map((column, index) => [column.name, change.cells[index]]))
}

/** The failure's code and field, or what came instead. */
export function failureOf(decoded: Decoded): string {
  if (decoded.kind !== 'failed') return describe(decoded)
  const { code, field, position } = decoded.failure
  if (position === undefined) throw new Error(`no position in ${code}`)
  return field === undefined ? code : `${code} ${field}`
}

/** A Connect schema as JSON text with field name; extra members come last. */
export const fieldSchema = (name: string, schema: string): string =>
  schema.replace(/}$/, `,"field":${JSON.stringify(name)}}`)

export const keySchema = (fields: readonly string[]): string =>
  `{"type":"struct","fields":[${fields.join(',')}],"optional":false,"name":"shop.public.item.Key"}`

/** Value schema of an envelope whose rows have these fields. */
export function envelopeSchema(fields: readonly string[]): string {
  const row = `"type":"struct","fields":[${fields.join(',')}],"optional":true`
  const name = '"name":"shop.public.item.Value"'
  return (
    `{"type":"struct","fields":[{${row},${name},"field":"before"},` +
    `{${row},${name},"field":"after"},` +
    '{"type":"string","optional":false,"field":"op"}],"optional":false,' +
    '"name":"shop.public.item.Envelope","version":2}'
  )
}

export const withSchema = (schema: string, payload: string): string =>
  `{"schema":${schema},"payload":${payload}}`

export const idField = fieldSchema('id', '{"type":"int64","optional":false}')
export const idKey = (id: string): string => withSchema(keySchema([idField]), `{"id":${id}}`)

/** A create with schema of a row {id, v}, where v has the schema given. */
export function typedCreate(schema: string, v: string | undefined, op = 'c'): RecordText {
  const fields = [idField, fieldSchema('v', schema)]
  const after = v === undefined ? '{"id":1}' : `{"id":1,"v":${v}}`
  return { key: idKey('1'), value: withSchema(envelopeSchema(fields), envelope({ op, after })) }
}

/** A create without schema of a row {id, v}. */
export const bareCreate = (v: string, op = 'c'): RecordText => ({
  value: envelope({ op, after: `{"id":1,"v":${v}}` }),
})
