/** Reads a folder of recorded change events: records, the source's tables and their end state. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

export interface CorpusRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
  readonly headers: readonly { readonly key: string; readonly value: Uint8Array | null }[]
}

export interface CorpusColumn {
  readonly name: string
  readonly type: string
  readonly notnull: boolean
  readonly generated: boolean
}

export interface CorpusTable {
  readonly table: string
  readonly file: string
  readonly topic: string
  readonly pk: readonly string[]
  readonly columns: readonly CorpusColumn[]
}

/** A row of expected/*.csv by column name; null is NULL. */
export type ExpectedRow = ReadonlyMap<string, string | null>

const root = new URL('../../', import.meta.url).pathname
/** The recorded corpus beside the checkout, and the small one inside it. */
const places = [join(root, '../shared/corpus'), join(root, 'test/corpus')]

export interface CorpusFolder {
  readonly name: string
  readonly path: string
}

export function corpusFolders(prefix: string): readonly CorpusFolder[] {
  return places
    .filter((place) => existsSync(place))
    .flatMap((place) =>
      readdirSync(place, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && entry.name.startsWith(prefix))
        .map((entry) => ({ name: entry.name, path: join(place, entry.name) })),
    )
    .filter(({ path }) => eventsFile(path) !== undefined && existsSync(join(path, 'tables.json')))
}

function eventsFile(path: string): string | undefined {
  return ['events.jsonl', 'events.jsonl.gz']
    .map((name) => join(path, name))
    .find((name) => existsSync(name))
}

const encoder = new TextEncoder()
const bytesOf = (text: string | null): Uint8Array | null =>
  text === null ? null : encoder.encode(text)

export interface EventLine {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly key: string | null
  readonly value: string | null
  readonly headers: Readonly<Record<string, string | null>>
}

/** The lines as they were recorded, one for each record. */
export function readLines(folder: CorpusFolder): readonly string[] {
  const file = eventsFile(folder.path) ?? ''
  const content = readFileSync(file)
  const text = (file.endsWith('.gz') ? gunzipSync(content) : content).toString('utf8')
  return text.split('\n').filter((line) => line !== '')
}

export const parseLine = (line: string): EventLine => JSON.parse(line) as EventLine

export function readRecords(folder: CorpusFolder): readonly CorpusRecord[] {
  return readLines(folder).map((line) => {
    const event = parseLine(line)
    return {
      topic: event.topic,
      partition: event.partition,
      offset: BigInt(event.offset),
      key: bytesOf(event.key),
      value: bytesOf(event.value),
      headers: Object.entries(event.headers ?? {}).map(([key, value]) => ({
        key,
        value: bytesOf(value),
      })),
    }
  })
}

export function readTables(folder: CorpusFolder): readonly CorpusTable[] {
  return JSON.parse(readFileSync(join(folder.path, 'tables.json'), 'utf8')) as CorpusTable[]
}

export function readExpected(folder: CorpusFolder, table: CorpusTable): readonly ExpectedRow[] {
  const text = readFileSync(join(folder.path, 'expected', table.file), 'utf8')
  const [header, ...rows] = parseCsv(text)
  const names = (header ?? []).map((name) => name ?? '')
  return rows.map((row) => new Map(names.map((name, index) => [name, row[index] ?? null])))
}

/** Quoted or bare fields; a bare \N is NULL. */
function parseCsv(text: string): (string | null)[][] {
  const field = /(?:"((?:[^"]|"")*)"|([^,\n]*))(,|\n|$)/gy
  const rows: (string | null)[][] = []
  let row: (string | null)[] = []
  while (field.lastIndex < text.length) {
    const match = field.exec(text)
    if (match === null) throw new Error(`no CSV field at ${field.lastIndex}`)
    const [, quoted, bare, end] = match
    row.push(quoted === undefined ? (bare === '\\N' ? null : (bare ?? '')) : unquote(quoted))
    if (end !== ',') {
      rows.push(row)
      row = []
    }
  }
  return rows
}

const unquote = (quoted: string): string => quoted.replaceAll('""', '"')
