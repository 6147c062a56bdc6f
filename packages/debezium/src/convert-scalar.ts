import { fail } from '@onceflow/model'
import { isJsonNumber, specialDecimal } from './decimal.ts'
import type { JsonKind } from './json-reader.ts'
import type { TargetBase } from './target-type.ts'

/** Gives PostgreSQL's input text of one value that is not null; throws when it would alter it. */
export type Convert = (kind: JsonKind, raw: string) => string

export const invalid = (detail: string): never => fail('VALUE_INVALID', { detail })

export const wrongKind = (kind: JsonKind, wanted: string): never =>
  invalid(`a JSON ${kind} stands where ${wanted} is due`)

const integer = /^-?\d+$/

export const isInteger = (raw: string): boolean => integer.test(raw)

const bitText = (raw: string): string => (raw === 'true' ? '1' : '0')

export function booleanConverter(base: TargetBase): Convert {
  return (kind, raw) => {
    if (kind === 'boolean') return base === 'boolean' || base === 'text' ? raw : bitText(raw)
    if (kind === 'number' && (raw === '0' || raw === '1')) {
      if (base !== 'boolean') return raw
      return raw === '1' ? 'true' : 'false'
    }
    return wrongKind(kind, 'a boolean')
  }
}

interface Range {
  readonly low: bigint
  readonly high: bigint
  /** Numbers with fewer characters than this are always inside. */
  readonly safeLength: number
}

const ranges: ReadonlyMap<TargetBase, Range> = new Map<TargetBase, Range>([
  ['int2', { low: -32768n, high: 32767n, safeLength: 5 }],
  ['int4', { low: -2147483648n, high: 2147483647n, safeLength: 10 }],
  ['int8', { low: -(2n ** 63n), high: 2n ** 63n - 1n, safeLength: 19 }],
  ['oid', { low: 0n, high: 4294967295n, safeLength: 0 }],
])

export function integerConverter(base: TargetBase): Convert {
  const range = ranges.get(base)
  if (base === 'boolean') return booleanConverter(base)
  return (kind, raw) => {
    if (kind !== 'number') return wrongKind(kind, 'an integer')
    if (!isInteger(raw)) return invalid('a number with a fraction stands where an integer is due')
    if (range !== undefined && raw.length >= range.safeLength) checkRange(raw, range, base)
    return raw
  }
}

function checkRange(raw: string, range: Range, base: TargetBase): void {
  const value = BigInt(raw)
  if (value < range.low || value > range.high) invalid(`an integer is out of range of ${base}`)
}

/** Doubles keep the digits of the wire; NaN and the infinities come as strings. */
export const floatConverter: Convert = (kind, raw) => {
  if (kind === 'number') return isJsonNumber(raw) ? raw : invalid('a number is not JSON')
  if (kind === 'string') {
    return specialDecimal(raw) ?? invalid('a string stands where a number is due')
  }
  return wrongKind(kind, 'a number')
}

export const textConverter: Convert = (kind, raw) =>
  kind === 'string' ? raw : wrongKind(kind, 'a string')

/** json keeps the text of the source; an object is its own text (a map). */
export const jsonConverter: Convert = (kind, raw) =>
  kind === 'string' || kind === 'object' ? raw : wrongKind(kind, 'JSON text')

/** Of flat JSON records: scalars as they stand, nested values as JSON. */
export const plainConverter: Convert = (_kind, raw) => raw
