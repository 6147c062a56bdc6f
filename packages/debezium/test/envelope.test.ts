import { describe, expect, test } from 'vitest'
import {
  bareCreate,
  bytes,
  changeOf,
  decodeInto,
  decodeWith,
  envelope,
  failureOf,
  newDecoder,
  rowOf,
  shapeOf,
  sourceJson,
  typedCreate,
} from './support.ts'

const item = shapeOf([
  ['id', 'bigint'],
  ['v', 'text'],
  ['w', 'text'],
])

describe('DZ-3: operations', () => {
  test.each([
    ['r', 'read'],
    ['c', 'create'],
    ['u', 'update'],
    ['U', 'update'],
  ])('%s is an upsert', (op, expected) => {
    const value = envelope({ op, before: '{"id":9}', after: '{"id":1,"v":"a","w":null}' })
    const change = changeOf(decodeInto({ value, into: item, offset: 7n }))
    expect(change).toEqual({
      kind: 'upsert',
      op: expected,
      shape: item,
      cells: ['1', 'a', null],
      keyChange: 'none',
      origin: { lsn: 9007199254740993n, commitTimeMs: 1700000000123 },
      position: { topic: 'shop.public.item', partition: 3, offset: 7n },
    })
  })

  test('t is a truncate with null key and needs no table', () => {
    const change = decodeInto({ key: null, value: envelope({ op: 't' }) })
    expect(change).toMatchObject({
      kind: 'truncate',
      source: { schema: 'public', table: 'item' },
      origin: { lsn: 9007199254740993n },
    })
  })
})

describe('DZ-4: case-C33: a delete goes by the message key', () => {
  test.each(['{"id":5,"v":"","w":"default"}', '{"id":6,"v":"x","w":null}', 'null'])(
    'before %s is not read',
    (before) => {
      const value = envelope({ op: 'd', before })
      const change = decodeInto({ key: '{"id":5}', value, into: item })
      expect(change).toMatchObject({ kind: 'delete', key: ['5'], keyChange: 'none' })
    },
  )
})

describe('DZ-7: primary-key changes', () => {
  test('the delete leaves, the create arrives, both with one lsn', () => {
    const other = '__debezium.context.runId'
    const leaves = decodeInto({
      value: envelope({ op: 'd', before: '{"id":1}' }),
      headers: [other, '__debezium.newkey'],
      into: item,
    })
    const arrives = decodeInto({
      key: '{"id":2}',
      value: envelope({ op: 'c', after: '{"id":2}' }),
      headers: [other, '__debezium.oldkey'],
      into: item,
    })
    expect(leaves).toMatchObject({ kind: 'delete', key: ['1'], keyChange: 'leaves' })
    expect(arrives).toMatchObject({ kind: 'upsert', op: 'create', keyChange: 'arrives' })
    expect(changeOf(leaves).origin).toEqual(changeOf(arrives).origin)
  })
})

