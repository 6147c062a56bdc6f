import { sinkName } from '@onceflow/model'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Server, startServer } from './server-fixture.ts'
import {
  cleared,
  codeOf,
  declaredShape,
  gone,
  itemShape,
  itemsOf,
  newRig,
  openItems,
  openTask,
  permit,
  type Rig,
  resolve,
  row,
  sealed,
} from './sink-fixture.ts'

let server: Server
let rig: Rig

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  rig = newRig(server)
  await cleared(server, 'public.item')
})

const items = () => itemsOf(server)

const opened = () => openItems(rig)

describe('names (C47)', () => {
  const long = 'ü'.repeat(31)
  const odd = ['Order', 'select', 'a"b', 'x.y', '__proto__', "it's", 'weird name', long]
  test.each([1, 300])('stand exactly as they are, %i rows', async (count) => {
    for (const name of odd) {
      const of = { schema: 'public', table: name }
      const one = newRig(server, { schema: `S."${name.slice(0, 20)}`, name: sinkName('odd') })
      await resolve(one, 1)
      const sink = await openTask(one, 1)
      const columns: [string, string][] = [
        ['userId', 'bigint'],
        ['userid', 'text'],
        ...odd.map((column): [string, string] => [column, 'text']),
      ]
      const shape = await sink.resolveTable(of, declaredShape(columns, ['userId', '__proto__'], of))
      const changes = Array.from({ length: count }, (_, id) =>
        row(shape, [`${id}`, 'low', ...odd], id % 2 === 0 ? 'create' : 'update'),
      )
      const { txn } = await sealed(sink, changes, 1)
      await sink.commit(txn, permit(1, 1))
      const schema = `"S.""${name.slice(0, 20).replaceAll('"', '""')}"`
      const found = await server.query(
        `SELECT count(*)::int AS count FROM ${schema}."${name.replaceAll('"', '""')}"
         WHERE userid = 'low' AND "it's" = 'it''s' AND "${long}" = '${long}'`,
      )
      expect(found).toEqual([{ count }])
      const keys = [row(shape, ['0', 'low', ...odd])].map(() => gone(shape, ['0', '__proto__']))
      const second = await sealed(sink, keys, 2)
      await sink.commit(second.txn, permit(2, 1))
      await sink.close()
      await server.query(`DROP SCHEMA ${schema} CASCADE`)
    }
  })

  test('that PostgreSQL would cut are refused', async () => {
    const { sink } = await opened()
    const of = { schema: 'public', table: 'n'.repeat(64) }
    expect(await codeOf(sink.resolveTable(of, itemShape))).toBe('TARGET_MISMATCH')
    await sink.close()
  })
})

