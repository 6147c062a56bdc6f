/**
 * Brings our input text and psql's output text of a value to one form, type by type. Only what
 * PostgreSQL itself treats as the same is made the same.
 */

export function comparable(text: string | null, type: string): string | null {
  if (text === null) return null
  if (type.endsWith('[]')) {
    const element = type.slice(0, -2)
    return JSON.stringify(elementsOf(text).map((item) => comparable(item, element)))
  }
  return scalar(text, type.replace(/\(.*\)/, ''))
}

function scalar(text: string, type: string): string {
  switch (type) {
    case 'boolean':
      return text === 'true' ? 't' : text === 'false' ? 'f' : text
    case 'real':
      return String(Math.fround(numberOf(text)))
    case 'double precision':
      return String(numberOf(text))
    case 'money':
      return text.replace(/[$,]/g, '')
    case 'point':
      return text.replace(/[^(),]+/g, (number) => String(numberOf(number)))
    case 'hstore':
      return pairsOf(text)
    case 'timestamp with time zone':
      return withoutZeros(text.replace('T', ' ').replace(/Z$/, '+00'))
    case 'timestamp without time zone':
      return withoutZeros(text)
    default:
      return text
  }
}

const numberOf = (text: string): number =>
  text === 'Infinity' || text === '-Infinity' || text === 'NaN' ? Number(text) : Number(text.trim())

const withoutZeros = (text: string): string =>
  text.replace(/(\.\d*?)0+(?=\D|$)/, '$1').replace(/\.(?=\D|$)/, '')

/** The order of an hstore's pairs means nothing. */
const pairsOf = (text: string): string =>
  (text.match(/"(?:[^"\\]|\\.)*"=>(?:NULL|"(?:[^"\\]|\\.)*")/gs) ?? []).sort().join(', ')

/** Elements of an array literal; null for the bare word NULL. */
export function elementsOf(literal: string): (string | null)[] {
  const body = literal.slice(1, -1)
  if (body === '') return []
  const element = /(?:"((?:[^"\\]|\\.)*)"|([^",]+))(?:,|$)/gsy
  const elements: (string | null)[] = []
  while (element.lastIndex < body.length) {
    const match = element.exec(body)
    if (match === null) throw new Error(`no array element at ${element.lastIndex} of ${literal}`)
    const [, quoted, bare] = match
    if (quoted === undefined) elements.push(bare === 'NULL' ? null : (bare ?? ''))
    else elements.push(quoted.replace(/\\(.)/gs, '$1'))
  }
  return elements
}
