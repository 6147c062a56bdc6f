import { describe, expect, test } from 'vitest'
import type { DecoderOptions } from '../src/index.ts'
import { bareCreate, decodeInto, failureOf, rowOf, shapeOf } from './support.ts'

type Mode = Pick<DecoderOptions, 'decimals' | 'binary'>

function decode(json: string, type: string, options: Mode = {}): string {
  const into = shapeOf([
    ['id', 'bigint'],
    ['v', type],
  ])
  const decoded = decodeInto({ ...bareCreate(json), into, options })
  return decoded.kind === 'failed' ? failureOf(decoded) : String(rowOf(decoded).get('v'))
}

const invalid = 'VALUE_INVALID v'
const unsupported = 'TYPE_UNSUPPORTED v'

describe('DZ-28: a string in a numeric column', () => {
  // What each mode makes of it: strict, text, base64.
  test.each([
    ['"-1.50"', 'numeric(5,2)', '-1.50', '-1.50', invalid],
    ['"12.34"', 'numeric(5,2)', '12.34', '12.34', invalid],
    ['"12345"', 'numeric(10,0)', '12345', '12345', invalid],
    ['"JxA="', 'numeric(14,2)', '100.00', invalid, '100.00'],
    ['"AQ=="', 'numeric(10,0)', '1', invalid, '1'],
    ['"JxA="', 'numeric', unsupported, invalid, unsupported],
    ['"JxA="', 'money', '100.00', invalid, '100.00'],
    ['"1234"', 'numeric(10,2)', invalid, '1234', '-26588.24'],
    ['"12345678"', 'numeric', invalid, '12345678', unsupported],
    ['"NAN"', 'numeric(5,2)', 'NaN', 'NaN', invalid],
    ['"POSITIVE_INFINITY"', 'numeric', 'Infinity', 'Infinity', unsupported],
    ['1234', 'numeric(10,2)', '1234', '1234', '1234'],
    ['{"scale":1,"value":"Dw=="}', 'numeric', '1.5', '1.5', '1.5'],
    ['["AJY=",null]', 'numeric(10,2)[]', '{1.50,NULL}', invalid, '{1.50,NULL}'],
  ])('%s into %s', (...given) => {
    const [json = '', type = '', strict, text, base64] = given
    expect(decode(json, type)).toBe(strict)
    expect(decode(json, type, { decimals: 'text' })).toBe(text)
    expect(decode(json, type, { decimals: 'base64' })).toBe(base64)
  })
})

describe('DZ-29: a string in a bytea column', () => {
  test.each([
    ['"3q2+7w=="', '\\xdeadbeef', '\\xdeadbeef', invalid],
    ['"deadbeef"', invalid, '\\x75e69d6de79f', '\\xdeadbeef'],
    ['"abcd12"', '\\xabcd12', invalid, '\\xabcd12'],
    ['"abc"', invalid, invalid, invalid],
    ['""', '\\x', '\\x', '\\x'],
    ['5', invalid, invalid, invalid],
  ])('%s', (...given) => {
    const [json = '', strict, base64, hex] = given
    expect(decode(json, 'bytea')).toBe(strict)
    expect(decode(json, 'bytea', { binary: 'base64' })).toBe(base64)
    expect(decode(json, 'bytea', { binary: 'hex' })).toBe(hex)
  })
})

test('DZ-16: arrays of domains and enums pass text on, and refuse what has no text', () => {
  expect(decode('["a","b c"]', 'inv.mood[]')).toBe('{a,"b c"}')
  expect(decode('[1]', 'inv.posint[]')).toBe(invalid)
})
