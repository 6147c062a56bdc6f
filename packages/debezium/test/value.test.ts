import { describe, expect, test } from 'vitest'
import {
  bareCreate,
  decodeInto,
  envelope,
  failureOf,
  rowOf,
  shapeOf,
  typedCreate,
} from './support.ts'

type Result = string | null

const into = (type: string) =>
  shapeOf([
    ['id', 'bigint'],
    ['v', type],
  ])

/** Decodes v with and without schema; the failure's code where it fails. */
function cell(decoded: ReturnType<typeof decodeInto>): Result {
  if (decoded.kind === 'failed') return failureOf(decoded)
  const value = rowOf(decoded).get('v')
  return value === null ? null : String(value)
}
const typed = (schema: string, json: string, type: string): Result =>
  cell(decodeInto({ ...typedCreate(schema, json), into: into(type) }))
const bare = (json: string, type: string): Result =>
  cell(decodeInto({ ...bareCreate(json), into: into(type) }))

const schemaOf = (type: string, name?: string, parameters?: Record<string, string>): string =>
  JSON.stringify({ type, optional: true, name, version: 1, parameters })

const debezium = (kind: string): string => `io.debezium.${kind}`
const decimal = (scale: number): string =>
  schemaOf('bytes', 'org.apache.kafka.connect.data.Decimal', { scale: String(scale) })
const int64 = schemaOf('int64')
const string = schemaOf('string')

type Case = readonly [schema: string | 'bare', json: string, type: string, expected: Result]

function check([schema, json, type, expected]: Case): void {
  expect(schema === 'bare' ? bare(json, type) : typed(schema, json, type)).toBe(expected)
}

/** A case that is the same with its schema and without. */
const both = (...[schema, ...rest]: Case): Case[] => [
  [schema, ...rest],
  ['bare', ...rest],
]

const integers: Case[] = [
  ...both(int64, '2001000009664553892', 'bigint', '2001000009664553892'),
  ...both(int64, '9007199254740993', 'bigint', '9007199254740993'),
  ...both(int64, '-9223372036854775808', 'bigint', '-9223372036854775808'),
  ...both(int64, '9223372036854775807', 'bigint', '9223372036854775807'),
  ...both(int64, '9223372036854775808', 'bigint', 'VALUE_INVALID v'),
  ...both(int64, '4294967295', 'oid', '4294967295'),
  ...both(int64, '-1', 'oid', 'VALUE_INVALID v'),
  ...both(int64, '3000000000', 'integer', 'VALUE_INVALID v'),
  ...both(int64, '-2147483648', 'integer', '-2147483648'),
  ...both(int64, '32768', 'smallint', 'VALUE_INVALID v'),
  ...both(int64, '1.0', 'bigint', 'VALUE_INVALID v'),
  ...both(int64, '1e3', 'bigint', 'VALUE_INVALID v'),
  ...both(int64, '"1"', 'bigint', 'VALUE_INVALID v'),
  ...both(int64, 'null', 'bigint', null),
  [int64, '9007199254740993', 'numeric', '9007199254740993'],
  [int64, '9007199254740993', 'double precision', 'TARGET_MISMATCH v'],
  [int64, '1', 'date', 'TARGET_MISMATCH v'],
]

describe('DZ-17: case-C1: integers are exact', () => {
  test.each(integers)('%s %s into %s', (...given) => check(given))

  test('two keys that a double cannot tell apart stay two', () => {
    const keys = ['2001000009664553892', '2001000009664553893'].map((id) => {
      const value = envelope({ op: 'd' })
      const change = decodeInto({ key: `{"id":${id}}`, value, into: into('bigint') })
      return change.kind === 'delete' ? change.key : change
    })
    expect(keys).toEqual([['2001000009664553892'], ['2001000009664553893']])
  })
})