describe('DZ-5: case-C35, case-C79: records that change no row', () => {
  const named = (name: string, payload: string): string =>
    `{"schema":{"type":"struct","fields":[],"name":${JSON.stringify(name)}},"payload":${payload}}`
  const begin =
    '{"status":"BEGIN","id":"571:24023128","event_count":null,"data_collections":null,"ts_ms":1}'
  const ddl =
    '{"source":{},"ts_ms":1,"databaseName":"inv","schemaName":null,"ddl":"x","tableChanges":[]}'
  const message = envelope({ op: 'm' }).replace('}', '},"message":{"prefix":"p","content":""}')
  const common = 'io.debezium.connector.common'
  test.each([
    ['tombstone', null],
    ['tombstone', 'null'],
    ['tombstone', '{"schema":null,"payload":null}'],
    ['heartbeat', '{"ts_ms":1700000000000}'],
    ['heartbeat', named(`${common}.Heartbeat`, '{"ts_ms":1}')],
    ['transaction', begin],
    ['transaction', named(`${common}.TransactionMetadataValue`, begin)],
    ['schema-change', ddl],
    ['schema-change', named('io.debezium.connector.mysql.SchemaChangeValue', ddl)],
    ['message', message],
    ['message', named('io.debezium.connector.postgresql.MessageValue', message)],
    ['message', '{"id":"1","aggregate_type":"Snapshot","type":"STARTED","timestamp":1}'],
  ])('%s: %s', (reason, value) => {
    expect(decodeInto({ key: '{"serverName":"shop"}', value })).toEqual({ kind: 'ignored', reason })
  })

  test('a row of the signal table is an ordinary row', () => {
    const source = sourceJson.replace('"item"', '"debezium_signal"')
    const value = envelope({ op: 'c', after: '{"id":1}', source })
    expect(decodeInto({ value })).toMatchObject({
      kind: 'needs-table',
      source: { schema: 'public', table: 'debezium_signal' },
    })
  })

  test('a table without schemas is named by its database', () => {
    const source = '{"connector":"mysql","db":"inv","table":"item","ts_ms":5}'
    const value = envelope({ op: 't', source })
    expect(decodeInto({ value })).toMatchObject({
      kind: 'truncate',
      source: { schema: 'inv', table: 'item' },
      origin: { lsn: undefined, commitTimeMs: 5 },
    })
  })
})

describe('DZ-6: case-C127: what is not a change event fails with its place', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
  test.each([
    ['an unknown operation', envelope({ op: 'x', after: '{"id":1}' })],
    ['an operation of two letters', envelope({ op: 'cc', after: '{"id":1}' })],
    ['an operation that is no string', envelope({ op: 'c' }).replace('"c"', '3')],
    ['no operation', '{"before":null,"after":{"id":1},"source":{}}'],
    ['a flat row', '{"id":1,"v":"a"}'],
    ['an upsert without a row', envelope({ op: 'c' })],
    ['an upsert with a row that is no object', envelope({ op: 'c', after: '[1]' })],
    ['no source block', '{"after":{"id":1},"op":"c"}'],
    [
      'a source block without table',
      envelope({ op: 'c', after: '{"id":1}', source: '{"db":"x"}' }),
    ],
    ['an array', '[1]'],
    ['a word', 'true'],
    ['no JSON', 'nonsense'],
    ['nothing', ''],
    ['JSON that is cut off', envelope({ op: 'c', after: '{"id":1}' }).slice(0, -1)],
    ['JSON with something behind', `${envelope({ op: 't' })}{}`],
    ['a raw control character', envelope({ op: 'c', after: '{"id":1,"v":"a\u0000b"}' })],
    ['brackets that do not match', envelope({ op: 'c', after: '{"id":1,"v":[1}}' })],
    ['too much nesting', envelope({ op: 'c', after: `{"id":1,"v":${nested(66)}}` })],
    ['a member twice', envelope({ op: 'c', after: '{"id":1,"v":"a","v":"b"}' })],
    ['a wrong escape', envelope({ op: 'c', after: '{"id":1,"v":"\\x"}' })],
    ['a value that is no JSON', envelope({ op: 'c', after: '{"id":1,"v":nul}' })],
  ])('%s', (_, value) => {
    const decoded = decodeInto({ value, into: item, offset: 5n })
    expect(failureOf(decoded)).toMatch(/^RECORD_UNREADABLE/)
    expect(decoded).toMatchObject({
      failure: { position: { topic: 'shop.public.item', partition: 3, offset: 5n } },
    })
  })

  test('bytes that are not UTF-8', () => {
    const value = bytes(envelope({ op: 'c', after: '{"id":1,"v":"?"}' }))
    value[value.indexOf(0x3f)] = 0xff
    expect(failureOf(decodeInto({ value, into: item }))).toBe('RECORD_UNREADABLE')
  })
})

