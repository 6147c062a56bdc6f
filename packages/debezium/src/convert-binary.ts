import { type BinaryText, fail } from '@onceflow/model'
import { base64Bytes, byteaOf } from './base64.ts'
import { type Convert, invalid, wrongKind } from './convert-scalar.ts'

function fromBase64(raw: string): string {
  const bytes = base64Bytes(raw)
  return bytes === undefined ? invalid('a binary value is not base64') : byteaOf(bytes)
}

export const base64Converter: Convert = (kind, raw) =>
  kind === 'string' ? fromBase64(raw) : wrongKind(kind, 'base64')

const hex = /^(?:[0-9a-f]{2})*$/

export function binaryTextConverter(mode: BinaryText): Convert {
  return (kind, raw) => {
    if (kind !== 'string') return wrongKind(kind, 'a binary value')
    if (raw === '') return '\\x'
    if (mode === 'base64') return fromBase64(raw)
    if (mode === 'hex') return hex.test(raw) ? `\\x${raw}` : invalid('a binary value is not hex')
    if (!hex.test(raw)) return fromBase64(raw)
    if (raw.length % 4 !== 0) return `\\x${raw}`
    return fail('VALUE_INVALID', {
      detail: 'a binary value can be base64 or hexadecimal, and nothing tells which',
      hint: 'declare how binary values are written, or switch schemas on in the connector',
    })
  }
}

/** Bytes of bits come little-endian: the last byte is the first of the text. */
function bitDigits(raw: string): string {
  const bytes = base64Bytes(raw)
  if (bytes === undefined) return invalid('bits are not base64')
  let digits = ''
  for (const byte of bytes) digits = byte.toString(2).padStart(8, '0') + digits
  return digits.replace(/^0+/, '')
}

/**
 * bit(n) is padded to its length. Of bit varying the source drops leading zeros, so the text is the
 * shortest one that means the same number: '' for none.
 */
export function bitsConverter(length: number | undefined): Convert {
  return (kind, raw) => {
    if (kind === 'boolean') return (raw === 'true' ? '1' : '0').padStart(length ?? 1, '0')
    if (kind !== 'string') return wrongKind(kind, 'bits')
    const digits = bitDigits(raw)
    if (length === undefined) return digits
    if (digits.length > length) return invalid(`bits do not fit into bit(${length})`)
    return digits.padStart(length, '0')
  }
}