const booleans: Case[] = [
  ...both(schemaOf('boolean'), 'true', 'boolean', 'true'),
  ...both(schemaOf('boolean'), 'false', 'bit(1)', '0'),
  [schemaOf('boolean'), 'true', 'smallint', '1'],
  [schemaOf('int16'), '1', 'boolean', 'true'],
  [schemaOf('int16'), '0', 'boolean', 'false'],
  [schemaOf('int16'), '2', 'boolean', 'VALUE_INVALID v'],
  ['bare', '1', 'boolean', 'true'],
  ['bare', '"true"', 'boolean', 'VALUE_INVALID v'],
]
describe('booleans', () => test.each(booleans)('%s %s into %s', (...given) => check(given)))

const double = schemaOf('double')
const floats: Case[] = [
  ...both(double, '-3.4E38', 'double precision', '-3.4E38'),
  ...both(double, '4.9E-324', 'double precision', '4.9E-324'),
  ...both(double, '-0.0', 'double precision', '-0.0'),
  ...both(double, '"NaN"', 'double precision', 'NaN'),
  ...both(double, '"Infinity"', 'real', 'Infinity'),
  ...both(double, '"-Infinity"', 'real', '-Infinity'),
  ...both(double, '"x"', 'real', 'VALUE_INVALID v'),
  ...both(double, '1.', 'real', 'VALUE_INVALID v'),
  ...both(double, '1-2', 'real', 'VALUE_INVALID v'),
  [double, '1.5', 'bigint', 'TARGET_MISMATCH v'],
  [double, '123.45', 'numeric', '123.45'],
]
describe('floating point', () => test.each(floats)('%s %s into %s', (...given) => check(given)))

const thirtyDigits = '123456789012345678901234567890'
const decimals: Case[] = [
  [decimal(4), '"CSo="', 'numeric(4,4)', '0.2346'],
  [decimal(2), '"/2o="', 'numeric(5,2)', '-1.50'],
  [decimal(2), '"AIA="', 'numeric(5,2)', '1.28'],
  [decimal(2), '"gA=="', 'numeric(5,2)', '-1.28'],
  [decimal(2), '"/38="', 'numeric(5,2)', '-1.29'],
  [decimal(2), '"AA=="', 'numeric(5,2)', '0.00'],
  [decimal(2), '"/w=="', 'numeric(5,2)', '-0.01'],
  [decimal(2), '"AYaf"', 'numeric(5,2)', '999.99'],
  [decimal(0), '"AP//////////"', 'numeric(20)', '18446744073709551615'],
  [decimal(0), '"AY7pD/bDc+DuTj8K0g=="', 'numeric', thirtyDigits],
  [decimal(5), '"ew=="', 'numeric(3,5)', '0.00123'],
  [decimal(2), '"AYa"', 'numeric(5,2)', 'VALUE_INVALID v'],
  [decimal(2), '""', 'numeric(5,2)', 'VALUE_INVALID v'],
  [decimal(2), '"MTIzNDU"', 'numeric(5,2)', 'VALUE_INVALID v'],
  [decimal(2), '"/w=="', 'bigint', 'TARGET_MISMATCH v'],
  ['bare', '"/2o="', 'numeric(5,2)', '-1.50'],
  ['bare', '"AY7pD/bDc+DuTj8K0g=="', 'numeric(30)', thirtyDigits],
]
describe('DZ-18: case-C17: decimals in base64', () => {
  test.each(decimals)('%s %s into %s', (...given) => check(given))
})

const money: Case[] = [
  ...both(decimal(2), '"/2o="', 'money', '-1.50'),
  ...both(decimal(2), '"gAAAAAAAAAA="', 'money', '-92233720368547758.08'),
  ...both(decimal(2), '"f/////////8="', 'money', '92233720368547758.07'),
  ...both(decimal(2), 'null', 'money', null),
]
describe('DZ-18: case-C67: money', () => test.each(money)('%s %s', (...given) => check(given)))

