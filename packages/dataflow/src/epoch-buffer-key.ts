import { type Cell, fail, type RecordPosition, type TableShape } from '@onceflow/model'

/**
 * The text under which a row is found in the buffer: equal exactly when PostgreSQL holds the keys
 * equal, as far as the type's name tells. Two texts of one key in one statement would make
 * ON CONFLICT touch a row twice (21000), so what compares equal must be written equal here.
 */
export interface KeyText {
  ofRow(cells: readonly Cell[], position: RecordPosition): string
  ofKey(key: readonly Cell[], position: RecordPosition): string
}

type Canonical = (text: string) => string

const same: Canonical = (text) => text
/** 1.0 and 1.00 are one numeric value, and so one key. */
const numericText: Canonical = (text) => {
  if (!text.includes('.') || text.includes('e') || text.includes('E')) return text
  let end = text.length
  while (text.charCodeAt(end - 1) === 0x30) end -= 1
  if (text.charCodeAt(end - 1) === 0x2e) end -= 1
  const cut = text.slice(0, end)
  return cut === '-0' || cut === '' || cut === '-' ? '0' : cut
}
/** Trailing blanks do not count in character(n). */
const blankPadded: Canonical = (text) => text.replace(/ +$/, '')
const caseless: Canonical = (text) => text.toLowerCase()

function canonicalOf(type: string): Canonical {
  if (/^numeric\b/.test(type)) return numericText
  if (/^(?:character(?! varying)|bpchar|char)\b/.test(type)) return blankPadded
  if (/(?:^|\.)"?citext"?$/.test(type)) return caseless
  return same
}

export function keyTextOf(shape: TableShape): KeyText {
  const columns = shape.keyColumns
  const canonicals = columns.map((column) => canonicalOf(shape.columns[column]?.type ?? ''))
  const [first] = columns
  const [canonical] = canonicals
  if (columns.length === 1 && first !== undefined && canonical !== undefined) {
    return {
      ofRow: (cells, position) => canonical(keyCell(cells[first], position)),
      ofKey: (key, position) => canonical(keyCell(key[0], position)),
    }
  }
  const part = (cell: Cell, ordinal: number, position: RecordPosition): string => {
    const text = (canonicals[ordinal] ?? same)(keyCell(cell, position))
    return `${text.length}:${text}`
  }
  return {
    ofRow: (cells, position) => {
      let text = ''
      for (let i = 0; i < columns.length; i += 1) text += part(cells[columns[i] ?? -1], i, position)
      return text
    },
    ofKey: (key, position) => {
      let text = ''
      for (let i = 0; i < columns.length; i += 1) text += part(key[i], i, position)
      return text
    },
  }
}

function keyCell(cell: Cell, position: RecordPosition): string {
  if (typeof cell === 'string') return cell
  return fail('KEY_MISSING', { detail: 'a key column of the record holds no value', position })
}

export const keyOfRow = (shape: TableShape, cells: readonly Cell[]): readonly Cell[] =>
  shape.keyColumns.map((column) => cells[column])

const integerTypes = new Set(['smallint', 'integer', 'bigint'])

/** One order for all writers: by number where the key is one integer, else by code unit. */
export function keyOrderOf(shape: TableShape): 'integer' | 'text' {
  const [first] = shape.keyColumns
  if (shape.keyColumns.length !== 1 || first === undefined) return 'text'
  return integerTypes.has(shape.columns[first]?.type ?? '') ? 'integer' : 'text'
}
