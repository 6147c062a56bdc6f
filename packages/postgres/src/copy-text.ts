import type { Cell } from '@onceflow/model'
import { invariant } from '@onceflow/model'
import { requireStorable } from './sql-text.ts'

/** COPY's text format: `\N` is null, and these characters are escaped wherever they stand. */
const special = /[\\\n\r\t]/
const specials = /[\\\n\r\t]/g

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/** Characters gathered before they are encoded and sent. */
const chunkCharacters = 1 << 16

/**
 * Rows as COPY text. `columns`: which cells, in the order of the COPY's column list; `prefix`: a
 * value that stands before each row (a column of our own), tab included.
 */
export function* copyText(
  rows: readonly (readonly Cell[])[],
  columns: readonly number[],
  prefix: string,
): Generator<Buffer> {
  let text = ''
  for (const row of rows) {
    text += prefix
    for (let i = 0; i < columns.length; i += 1) {
      if (i > 0) text += '\t'
      const cell = row[columns[i] ?? -1]
      if (cell === null) text += '\\N'
      else {
        invariant(typeof cell === 'string', 'a copied cell has a value')
        text += special.test(cell) ? cell.replace(specials, escaped) : cell
      }
    }
    text += '\n'
    if (text.length >= chunkCharacters) {
      yield encoded(text)
      text = ''
    }
  }
  if (text !== '') yield encoded(text)
}

const escaped = (character: string): string => escapes[character] ?? character

function encoded(text: string): Buffer {
  requireStorable(text)
  return Buffer.from(text, 'utf8')
}