describe('DZ-1: the walk over the top level', () => {
  const traps = [
    '{"op":"d","after":null,"source":1}',
    '"\\",\\"op\\":\\"d\\""',
    '"\\\\"',
    '[{"source":{"table":"other"}},"}"]',
    '"ends with a backslash \\\\"',
  ]
  test.each(traps)('%s before and beside the row does not matter', (trap) => {
    const row = shapeOf([
      ['id', 'bigint'],
      ['op', 'json'],
    ])
    const inner = trap.startsWith('"') || trap.startsWith('{') ? trap : 'null'
    const value = envelope({ op: 'c', before: trap, after: `{"op":${inner},"id":1}` })
    const cells = rowOf(decodeInto({ value, into: row }))
    const expected = trap.startsWith('"') ? JSON.parse(trap) : trap.startsWith('{') ? trap : null
    expect(cells.get('op')).toBe(expected)
    expect(cells.get('id')).toBe('1')
  })

  test('members in another order and white space between them', () => {
    const text = JSON.stringify(
      JSON.parse(envelope({ op: 'c', after: '{"id":1,"v":"a b"}' })),
      null,
      2,
    )
    expect(rowOf(decodeInto({ value: text, into: item })).get('v')).toBe('a b')
    const reversed = `{"op":"c","source":${sourceJson},"after":{"v":"x","id":2}}`
    expect(rowOf(decodeInto({ value: reversed, into: item })).get('v')).toBe('x')
  })
})

describe('DZ-8: routes', () => {
  const spec = (columns: 'all' | { kind: 'include' | 'exclude'; names: string[] }) => ({
    source: { schema: 'public', table: 'item' },
    target: { schema: 'public', table: 'item' },
    columns: columns === 'all' ? ({ kind: 'all' } as const) : columns,
    tasks: 'many' as const,
  })
  const value = envelope({ op: 'c', after: '{"id":1,"v":"a","w":"\\u0000"}' })

  test('a table without route is ignored or refused by name', () => {
    const ignore = { otherTables: 'ignore' } as const
    expect(decodeInto({ value, options: ignore })).toEqual({ kind: 'ignored', reason: 'filtered' })
    const refuse = { otherTables: 'refuse' } as const
    expect(failureOf(decodeInto({ value, options: refuse }))).toBe('TABLE_UNROUTED')
    const routed = { otherTables: 'refuse', tables: [spec('all')] } as const
    expect(decodeInto({ value, options: routed }).kind).toBe('needs-table')
  })

  test.each([
    [{ kind: 'exclude' as const, names: ['w', 'id'] }],
    [{ kind: 'include' as const, names: ['v'] }],
  ])('columns %j: the others are absent and unchecked, the key stays', (columns) => {
    const options = { tables: [spec(columns)] }
    expect([...rowOf(decodeInto({ value, into: item, options })).values()]).toEqual([
      '1',
      'a',
      undefined,
    ])
    const smaller = shapeOf([
      ['id', 'bigint'],
      ['v', 'text'],
    ])
    expect(changeOf(decodeInto({ value, into: smaller, options })).kind).toBe('upsert')
  })
})

