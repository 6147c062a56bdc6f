import { hexOf } from './base64.ts'
import type { JsonKind } from './json-reader.ts'
import { md5 } from './md5.ts'
import type { TargetType } from './target-type.ts'
import { textBetween } from './text-decoding.ts'

/** Says whether a value stands for one that the source did not send (a TOASTed, unchanged one). */
export type PlaceholderTest = (kind: JsonKind, raw: string) => boolean

/** How the connector's unavailable.value.placeholder shows in each kind of column. */
export interface Placeholder {
  testFor(target: TargetType): PlaceholderTest | undefined
}

export const defaultPlaceholder = '__debezium_unavailable_value'

/** The setting as bytes: UTF-8, or hexadecimal behind `hex:`. */
function placeholderBytes(setting: string): Uint8Array {
  const hex = /^hex:((?:[0-9a-fA-F]{2})*)$/.exec(setting)?.[1]
  if (hex === undefined) return utf8Bytes(setting)
  const pairs = hex.match(/../g) ?? []
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16))
}

export function utf8Bytes(text: string): Uint8Array {
  const bytes: number[] = []
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0
    if (code < 0x80) bytes.push(code)
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 0x3f))
    else if (code < 0x10000) {
      bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f))
    } else {
      bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 0x3f))
      bytes.push(0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f))
    }
  }
  return Uint8Array.from(bytes)
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3)
    const group = (a << 16) | (b << 8) | c
    for (const shift of [18, 12, 6, 0]) text += letters[(group >> shift) & 63] as string
  }
  const missing = (3 - (bytes.length % 3)) % 3
  return missing === 0 ? text : text.slice(0, -missing) + '='.repeat(missing)
}

/** Java's UUID.nameUUIDFromBytes. */
function nameUuid(bytes: Uint8Array): string {
  const hash = md5(bytes)
  hash[6] = ((hash[6] as number) & 0x0f) | 0x30
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80
  return hexOf(hash).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Elements of the integer and date arrays are the bytes as Java has them, from -128 to 127. */
const signedList = (bytes: Uint8Array): string =>
  `[${Array.from(bytes, (byte) => (byte < 0x80 ? byte : byte - 0x100)).join(',')}]`

const oneOf = (kind: JsonKind, forms: readonly string[]): PlaceholderTest => {
  const set: ReadonlySet<string> = new Set(forms)
  const longest = Math.max(...forms.map((form) => form.length))
  return (seen, raw) => seen === kind && raw.length <= longest && set.has(raw)
}

export function createPlaceholder(setting: string): Placeholder {
  const bytes = placeholderBytes(setting)
  const text = textBetween(bytes, 0, bytes.length)
  const base64 = base64Of(bytes)
  const asTexts = text === undefined ? [base64] : [text]
  const array = (elements: readonly string[]): readonly string[] =>
    elements.map((element) => `[${JSON.stringify(element)}]`)
  const inText = oneOf('string', asTexts)
  const inBytes = oneOf('string', [...asTexts, base64])
  const object = `{${JSON.stringify(text ?? base64)}:${JSON.stringify(text ?? base64)}}`
  const inObjectText = oneOf('string', [...asTexts, object])
  const inObject = oneOf('object', [object])
  const inArrays = {
    bytes: oneOf('array', array([...asTexts, base64])),
    text: oneOf('array', array([...asTexts, nameUuid(bytes)])),
    numbers: oneOf('array', [signedList(bytes)]),
  }
  return {
    testFor: (target) => {
      if (target.toast === 'never') return undefined
      if (target.array !== 'no') {
        if (target.base === 'bytea') return inArrays.bytes
        const isText = ['text', 'json', 'other', 'hstore'].includes(target.base)
        return isText ? inArrays.text : inArrays.numbers
      }
      if (target.base === 'bytea') return inBytes
      if (target.base !== 'hstore' && target.base !== 'json') return inText
      return (kind, raw) => inObjectText(kind, raw) || inObject(kind, raw)
    },
  }
}
