/** Decimals as digits: Connect's big-endian two's-complement integers with a scale, exactly. */

import { hexOf } from './base64.ts'

/** More digits than PostgreSQL's numeric holds are refused before they are made into text. */
const scaleMax = 16_383

const smallBytes = 6

/** The integer that the bytes hold; none for no bytes. */
function unscaledText(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return undefined
  if (bytes.length <= smallBytes) {
    let value = 0
    for (const byte of bytes) value = value * 256 + byte
    if ((bytes[0] as number) >= 0x80) value -= 2 ** (8 * bytes.length)
    return String(value)
  }
  const unsigned = BigInt(`0x${hexOf(bytes)}`)
  return BigInt.asIntN(bytes.length * 8, unsigned).toString()
}

/** Puts the decimal point into an integer's digits; the zeros of the scale stay ('-1.50'). */
function withPoint(digits: string, scale: number): string {
  if (scale === 0) return digits
  const sign = digits.startsWith('-') ? '-' : ''
  const plain = sign === '' ? digits : digits.slice(1)
  if (scale < 0) return plain === '0' ? '0' : sign + plain + '0'.repeat(-scale)
  const padded = plain.padStart(scale + 1, '0')
  const point = padded.length - scale
  return `${sign}${padded.slice(0, point)}.${padded.slice(point)}`
}

/**
 * Text of an unscaled integer with a scale, or undefined when it is none. PostgreSQL's negative
 * scales come in 11 bits: numeric(5,-2) has scale 2046 on the wire, and the fraction it then has
 * is all zeros, which are left out.
 */
export function decimalText(bytes: Uint8Array, scale: number): string | undefined {
  if (!Number.isInteger(scale) || scale > scaleMax || scale < -scaleMax) return undefined
  const digits = unscaledText(bytes)
  if (digits === undefined) return undefined
  const text = withPoint(digits, scale)
  return scale > wireScaleOfNegative ? text.replace(/\.0+$/, '') : text
}

const wireScaleOfNegative = 1000

/** Scale on the wire of a column's declared scale, and back. */
export const wireScale = (declared: number): number => (declared < 0 ? declared + 2048 : declared)
export const declaredScale = (wire: number): number =>
  wire > wireScaleOfNegative && wire < 2048 ? wire - 2048 : wire

const plainDecimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

export const isPlainDecimal = (text: string): boolean => plainDecimal.test(text)
export const isJsonNumber = (text: string): boolean => jsonNumber.test(text)

/** Debezium's words for the values of numeric that have no digits, and PostgreSQL's own. */
const specialDecimals = new Map([
  ['NAN', 'NaN'],
  ['NaN', 'NaN'],
  ['POSITIVE_INFINITY', 'Infinity'],
  ['NEGATIVE_INFINITY', '-Infinity'],
  ['Infinity', 'Infinity'],
  ['-Infinity', '-Infinity'],
])

export const specialDecimal = (text: string): string | undefined => specialDecimals.get(text)
