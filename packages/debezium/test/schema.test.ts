import type { TableShape } from '@onceflow/model'
import { describe, expect, test } from 'vitest'
import type { Decoded } from '../src/index.ts'
import {
  changeOf,
  decodeInto,
  decodeWith,
  envelope,
  envelopeSchema,
  failureOf,
  fieldSchema,
  idField,
  idKey,
  keySchema,
  newDecoder,
  type RecordText,
  rowOf,
  shapeOf,
  typedCreate,
  withSchema,
} from './support.ts'

const vField = fieldSchema('v', '{"type":"string","optional":true}')
const schema = envelopeSchema([idField, vField])
const after = '{"id":9007199254740993,"v":"a"}'
const create = envelope({ op: 'c', after })
const table = shapeOf([
  ['id', 'bigint'],
  ['v', 'text'],
])

const declaredBy = (record: RecordText): TableShape => {
  const decoded = decodeWith(newDecoder(), record)
  if (decoded.kind !== 'needs-table' || decoded.declared === undefined) {
    throw new Error(`nothing declared: ${decoded.kind}`)
  }
  return decoded.declared
}

describe('DZ-2: four combinations of key and value schemas', () => {
  const bareKey = '{"id":9007199254740993}'
  test.each([
    ['neither', bareKey, (payload: string) => payload],
    ['value only', bareKey, (payload: string) => withSchema(schema, payload)],
    ['key only', idKey('9007199254740993'), (payload: string) => payload],
    ['both', idKey('9007199254740993'), (payload: string) => withSchema(schema, payload)],
    ['value schema null', bareKey, (payload: string) => withSchema('null', payload)],
  ])('%s', (_, key, wrap) => {
    const upsert = decodeInto({ key, value: wrap(create), into: table })
    expect([...rowOf(upsert).values()]).toEqual(['9007199254740993', 'a'])
    const removal = decodeInto({ key, value: wrap(envelope({ op: 'd' })), into: table })
    expect(removal).toMatchObject({ kind: 'delete', key: ['9007199254740993'] })
    expect(decodeInto({ key, value: wrap(envelope({ op: 't' })) }).kind).toBe('truncate')
  })

  const columns = shapeOf([
    ['schema', 'json'],
    ['payload', 'json'],
  ])
  test.each([
    ['{"schema":"s","payload":"p"}', 's', 'p'],
    ['{"schema":{"type":"point"},"payload":{"a":1}}', '{"type":"point"}', '{"a":1}'],
    ['{"payload":"p","schema":7}', '7', 'p'],
    ['{"schema":{"type":"int64"},"payload":"p","x":1}', undefined, undefined],
  ])('a flat row with columns schema and payload: %s', (value, left, right) => {
    const decoded = decodeInto({ value, into: columns, options: { format: 'json' } })
    if (left === undefined) expect(failureOf(decoded)).toBe('TARGET_MISMATCH x')
    else expect([...rowOf(decoded).values()]).toEqual([left, right])
  })

  test('payload before schema, and white space', () => {
    const value = `{ "payload" : ${create} , "schema" : ${schema} }`
    const decoder = newDecoder()
    const first = decodeWith(decoder, { key: idKey('9007199254740993'), value })
    expect(first).toMatchObject({ kind: 'needs-table', declared: { origin: 'record' } })
  })

  test('a second record with the same schema, and one with another', () => {
    const decoder = newDecoder()
    const wide = envelopeSchema([idField, vField, fieldSchema('w', '{"type":"int32"}')])
    const answer = (record: RecordText): Decoded => {
      const decoded = decodeWith(decoder, record)
      if (decoded.kind !== 'needs-table') return decoded
      if (decoded.declared !== undefined) {
        decoder.provide(decoded.source, decoded.declared, decoded.declared)
      }
      return decodeWith(decoder, record)
    }
    const rows = [
      { schema, payload: create },
      { schema, payload: create.replace('"a"', '"b"') },
      { schema: wide, payload: envelope({ op: 'u', after: '{"id":1,"v":"c","w":5}' }) },
      { schema: `${schema} `, payload: create.replace('"a"', '"d"') },
      { schema, payload: ` ${create.replace('"a"', '"e"')} ` },
    ].map(({ schema: text, payload }) =>
      [...rowOf(answer({ key: idKey('1'), value: withSchema(text, payload) })).values()].slice(1),
    )
    expect(rows).toEqual([['a'], ['b'], ['c', '5'], ['d'], ['e']])
  })

  test.each([
    withSchema(schema, create).slice(0, -1),
    `${withSchema(schema, create)}x`,
    withSchema(schema, `${create},"more":1`),
    withSchema(schema, `[${create}]`),
    withSchema(schema.replace('int64', 'int65'), create),
    withSchema('{"type":"struct","fields":[{}]}', create),
    withSchema('{"type":"int64","name":"x"}', create),
  ])('what is not a schema and an envelope is unreadable, also behind a known prefix', (value) => {
    const decoder = newDecoder()
    decodeWith(decoder, { key: idKey('1'), value: withSchema(schema, create) })
    expect(failureOf(decodeWith(decoder, { key: idKey('1'), value }))).toBe('RECORD_UNREADABLE')
  })
})

