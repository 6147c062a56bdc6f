import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { base64Bytes } from '../src/base64.ts'
import { decimalText } from '../src/decimal.ts'
import type { Decoded } from '../src/index.ts'
import {
  bytes,
  changeOf,
  decodeInto,
  decodeWith,
  envelope,
  envelopeSchema,
  fieldSchema,
  idField,
  idKey,
  newDecoder,
  rowOf,
  shapeOf,
  withSchema,
} from './support.ts'

const wide = shapeOf([
  ['id', 'bigint'],
  ['n', 'bigint'],
  ['d', 'numeric(60,10)'],
  ['t', 'text'],
  ['j', 'jsonb'],
  ['a', 'bigint[]'],
])

/** A JSON string in which most characters are written as escapes. */
const escaped = (text: string): string => {
  const units = Array.from({ length: text.length }, (_, at) =>
    /[g-z]/.test(text[at] ?? '')
      ? (text[at] ?? '')
      : `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
  )
  return `"${units.join('')}"`
}

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
const storable = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\u0000'))
const digits = fc.bigInt({ min: -(10n ** 50n) + 1n, max: 10n ** 50n - 1n })

/** The text of an unscaled integer with ten digits behind the point. */
function withTenDecimals(unscaled: bigint): string {
  const size = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(11, '0')
  return `${unscaled < 0n ? '-' : ''}${size.slice(0, -10)}.${size.slice(-10)}`
}

describe('DZ-17: every value survives', () => {
  test('integers, decimals, text and JSON, plain and escaped, in rows of any order', () => {
    const decoder = newDecoder()
    decoder.provide({ schema: 'public', table: 'item' }, undefined, wide)
    const row = fc.record({
      id: int64,
      n: int64,
      d: digits,
      t: storable,
      j: storable,
      elements: fc.array(fc.option(int64)),
      quote: fc.constantFrom(escaped, (text: string) => JSON.stringify(text)),
    })
    const order = fc.shuffledSubarray(['n', 'd', 't', 'j', 'a'], { minLength: 5 })
    fc.assert(
      fc.property(row, order, (values, names) => {
        const { quote, elements } = values
        const array = `[${elements.map((element) => element ?? 'null').join(',')}]`
        const json = new Map([
          ['n', `${values.n}`],
          ['d', withTenDecimals(values.d)],
          ['t', quote(values.t)],
          ['j', quote(values.j)],
          ['a', array],
        ])
        const members = names.map((name) => `"${name}":${json.get(name)}`)
        const after = `{"id":${values.id},${members.join(',')}}`
        const record = { key: null, value: envelope({ op: 'c', after }) }
        const cells = rowOf(decodeWith(decoder, record))
        expect([...cells.values()]).toEqual([
          `${values.id}`,
          `${values.n}`,
          withTenDecimals(values.d),
          values.t,
          values.j,
          `{${elements.map((element) => element ?? 'NULL').join(',')}}`,
        ])
      }),
    )
  })

  test('Connect decimals of any size', () => {
    const scale = fc.integer({ min: 0, max: 40 })
    fc.assert(
      fc.property(digits, scale, fc.integer({ min: 0, max: 3 }), (unscaled, places, extra) => {
        const size = Math.ceil((unscaled.toString(2).length + 1) / 8) + extra
        const hex = BigInt.asUintN(size * 8, unscaled)
          .toString(16)
          .padStart(size * 2, '0')
        const encoded = base64Bytes(Buffer.from(hex, 'hex').toString('base64'))
        const text = decimalText(encoded ?? new Uint8Array(0), places) ?? ''
        expect(BigInt(text.replace('.', ''))).toBe(unscaled)
        expect(text.includes('.') ? text.split('.')[1]?.length : 0).toBe(places)
      }),
    )
  })

  test('base64 is what other encoders write, and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (some) => {
        expect(base64Bytes(Buffer.from(some).toString('base64'))).toEqual(new Uint8Array(some))
      }),
    )
    for (const wrong of [
      'A',
      'AB',
      'AQ=',
      'AR==',
      'A===',
      'AQ==AQ==',
      'A-_=',
      'AQ\u0141=',
      '====',
    ]) {
      expect(base64Bytes(wrong)).toBe(undefined)
    }
  })
})

const fields = [
  idField,
  ...[
    ['n', '{"type":"int64","optional":true}'],
    ['t', '{"type":"string","optional":true}'],
  ].map(([name = '', schema = '']) => fieldSchema(name, schema)),
]
const seeds = [
  envelope({ op: 'c', after: '{"id":1,"n":2,"t":"é\\u00e9","a":[1,null],"j":"{}"}' }),
  withSchema(envelopeSchema(fields), envelope({ op: 'u', after: '{"id":1,"n":null,"t":"x"}' })),
  envelope({ op: 'd', before: '{"id":1}' }),
  '{"status":"BEGIN","id":"1","event_count":null,"ts_ms":1}',
].map(bytes)

/** Bytes of a real record with some of them changed, cut out or doubled. */
const damaged = fc
  .record({
    seed: fc.constantFrom(...seeds),
    edits: fc.array(
      fc.record({
        at: fc.nat(4000),
        byte: fc.oneof(fc.nat(255), fc.constantFrom(...bytes('{}[]",:\\u0e-'))),
        kind: fc.constantFrom('replace', 'cut', 'insert', 'truncate'),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ seed, edits }) => {
    let text = [...seed]
    for (const { at, byte, kind } of edits) {
      const place = at % (text.length + 1)
      if (kind === 'replace') text[place] = byte
      if (kind === 'cut') text.splice(place, 3)
      if (kind === 'insert') text.splice(place, 0, byte)
      if (kind === 'truncate' && edits.length === 1) text = text.slice(0, place)
    }
    return Uint8Array.from(text)
  })

const kinds: ReadonlySet<Decoded['kind']> = new Set([
  'upsert',
  'delete',
  'truncate',
  'ignored',
  'needs-table',
  'failed',
])

describe('DZ-6: no bytes make the decoder throw or hang', () => {
  const formats = ['debezium-json', 'json', 'bytes'] as const
  test.each(formats)('format %s', (format) => {
    const decoder = newDecoder({ format })
    for (const source of [
      { schema: 'public', table: 'item' },
      { schema: '', table: 'shop.public.item' },
    ]) {
      decoder.provide(source, undefined, wide)
    }
    const some = fc.oneof(damaged, fc.uint8Array({ maxLength: 200 }))
    fc.assert(
      fc.property(some, some, (key, value) => {
        const record = { offset: 1n, key, value, headers: [] }
        const decoded = decoder.decode(record, { topic: 'shop.public.item', partition: 0 })
        expect(kinds.has(decoded.kind)).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })

  test('any JSON as a cell gives a cell or a failure with its field', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(...wide.columns), (json, column) => {
        const value = envelope({ op: 'u', after: `{"id":1,"${column.name}":${json}}` })
        const decoded = decodeInto({ value, into: wide })
        if (decoded.kind === 'failed') expect(decoded.failure.field).toBe(column.name)
        else expect(changeOf(decoded).kind).toBe('upsert')
      }),
      { numRuns: 1000 },
    )
  })
})

test('a row of ASCII and one that is not are read alike', () => {
  const shape = shapeOf([
    ['id', 'bigint'],
    ['t', 'text'],
    ['u', 'text'],
    ['n', 'bigint'],
  ])
  const ascii = fc.string({ unit: 'grapheme-ascii' })
  fc.assert(
    fc.property(ascii, int64, (text, n) => {
      const after = (u: string): string =>
        `{"id":1,"t":${JSON.stringify(text)},"u":"${u}","n":${n}}`
      const [plain, other] = ['u', 'ü'].map((u) =>
        rowOf(
          decodeInto({
            key: idKey('1'),
            value: envelope({ op: 'c', after: after(u) }),
            into: shape,
          }),
        ),
      )
      expect(plain?.get('t')).toBe(text)
      expect(other?.get('t')).toBe(text)
      expect([plain?.get('n'), other?.get('n')]).toEqual([`${n}`, `${n}`])
    }),
  )
})
