import { unchanged } from '@onceflow/model'
import { describe, expect, test } from 'vitest'
import { md5 } from '../src/md5.ts'
import { createPlaceholder, defaultPlaceholder } from '../src/placeholder.ts'
import { parseTargetType } from '../src/target-type.ts'
import { bareCreate, bytes, decodeInto, envelope, rowOf, shapeOf } from './support.ts'

const marker = defaultPlaceholder
const base64 = 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='
const list = `[${[...marker].map((letter) => letter.charCodeAt(0)).join(',')}]`
const quoted = JSON.stringify(marker)
const into = (type: string) =>
  shapeOf([
    ['id', 'bigint'],
    ['v', type],
  ])

const forms: readonly (readonly [string, string])[] = [
  ['text', quoted],
  ['character varying(10)', quoted],
  ['xml', quoted],
  ['json', quoted],
  ['jsonb', quoted],
  ['citext', quoted],
  ['public.ltree', quoted],
  ['tsvector', quoted],
  ['int4range', quoted],
  ['bytea', `"${base64}"`],
  ['bytea', quoted],
  ['text[]', `[${quoted}]`],
  ['character varying(5)[]', `[${quoted}]`],
  ['jsonb[]', `[${quoted}]`],
  ['bytea[]', `["${base64}"]`],
  ['integer[]', list],
  ['bigint[]', list],
  ['date[]', list],
  ['uuid[]', '["b68a35a7-17ad-35b3-af2a-ae46edb4545a"]'],
  ['hstore', JSON.stringify(`{${quoted}:${quoted}}`)],
  ['hstore', `{${quoted}:${quoted}}`],
]

describe('DZ-21: case-C5: every form of the placeholder', () => {
  test.each(forms)('%s as %s is unchanged in an update', (type, json) => {
    expect(rowOf(decodeInto({ ...bareCreate(json, 'u'), into: into(type) })).get('v')).toBe(
      unchanged,
    )
  })

  test.each(forms)('%s as %s is unchanged in the create of a key change', (type, json) => {
    const record = { ...bareCreate(json, 'c'), headers: ['__debezium.oldkey'] }
    expect(rowOf(decodeInto({ ...record, into: into(type) })).get('v')).toBe(unchanged)
  })

  test.each(['c', 'r'])('in %s the text is a value: a user can store it', (op) => {
    expect(rowOf(decodeInto({ ...bareCreate(quoted, op), into: into('text') })).get('v')).toBe(
      marker,
    )
  })

  test('in a type that is never out of line the text is a value', () => {
    expect(rowOf(decodeInto({ ...bareCreate(quoted, 'u'), into: into('name') })).get('v')).toBe(
      marker,
    )
    expect(createPlaceholder(marker).testFor(parseTargetType('bigint'))).toBe(undefined)
  })

  test('a longer text, and another element, are values', () => {
    const longer = JSON.stringify(`${marker}!`)
    expect(rowOf(decodeInto({ ...bareCreate(longer, 'u'), into: into('text') })).get('v')).toBe(
      `${marker}!`,
    )
    const two = `[${quoted},"x"]`
    expect(rowOf(decodeInto({ ...bareCreate(two, 'u'), into: into('text[]') })).get('v')).toBe(
      `{${marker},x}`,
    )
  })

  test.each([
    ['N/A!', 'text', '"N/A!"'],
    ['N/A!', 'bytea', '"Ti9BIQ=="'],
    ['hex:00ff41', 'bytea', '"AP9B"'],
    ['hex:00ff41', 'integer[]', '[0,-1,65]'],
    ['ünï', 'text[]', '["ünï"]'],
  ])('the setting %s shows in %s as %s', (placeholder, type, json) => {
    const request = { ...bareCreate(json, 'u'), into: into(type), options: { placeholder } }
    expect(rowOf(decodeInto(request)).get('v')).toBe(unchanged)
    const plain = { ...bareCreate(quoted, 'u'), into: into('text'), options: { placeholder } }
    expect(rowOf(decodeInto(plain)).get('v')).toBe(marker)
  })

  test('case-C7: the value before and the placeholder after are told apart', () => {
    const shape = shapeOf([
      ['id', 'bigint'],
      ['big', 'text'],
      ['qty', 'integer'],
    ])
    const cells = ['"B1","qty":1', `${quoted},"qty":2`].map((rest) => {
      const value = envelope({ op: 'u', after: `{"id":1,"big":${rest}}` })
      return [...rowOf(decodeInto({ value, into: shape })).values()]
    })
    expect(cells).toEqual([
      ['1', 'B1', '1'],
      ['1', unchanged, '2'],
    ])
  })
})

test('MD5 is that of the RFC', () => {
  const hex = (text: string): string => Buffer.from(md5(bytes(text))).toString('hex')
  expect(hex('')).toBe('d41d8cd98f00b204e9800998ecf8427e')
  expect(hex('message digest')).toBe('f96b697d7cb7938d525a2f31aaf161d0')
  expect(hex('1234567890'.repeat(8))).toBe('57edf4a22be3c955ac49da2e2107b67a')
})