describe('DZ-13: the declared table', () => {
  test('columns in the order of the row, the key in the order of the message key', () => {
    const fields = ['a', 'b', 'v'].map((name) =>
      fieldSchema(name, '{"type":"int32","optional":true}'),
    )
    const key = withSchema(keySchema([fields[1] ?? '', fields[0] ?? '']), '{"b":2,"a":1}')
    const value = withSchema(
      envelopeSchema(fields),
      envelope({ op: 'c', after: '{"a":1,"b":2,"v":null}' }),
    )
    expect(declaredBy({ key, value })).toEqual({
      source: { schema: 'public', table: 'item' },
      columns: [
        { name: 'a', type: 'integer', nullable: false, keyOrdinal: 1 },
        { name: 'b', type: 'integer', nullable: false, keyOrdinal: 0 },
        { name: 'v', type: 'integer', nullable: true, keyOrdinal: undefined },
      ],
      keyColumns: [1, 0],
      origin: 'record',
    })
  })

  test('a key column that the row lacks is declared from the key schema', () => {
    const key = idKey('5')
    const value = withSchema(envelopeSchema([vField]), envelope({ op: 'c', after: '{"v":"x"}' }))
    expect(declaredBy({ key, value }).columns.map((column) => column.name)).toEqual(['v', 'id'])
    expect([...rowOf(decodeInto({ key, value })).values()]).toEqual(['x', '5'])
  })

  test('a bare key names the key columns; no key gives none', () => {
    const value = withSchema(schema, create)
    expect(declaredBy({ key: '{"id":1}', value }).keyColumns).toEqual([0])
    expect(declaredBy({ key: null, value }).keyColumns).toEqual([])
  })

  test('a delete declares the same table as a create', () => {
    const value = withSchema(schema, envelope({ op: 'd', before: '{"id":1,"v":""}' }))
    expect(declaredBy({ key: idKey('1'), value })).toEqual(
      declaredBy({ key: idKey('1'), value: withSchema(schema, create) }),
    )
  })
})

test('DZ-14: shapes of equal structure are one object', () => {
  const decoder = newDecoder()
  const shapes = [schema, schema.replace('"version":2', '"version":3'), ` ${schema}`].map(
    (text) => {
      const record = { key: idKey('9007199254740993'), value: withSchema(text, create) }
      const decoded = decodeWith(decoder, record)
      if (decoded.kind === 'needs-table' && decoded.declared !== undefined) {
        // The answer is a new object each time, as from a catalogue.
        decoder.provide(decoded.source, decoded.declared, structuredClone(table))
      }
      const change = changeOf(decodeWith(decoder, record))
      return change.kind === 'upsert' ? change.shape : undefined
    },
  )
  expect(new Set(shapes).size).toBe(1)
})