const variable = schemaOf('struct', debezium('data.VariableScaleDecimal'))
const otherDecimals: Case[] = [
  ...both(variable, '{"scale":3,"value":"AYaf"}', 'numeric', '99.999'),
  ...both(variable, '{"scale":-2,"value":"AQ=="}', 'numeric', '100'),
  ...both(variable, '{"scale":-2,"value":"AA=="}', 'numeric', '0'),
  ...both(variable, '{"value":"AYaf","scale":0}', 'numeric', '99999'),
  ...both(variable, '{"scale":3}', 'numeric', 'VALUE_INVALID v'),
  ...both(variable, '{"scale":99999,"value":"AQ=="}', 'numeric', 'VALUE_INVALID v'),
  ...both(variable, '"AYaf"', 'numeric', 'VALUE_INVALID v').slice(0, 1),
  ...both(string, '"-1.50"', 'numeric(10,2)', '-1.50'),
  ...both(string, '"NAN"', 'numeric', 'NaN'),
  ...both(string, '"POSITIVE_INFINITY"', 'numeric', 'Infinity'),
  ...both(string, '"NEGATIVE_INFINITY"', 'numeric', '-Infinity'),
  [string, '"1234"', 'numeric', '1234'],
  [string, '"abc"', 'numeric', 'VALUE_INVALID v'],
]
describe('DZ-18: case-C19: specials, own scales and text', () => {
  test.each(otherDecimals)('%s %s into %s', (...given) => check(given))
})

const exact = '12345678901234567890.123456789'
const numbers: Case[] = [
  ...both(decimal(9), exact, 'numeric(38,9)', exact),
  ...both(variable, exact, 'numeric', exact),
  ...both(double, '1.234567890123E12', 'numeric', '1.234567890123E12'),
]
describe('DZ-18: case-C149: decimals as JSON numbers', () => {
  test.each(numbers)('%s %s into %s', (...given) => check(given))
})

test('DZ-18: a negative scale comes as 2046 and is read back', () => {
  const unscaled = (100n * 10n ** 2046n).toString(16)
  const padded = unscaled.length % 2 === 0 ? `00${unscaled}` : `0${unscaled}`
  const base64 = JSON.stringify(Buffer.from(padded, 'hex').toString('base64'))
  expect(typed(decimal(2046), base64, 'numeric(5,-2)')).toBe('100')
  expect(bare(base64, 'numeric(5,-2)')).toBe('100')
})

const texts: Case[] = [
  ...both(string, '"\\\\N"', 'text', '\\N'),
  ...both(string, '""', 'text', ''),
  ...both(string, '"\\t"', 'text', '\t'),
  ...both(string, '"a\\nb"', 'text', 'a\nb'),
  ...both(string, '"\\\\."', 'text', '\\.'),
  ...both(string, '"back\\\\slash"', 'text', 'back\\slash'),
  ...both(string, '"\\r"', 'text', '\r'),
  ...both(string, '"\\uD83D\\uDE00 ü"', 'text', '😀 ü'),
  ...both(string, 'null', 'text', null),
  ...both(string, '"c   "', 'character(4)', 'c   '),
  ['bare', '1', 'text', 'VALUE_INVALID v'],
  [int64, '1', 'text', '1'],
  [string, '"x"', 'integer', 'TARGET_MISMATCH v'],
  [schemaOf('bytes'), '"AQ=="', 'text', 'TARGET_MISMATCH v'],
]
describe('case-C81: text as it is', () => test.each(texts)('%s %s', (...given) => check(given)))

const refused: Case[] = [
  ...both(string, '"a\\u0000b"', 'text', 'VALUE_INVALID v'),
  ...both(string, '"\\uD83D"', 'text', 'VALUE_INVALID v'),
  ...both(string, '"\\uDE00 "', 'text', 'VALUE_INVALID v'),
]
describe('DZ-22: text that PostgreSQL cannot store', () => {
  test.each(refused)('%s %s', (...given) => check(given))
})