test('DZ-9: case-C47: any column name, each its own column', () => {
  const names = [
    '__proto__',
    'constructor',
    'schema',
    'payload',
    'userId',
    'userid',
    'a"b',
    'ünï',
    '😀',
  ]
  const shape = shapeOf([['id', 'bigint'], ...names.map((name) => [name, 'text'] as const)])
  const members = names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(`v ${name}`)}`)
  const value = envelope({ op: 'c', after: `{"id":1,${members.join(',')}}` })
  const row = rowOf(decodeInto({ value, into: shape }))
  for (const name of names) expect(row.get(name)).toBe(`v ${name}`)
  const source = sourceJson.replace('"item"', '"we\\"ird ünï;"')
  expect(decodeInto({ value: envelope({ op: 't', source }) })).toMatchObject({
    source: { table: 'we"ird ünï;' },
  })
})

test('DZ-10: a member without column is a mismatch, a declared one was left out', () => {
  const value = envelope({ op: 'c', after: '{"id":1,"new":2}' })
  expect(failureOf(decodeInto({ value, into: item }))).toBe('TARGET_MISMATCH new')
  const without = shapeOf([['id', 'bigint']])
  const declared = decodeInto({ ...typedCreate('{"type":"int32"}', '2'), into: without })
  expect([...rowOf(declared)]).toEqual([['id', '1']])
})

describe('keys', () => {
  const pair = shapeOf(
    [
      ['a', 'bigint'],
      ['b', 'text'],
      ['v', 'text'],
    ],
    ['b', 'a'],
  )

  test('DZ-11: a key column that the row lacks comes from the message key', () => {
    const value = envelope({ op: 'u', after: '{"v":"x"}' })
    const change = decodeInto({ key: '{"b":"k","a":9007199254740993}', value, into: pair })
    expect(changeOf(change)).toMatchObject({ cells: ['9007199254740993', 'k', 'x'] })
    expect(failureOf(decodeInto({ key: null, value, into: pair }))).toBe('KEY_MISSING')
    const nullKey = { key: '{"b":null,"a":1}', value, into: pair }
    expect(failureOf(decodeInto(nullKey))).toBe('KEY_MISSING b')
  })

  test('DZ-12: deletes carry the key in key order, whatever the order of its members', () => {
    const value = envelope({ op: 'd' })
    const change = decodeInto({ key: '{"a":1,"b":"k"}', value, into: pair })
    expect(change).toMatchObject({ kind: 'delete', key: ['k', '1'] })
  })

  test.each([
    ['{"a":1}', 'KEY_MISSING b'],
    ['{"a":1,"b":"k","v":"x"}', 'TARGET_MISMATCH v'],
    ['"text"', 'KEY_MISSING'],
    [null, 'KEY_MISSING'],
  ])('DZ-12: the message key %s gives %s', (key, expected) => {
    expect(failureOf(decodeInto({ key, value: envelope({ op: 'd' }), into: pair }))).toBe(expected)
  })

  test('DZ-12: a table without key takes creates, not updates or deletes', () => {
    const keyless = shapeOf([['v', 'text']], [])
    const after = '{"v":"x"}'
    const create = decodeInto({ key: null, value: envelope({ op: 'c', after }), into: keyless })
    expect(changeOf(create)).toMatchObject({ kind: 'upsert', cells: ['x'] })
    for (const op of ['u', 'd']) {
      const value = envelope({ op, after, before: after })
      expect(failureOf(decodeInto({ key: null, value, into: keyless }))).toBe('KEY_MISSING')
    }
  })
})

test('case-C31: offsets beyond 2^53 stay exact', () => {
  const offset = 9007199254740993n
  expect(changeOf(decodeInto({ ...bareCreate('"x"'), into: item, offset })).position.offset).toBe(
    offset,
  )
})

test('DZ-13: needs-table comes until it is answered, and again for another table', () => {
  const decoder = newDecoder()
  const record = bareCreate('"x"')
  expect(decodeWith(decoder, record)).toMatchObject({ kind: 'needs-table', declared: undefined })
  expect(decodeWith(decoder, record).kind).toBe('needs-table')
  decoder.provide({ schema: 'public', table: 'item' }, undefined, item)
  expect(changeOf(decodeWith(decoder, record)).kind).toBe('upsert')
  const source = sourceJson.replace('"item"', '"other"')
  const other = envelope({ op: 'c', after: '{"id":1}', source })
  expect(decodeWith(decoder, { value: other })).toMatchObject({ source: { table: 'other' } })
  // One topic can carry two tables: names that differ only in characters a topic cannot have.
  expect(changeOf(decodeWith(decoder, record)).kind).toBe('upsert')
})