describe('DZ-15: declared types', () => {
  const named = (type: string, name: string, parameters = {}): string =>
    JSON.stringify({ type, optional: true, name, version: 1, parameters })
  const from = (type: string, source: string, more = {}): string =>
    JSON.stringify({
      type,
      optional: true,
      parameters: { '__debezium.source.column.type': source, ...more },
    })
  const decimalName = 'org.apache.kafka.connect.data.Decimal'
  const precise = (scale: string, precision?: string): string =>
    named('bytes', decimalName, { scale, 'connect.decimal.precision': precision })
  const length = { '__debezium.source.column.length': '12' }
  test.each([
    ['{"type":"boolean"}', 'boolean'],
    ['{"type":"int8"}', 'smallint'],
    ['{"type":"int16"}', 'smallint'],
    ['{"type":"int32"}', 'integer'],
    ['{"type":"int64"}', 'bigint'],
    ['{"type":"float"}', 'real'],
    ['{"type":"double"}', 'double precision'],
    ['{"type":"string"}', 'text'],
    ['{"type":"bytes"}', 'bytea'],
    ['{"type":"map"}', 'json'],
    ['{"type":"array","items":{"type":"int64"}}', 'bigint[]'],
    [`{"type":"array","items":${precise('2', '10')}}`, 'numeric(10,2)[]'],
    [precise('2', '14'), 'numeric(14,2)'],
    [precise('5', '3'), 'numeric(3,5)'],
    [precise('2046', '5'), 'numeric(5,-2)'],
    [precise('2'), 'numeric'],
    [precise('0', '2000'), 'numeric'],
    [named('struct', 'io.debezium.data.VariableScaleDecimal'), 'numeric'],
    [named('int32', 'io.debezium.time.Date'), 'date'],
    [named('int32', 'io.debezium.time.Time'), 'time(3) without time zone'],
    [named('int64', 'io.debezium.time.MicroTime'), 'time without time zone'],
    [named('int64', 'io.debezium.time.Timestamp'), 'timestamp(3) without time zone'],
    [named('int64', 'io.debezium.time.MicroTimestamp'), 'timestamp without time zone'],
    [named('string', 'io.debezium.time.ZonedTimestamp'), 'timestamp with time zone'],
    [named('string', 'io.debezium.time.ZonedTime'), 'time with time zone'],
    [named('int64', 'io.debezium.time.MicroDuration'), 'interval'],
    [named('string', 'io.debezium.data.Json'), 'json'],
    [named('string', 'io.debezium.data.Uuid'), 'uuid'],
    [named('string', 'io.debezium.data.Xml'), 'xml'],
    [named('string', 'io.debezium.data.Tsvector'), 'tsvector'],
    [named('string', 'io.debezium.data.Ltree'), 'text'],
    [named('string', 'io.debezium.data.Enum', { allowed: 'a,b' }), 'text'],
    [named('bytes', 'io.debezium.data.Bits', { length: '5' }), 'bit(5)'],
    [named('bytes', 'io.debezium.data.Bits', { length: '2147483647' }), 'bit varying'],
    [named('struct', 'io.debezium.data.geometry.Point'), 'point'],
    [from('string', 'JSONB'), 'jsonb'],
    [from('string', 'INET'), 'inet'],
    [from('string', 'INT4RANGE'), 'int4range'],
    [from('string', 'VARCHAR', length), 'character varying(12)'],
    [from('string', 'BPCHAR', length), 'character(12)'],
    [from('string', 'MOOD'), 'text'],
    [from('int32', 'INT4'), 'integer'],
  ])('case-C129: %s is %s', (fieldText, expected) => {
    expect(declaredBy(typedCreate(fieldText, 'null')).columns[1]?.type).toBe(expected)
  })

  test.each([
    '{"type":"struct","fields":[]}',
    named('struct', 'io.debezium.data.geometry.Geometry'),
    '{"type":"array"}',
    '{"type":"array","items":{"type":"array","items":{"type":"int32"}}}',
  ])('%s is not supported, by field', (fieldText) => {
    expect(failureOf(decodeInto(typedCreate(fieldText, 'null')))).toBe('TYPE_UNSUPPORTED v')
  })

  test('a column of an unknown type can be left out', () => {
    const tables = [
      {
        source: { schema: 'public', table: 'item' },
        target: { schema: 'public', table: 'item' },
        columns: { kind: 'exclude', names: ['v'] },
        tasks: 'many',
      },
    ] as const
    const record = typedCreate('{"type":"struct","fields":[]}', '{"x":1}')
    const row = rowOf(decodeInto({ ...record, options: { tables } }))
    expect([...row]).toEqual([['id', '1']])
  })
})