const json = schemaOf('string', debezium('data.Json'))
const untouched: Case[] = [
  ...both(json, '"{\\"b\\": 1,  \\"b\\": 1e400}"', 'jsonb', '{"b": 1,  "b": 1e400}'),
  ...both(json, '"null"', 'json', 'null'),
  ...both(schemaOf('string', debezium('data.Uuid')), '"A0EEBC99"', 'uuid', 'A0EEBC99'),
  ...both(string, '"10.0.0.0/8"', 'cidr', '10.0.0.0/8'),
  ...both(string, '"[2019-03-31,infinity)"', 'daterange', '[2019-03-31,infinity)'),
  ...both(schemaOf('string', debezium('data.Enum')), '"hap\'py"', '"S"."My Enum"', "hap'py"),
  ...both(schemaOf('string', debezium('data.Xml')), '"<a/>"', 'xml', '<a/>'),
  ...both(schemaOf('string', debezium('data.Ltree')), '"Top.A"', 'public.ltree', 'Top.A'),
  ...both(schemaOf('string', debezium('data.Tsvector')), `"'it''s':1"`, 'tsvector', "'it''s':1"),
]
describe('DZ-26: case-C37: text-encoded types are passed on', () => {
  test.each(untouched)('%s %s into %s', (...given) => check(given))
})

const hstore: Case[] = [
  ...both(
    json,
    JSON.stringify('{"na\\"me":"c:\\\\tmp","k":null,"n":"NULL","e":""}'),
    'hstore',
    '"na\\"me"=>"c:\\\\tmp", "k"=>NULL, "n"=>"NULL", "e"=>""',
  ),
  ...both(json, '"{}"', 'public.hstore', ''),
  ...both(json, '"[1]"', 'hstore', 'VALUE_INVALID v'),
  ...both(json, '"{\\"a\\":1}"', 'hstore', 'VALUE_INVALID v'),
  ...both(schemaOf('map'), '{"a":"x","__proto__":null}', 'hstore', '"a"=>"x", "__proto__"=>NULL'),
]
describe('case-C39: hstore', () => test.each(hstore)('%s %s', (...given) => check(given)))

const binary: Case[] = [
  [schemaOf('bytes'), '"3q2+7w=="', 'bytea', '\\xdeadbeef'],
  [schemaOf('bytes'), '"deadbeef"', 'bytea', '\\x75e69d6de79f'],
  [schemaOf('bytes'), '""', 'bytea', '\\x'],
  [schemaOf('bytes'), '"3q2+7w"', 'bytea', 'VALUE_INVALID v'],
]
describe('DZ-29: bytes with schema are base64', () => {
  test.each(binary)('%s %s', (...given) => check(given))
})

const bits = (length: number): string =>
  schemaOf('bytes', debezium('data.Bits'), { length: String(length) })
const bitCases: Case[] = [
  ...both(bits(16), '"AgE="', 'bit(16)', '0000000100000010'),
  ...both(bits(24), '"AQID"', 'bit(24)', '000000110000001000000001'),
  ...both(bits(8), '"gA=="', 'bit(8)', '10000000'),
  ...both(bits(8), '"/w=="', 'bit(8)', '11111111'),
  ...both(bits(2), '""', 'bit(2)', '00'),
  ...both(bits(7), '"QA=="', 'bit(7)', '1000000'),
  ...both(bits(2147483647), '"BQ=="', 'bit varying', '101'),
  ...both(bits(70), '"AQ=="', 'bit varying(70)', '1'),
  ...both(bits(2), '"BQ=="', 'bit(2)', 'VALUE_INVALID v'),
  ...both(schemaOf('boolean'), 'true', 'bit', '1'),
]
describe('DZ-23: case-C29: bits', () => test.each(bitCases)('%s %s', (...given) => check(given)))

