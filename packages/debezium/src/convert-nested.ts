import { type Convert, invalid, wrongKind } from './convert-scalar.ts'
import { isJsonNumber, specialDecimal } from './decimal.ts'
import { checkedText, eachElement, type JsonValue, membersOfObject } from './json-reader.ts'

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

/** Elements whose text needs no quotes in an array: no comma, brace, quote, space or word NULL. */
const bareElement = /^[-+.\w]+$/

export function arrayConverter(element: Convert): Convert {
  return (kind, raw) => {
    if (kind !== 'array') return wrongKind(kind, 'an array')
    const parts: string[] = []
    eachElement(raw, (elementKind, elementRaw) => {
      if (elementKind === 'array') invalid('an array holds arrays: dimensions are lost on the way')
      if (elementKind === 'null') {
        parts.push('NULL')
        return
      }
      const text = element(elementKind, elementRaw)
      const isBare = bareElement.test(text) && text.toUpperCase() !== 'NULL'
      parts.push(isBare ? text : quoted(text))
    })
    return `{${parts.join(',')}}`
  }
}

/** hstore comes as the text of a JSON object, or as the object: a null is NULL, "NULL" is text. */
export const hstoreConverter: Convert = (kind, raw) => {
  if (kind !== 'string' && kind !== 'object') return wrongKind(kind, 'an hstore')
  let members: unknown
  try {
    members = JSON.parse(raw)
  } catch {
    return invalid('an hstore is not a JSON object')
  }
  if (typeof members !== 'object' || members === null || Array.isArray(members)) {
    return invalid('an hstore is not a JSON object')
  }
  const pairs = Object.entries(members).map(([key, value]: [string, unknown]) => {
    if (value !== null && typeof value !== 'string') invalid('an hstore holds what is not text')
    const text = value === null ? 'NULL' : quoted(checkedText(String(value)))
    return `${quoted(checkedText(key))}=>${text}`
  })
  return pairs.join(', ')
}

function coordinate(value: JsonValue | undefined): string {
  if (value?.kind === 'number' && isJsonNumber(value.raw)) return value.raw
  const special = value?.kind === 'string' ? specialDecimal(value.raw) : undefined
  return special ?? invalid('a point lacks a coordinate')
}

export const pointConverter: Convert = (kind, raw) => {
  if (kind !== 'object') return wrongKind(kind, 'a point')
  const members = membersOfObject(raw)
  return `(${coordinate(members.get('x'))},${coordinate(members.get('y'))})`
}
