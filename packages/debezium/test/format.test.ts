import { describe, expect, test } from 'vitest'
import {
  bytes,
  changeOf,
  decodeInto,
  decodeWith,
  failureOf,
  newDecoder,
  rowOf,
  shapeOf,
  withSchema,
} from './support.ts'

const json = { format: 'json' } as const

describe('DZ-30: flat JSON', () => {
  const table = shapeOf([
    ['id', 'bigint'],
    ['n', 'numeric'],
    ['at', 'timestamptz'],
    ['doc', 'jsonb'],
    ['tags', 'text[]'],
    ['ok', 'boolean'],
  ])
  const value =
    '{"id":9007199254740993,"n":12345678901234567890.123456789,"at":"2024-01-01 00:00:00+01",' +
    '"doc":{"a": [1.0, 9007199254740993]},"tags":["a,b",null],"ok":true}'

  test('the topic is the table and the target gives the types', () => {
    expect(decodeWith(newDecoder(json), { value })).toEqual({
      kind: 'needs-table',
      source: { schema: '', table: 'shop.public.item' },
      declared: undefined,
    })
    const change = changeOf(decodeInto({ value, into: table, options: json }))
    expect(change).toMatchObject({ kind: 'upsert', op: 'create', keyChange: 'none' })
    expect(change.kind === 'upsert' ? change.cells : []).toEqual([
      '9007199254740993',
      '12345678901234567890.123456789',
      '2024-01-01 00:00:00+01',
      '{"a": [1.0, 9007199254740993]}',
      '{"a,b",NULL}',
      'true',
    ])
  })

  test('a tombstone deletes by key', () => {
    const removal = { key: '{"id":5}', value: null, into: table, options: json }
    expect(decodeInto(removal)).toMatchObject({ kind: 'delete', key: ['5'] })
    expect(failureOf(decodeInto({ ...removal, key: null }))).toBe('KEY_MISSING')
  })

  test('what is not a flat object fails', () => {
    for (const wrong of [
      '[1]',
      '1',
      'x',
      withSchema('{"type":"struct","fields":[]}', '{"id":1}'),
    ]) {
      const decoded = decodeInto({ value: wrong, into: table, options: json })
      expect(failureOf(decoded)).toBe('RECORD_UNREADABLE')
    }
    const unknown = decodeInto({ value: '{"id":1,"x":2}', into: table, options: json })
    expect(failureOf(unknown)).toBe('TARGET_MISMATCH x')
  })

  test('routes name the topic', () => {
    const tables = [
      {
        source: { schema: '', table: 'shop.public.item' },
        target: { schema: 'public', table: 'item' },
        columns: { kind: 'include', names: ['ok'] },
        tasks: 'many',
      },
    ] as const
    const options = { ...json, tables, otherTables: 'refuse' } as const
    const row = rowOf(decodeInto({ value, into: table, options }))
    expect([...row.values()].filter((cell) => cell !== undefined)).toHaveLength(2)
    const ignored = decodeInto({ value, options: { ...json, otherTables: 'ignore' } })
    expect(ignored).toEqual({ kind: 'ignored', reason: 'filtered' })
    const refused = decodeInto({ value, options: { ...json, otherTables: 'refuse' } })
    expect(failureOf(refused)).toBe('TABLE_UNROUTED')
  })
})

describe('DZ-31: bytes', () => {
  const options = { format: 'bytes' } as const

  test('a record is a row with its position as the key', () => {
    const declared = decodeWith(newDecoder(options), { value: 'x' })
    expect(declared).toMatchObject({
      kind: 'needs-table',
      source: { schema: '', table: 'shop.public.item' },
      declared: { keyColumns: [0, 1, 2], origin: 'record' },
    })
    const value = Uint8Array.from([0, 255, 16])
    const record = { key: 'k', value, offset: 9007199254740993n, options }
    expect([...rowOf(decodeInto(record))]).toEqual([
      ['topic', 'shop.public.item'],
      ['partition', '3'],
      ['offset', '9007199254740993'],
      ['key', '\\x6b'],
      ['value', '\\x00ff10'],
    ])
    const empty = rowOf(decodeInto({ key: null, value: null, options }))
    expect([empty.get('key'), empty.get('value')]).toEqual([null, null])
  })

  test('cells follow the columns of the target; a missing one is a mismatch', () => {
    const target = shapeOf([
      ['value', 'bytea'],
      ['offset', 'bigint'],
      ['partition', 'integer'],
      ['topic', 'text'],
      ['key', 'bytea'],
      ['loaded_at', 'timestamptz'],
    ])
    const row = rowOf(decodeInto({ value: 'x', into: target, options }))
    expect([...row.values()]).toEqual([
      '\\x78',
      '41',
      '3',
      'shop.public.item',
      '\\x7b226964223a317d',
      undefined,
    ])
    const lacking = shapeOf([['topic', 'text']])
    const failed = decodeInto({ value: 'x', into: lacking, options })
    expect(failureOf(failed)).toBe('TARGET_MISMATCH partition')
  })

  test('large values come out whole', () => {
    const value = bytes('ab'.repeat(10_000))
    expect(rowOf(decodeInto({ value, options })).get('value')).toBe(`\\x${'6162'.repeat(10_000)}`)
  })
})