const point = schemaOf('struct', debezium('data.geometry.Point'))
const points: Case[] = [
  ...both(point, '{"x":1.5,"y":-2.0,"wkb":"AQE=","srid":null}', 'point', '(1.5,-2.0)'),
  ...both(point, '{"x":"NaN","y":"Infinity"}', 'point', '(NaN,Infinity)'),
  ...both(point, '{"x":1}', 'point', 'VALUE_INVALID v'),
]
describe('points', () => test.each(points)('%s %s', (...given) => check(given)))

const arrayOf = (items: string): string => `{"type":"array","items":${items},"optional":true}`
const arrays: Case[] = [
  ...both(arrayOf(int64), '[9007199254740993,null]', 'bigint[]', '{9007199254740993,NULL}'),
  ...both(
    arrayOf(string),
    '["a",null,"NULL","","a,b","q\\"t","b\\\\s","{x}"," sp "]',
    'text[]',
    '{a,NULL,"NULL","","a,b","q\\"t","b\\\\s","{x}"," sp "}',
  ),
  ...both(arrayOf(decimal(2)), '["AJY=",null,"/w=="]', 'numeric(10,2)[]', '{1.50,NULL,-0.01}'),
  ...both(arrayOf(double), '[1.5,"NaN"]', 'double precision[]', '{1.5,NaN}'),
  ...both(arrayOf(schemaOf('boolean')), '[true,null]', 'boolean[]', '{true,NULL}'),
  ...both(arrayOf(schemaOf('bytes')), '["AP8="]', 'bytea[]', '{"\\\\x00ff"}').slice(0, 1),
  ...both(arrayOf(string), '["10.0.0.0/8"]', 'cidr[]', '{"10.0.0.0/8"}'),
  ...both(arrayOf(string), '[]', 'text[]', '{}'),
  ...both(arrayOf(string), '"{}"', 'text[]', 'VALUE_INVALID v'),
  ...both(arrayOf(string), '[["a"]]', 'text[]', 'VALUE_INVALID v'),
  [arrayOf(string), '["a"]', 'text', 'TARGET_MISMATCH v'],
  [string, '"a"', 'text[]', 'TARGET_MISMATCH v'],
]
describe('DZ-24: arrays', () => test.each(arrays)('%s %s into %s', (...given) => check(given)))

const unknown: Case[] = [
  [schemaOf('struct', debezium('data.geometry.Geometry')), 'null', 'text', null],
  [schemaOf('struct', debezium('data.geometry.Geometry')), '{}', 'text', 'TYPE_UNSUPPORTED v'],
  [schemaOf('int64', 'com.example.Odd'), '1', 'bigint', 'TYPE_UNSUPPORTED v'],
  ['bare', '{"a":1}', 'inv.addr', 'VALUE_INVALID v'],
  ['bare', '1', 'inv.posint', 'VALUE_INVALID v'],
]
describe('DZ-16, DZ-25: what is not known is refused by field', () => {
  const shape = into('text')
  test.each(unknown.slice(3))('%s %s into %s', (...given) => check(given))
  test.each(unknown.slice(0, 3))('%s: no table is declared', (schema, json) => {
    const decoded = decodeInto({ ...typedCreate(schema, json), into: shape })
    expect(failureOf(decoded)).toBe('TYPE_UNSUPPORTED v')
  })

  test('a failure names the field and holds no value', () => {
    const decoded = decodeInto({ ...bareCreate('"secret"'), into: into('integer') })
    expect(failureOf(decoded)).toBe('VALUE_INVALID v')
    expect(decoded.kind === 'failed' ? JSON.stringify(decoded.failure.detail) : '').not.toContain(
      'secret',
    )
  })
})

describe('DZ-20: case-C3: null, absent and default', () => {
  const defaulted = '{"type":"int32","optional":true,"default":100}'
  test('an explicit null is NULL in spite of the default', () => {
    expect(typed(defaulted, 'null', 'integer')).toBe(null)
  })
  test('an absent member is absent', () => {
    const decoded = decodeInto({ ...typedCreate(defaulted, undefined), into: into('integer') })
    expect(rowOf(decoded).get('v')).toBe(undefined)
  })
})
