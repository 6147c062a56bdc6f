import { type DecimalText, fail } from '@onceflow/model'
import { base64Bytes } from './base64.ts'
import { type Convert, invalid, isInteger, wrongKind } from './convert-scalar.ts'
import { decimalText, isJsonNumber, isPlainDecimal, specialDecimal, wireScale } from './decimal.ts'
import { membersOfObject } from './json-reader.ts'

function fromBase64(raw: string, scale: number | undefined): string {
  if (scale === undefined) {
    return fail('TYPE_UNSUPPORTED', {
      detail: 'a decimal in base64 has no scale here: the column is numeric without one',
      hint: 'set decimal.handling.mode=string or switch schemas on in the connector',
    })
  }
  const bytes = base64Bytes(raw)
  const text = bytes === undefined ? undefined : decimalText(bytes, scale)
  return text ?? invalid('a decimal is not an integer in base64')
}

const numberText = (raw: string): string =>
  isJsonNumber(raw) ? raw : invalid('a number is not JSON')

/** `{"scale":3,"value":"AYaf"}`: a decimal of a column without declared scale. */
function fromStruct(raw: string): string {
  const members = membersOfObject(raw)
  const scale = members.get('scale')
  const value = members.get('value')
  if (scale?.kind !== 'number' || !isInteger(scale.raw) || value?.kind !== 'string') {
    return invalid('a decimal with its own scale lacks scale or value')
  }
  return fromBase64(value.raw, Number(scale.raw))
}

/** The record's schema says Decimal with this scale: base64, or a number (decimal.format). */
export function schemaDecimalConverter(scale: number | undefined): Convert {
  return (kind, raw) => {
    if (kind === 'string') return fromBase64(raw, scale)
    return kind === 'number' ? numberText(raw) : wrongKind(kind, 'a decimal')
  }
}

export const variableDecimalConverter: Convert = (kind, raw) => {
  if (kind === 'object') return fromStruct(raw)
  return kind === 'number' ? numberText(raw) : wrongKind(kind, 'a decimal')
}

/** Strings of decimal.handling.mode=string, as a record's schema promises them. */
export const decimalTextConverter: Convert = (kind, raw) => {
  if (kind !== 'string') return kind === 'number' ? numberText(raw) : wrongKind(kind, 'a decimal')
  if (isPlainDecimal(raw)) return raw
  return specialDecimal(raw) ?? invalid('a string stands where a decimal is due')
}

/** A numeric column of a record without schema; `scale` is the declared one of the target. */
export function bareDecimalConverter(scale: number | undefined, mode: DecimalText): Convert {
  const scaleOnWire = scale === undefined ? undefined : wireScale(scale)
  return (kind, raw) => {
    if (kind === 'number') return numberText(raw)
    if (kind === 'object') return fromStruct(raw)
    if (kind !== 'string') return wrongKind(kind, 'a decimal')
    if (mode === 'base64') return fromBase64(raw, scaleOnWire)
    const special = specialDecimal(raw)
    if (special !== undefined) return special
    if (isPlainDecimal(raw)) {
      return mode === 'text' || !couldBeBase64(raw) ? raw : refuseAmbiguous()
    }
    if (mode === 'text') return invalid('a string stands where a decimal is due')
    return fromBase64(raw, scaleOnWire)
  }
}

/** Digits only, in a length that base64 has: 1234 is a number and is three bytes. */
const couldBeBase64 = (raw: string): boolean => raw.length % 4 === 0 && /^[+\d]+$/.test(raw)

function refuseAmbiguous(): never {
  return fail('VALUE_INVALID', {
    detail: 'digits of a record without schema can be a number or base64, and nothing tells which',
    hint: 'declare how decimals are written, or switch schemas on in the connector',
  })
}