describe('values', () => {
  const values = [
    '\\N',
    '',
    '\t',
    'a\nb',
    '\\.',
    'back\\slash',
    '\r',
    "it's",
    '{"a":"\\u00e9"}',
    '😀',
  ]
  test.each([1, 60])('C81: text is stored as it is, %i times', async (times) => {
    const { sink, shape, epoch } = await opened()
    const all = Array.from({ length: times }, () => values).flat()
    await epoch(all.map((value, id) => row(shape, [`${id}`, value, null], 'update')))
    const found = await items()
    expect(found.map(({ name }) => name)).toEqual(all)
    expect(new Set(found.map(({ qty }) => qty))).toEqual(new Set([null]))
    await sink.close()
  })

  test.each(['a\0b', 'half \ud800'])('what cannot be stored is refused', async (value) => {
    const { sink, shape, epoch } = await opened()
    const many = Array.from({ length: 300 }, (_, id) => row(shape, [`${id}`, value, '1'], 'update'))
    expect(await codeOf(sealed(sink, many, 1))).toBe('VALUE_INVALID')
    expect(await codeOf(sealed(sink, many.slice(0, 3), 1))).toBe('VALUE_INVALID')
    await epoch([row(shape, ['1', 'b', '1'])])
    await sink.close()
  })

  const typed: readonly (readonly [type: string, input: string, output: string])[] = [
    ['bigint', '9223372036854775807', '9223372036854775807'],
    [
      'numeric(38,18)',
      '12345678901234567890.123456789012345678',
      '12345678901234567890.123456789012345678',
    ],
    ['numeric', 'NaN', 'NaN'],
    ['double precision', '-Infinity', '-Infinity'],
    ['timestamp without time zone', '2018-06-20 15:13:16.945104', '2018-06-20 15:13:16.945104'],
    ['timestamp with time zone', 'infinity', 'infinity'],
    ['timestamp with time zone', '2024-03-31T01:30:00.123456Z', '2024-03-31 01:30:00.123456+00'],
    ['date', '-infinity', '-infinity'],
    ['interval', '1 year 2 mons -3 days 00:00:00.000001', '1 year 2 mons -3 days +00:00:00.000001'],
    ['jsonb', '{"a": 1.0, "n": null}', '{"a": 1.0, "n": null}'],
    ['json', '{"a" :1.0}', '{"a" :1.0}'],
    ['bytea', '\\xdeadbeef', '\\xdeadbeef'],
    ['uuid', 'b68a35a7-17ad-35b3-af2a-ae46edb4545a', 'b68a35a7-17ad-35b3-af2a-ae46edb4545a'],
    ['text[]', '{"a\\"b",NULL,"NULL",""}', '{"a\\"b",NULL,"NULL",""}'],
    ['inet', '10.0.0.0/8', '10.0.0.0/8'],
    ['int4range', '[1,5)', '[1,5)'],
    ['bit(4)', '0101', '0101'],
    ['bit varying', '101', '101'],
    ['boolean', 'true', 'true'],
    ['xml', '<a>é</a>', '<a>é</a>'],
    ['character(4)', 'ab', 'ab  '],
    ['"Odd"."My Enum"', 'sa"d', 'sa"d'],
    ['"Odd".short', 'abc', 'abc'],
    ['"Odd"."My Enum"[]', '{"sa\\"d",NULL}', '{"sa\\"d",NULL}'],
  ]
  test.each([1, 250])('C37: every type takes its input text, %i rows', async (count) => {
    await server.query(
      `DROP SCHEMA IF EXISTS "Odd" CASCADE; CREATE SCHEMA "Odd";
       CREATE TYPE "Odd"."My Enum" AS ENUM ('sa"d', 'x');
       CREATE DOMAIN "Odd".short AS varchar(3) CHECK (VALUE <> '')`,
    )
    const { sink, epoch } = await opened()
    const of = { schema: 'public', table: 'typed' }
    await server.query('DROP TABLE IF EXISTS public.typed')
    const columns = typed.map(([type], index): [string, string] => [`c${index}`, type])
    const shape = await sink.resolveTable(
      of,
      declaredShape([['id', 'integer'], ...columns], ['id'], of),
    )
    // A domain is told by its base type, which says how a value of a record is to be written.
    const types = typed.map(([type]) => (type === '"Odd".short' ? 'character varying(3)' : type))
    expect(shape.columns.slice(1).map(({ type }) => type)).toEqual(types)
    const input = typed.map(([, text]) => text)
    await epoch(Array.from({ length: count }, (_, id) => row(shape, [`${id}`, ...input], 'update')))
    const [found] = await server.query(
      `SELECT DISTINCT ${columns.map(([name]) => `textin(c.${name}_)::text AS ${name}`).join(', ')}
       FROM (SELECT ${columns.map(([name]) => `format('%s', ${name})::cstring AS ${name}_`).join(', ')}
       FROM public.typed) c`,
    )
    expect(Object.values(found ?? {})).toEqual(
      typed.map(([type, , output]) => (type === 'boolean' ? 't' : output)),
    )
    const tooLong = input.map((text, index) =>
      typed[index]?.[0] === '"Odd".short' ? 'abcd' : text,
    )
    const many = Array.from({ length: count }, (_, id) =>
      row(shape, [`${id}`, ...tooLong], 'update'),
    )
    expect(await codeOf(sealed(sink, many, 9))).toBe('SINK_REFUSED')
    await sink.close()
  })

  test('identity, generated and defaulted columns', async () => {
    await server.query(
      `CREATE TABLE public.item (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text,
       qty integer, twice integer GENERATED ALWAYS AS (qty * 2) STORED, made text DEFAULT 'here')`,
    )
    const { sink, shape, epoch } = await opened()
    expect(shape.columns.map(({ name }) => name)).toEqual(['id', 'name', 'qty'])
    await epoch([row(shape, ['5', 'a', '2'])])
    await epoch([row(shape, ['5', 'b', '3'], 'update')])
    const many = (from: number, op: 'create' | 'update') =>
      Array.from({ length: 300 }, (_, id) => row(shape, [`${from + id}`, 'c', '4'], op))
    await epoch(many(100, 'create'))
    await epoch(many(100, 'update'))
    expect(
      await server.query('SELECT id::int, twice, made FROM public.item WHERE id < 101 ORDER BY id'),
    ).toEqual([
      { id: 5, twice: 6, made: 'here' },
      { id: 100, twice: 8, made: 'here' },
    ])
    await sink.close()
  })
})
