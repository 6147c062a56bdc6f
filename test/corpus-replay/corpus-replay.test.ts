/**
 * Replays recorded change events of a real connector through the decoder into tables in memory and
 * compares with what the source's tables held in the end. Reads ../shared/corpus where it exists,
 * and test/corpus.
 */

import { afterAll, describe, expect, test } from 'vitest'
import {
  type CorpusFolder,
  type CorpusTable,
  corpusFolders,
  type ExpectedRow,
  readExpected,
  readRecords,
  readTables,
} from './corpus-folder.ts'
import { type Difference, type Gap, gapOf, gaps } from './not-reproducible.ts'
import { comparable } from './output-text.ts'
import { ReferenceTables, type Row } from './reference-table.ts'
import { type Replay, replay } from './replay.ts'

const wanted = [
  'pg-bulk',
  'pg-copy',
  'pg-copycrash',
  'pg-crash',
  'pg-crash3',
  'pg-full',
  'pg-loss-a',
  'pg-loss-b',
  'pg-schema',
  'pg-schemaless',
  'pg-times-microsec',
]
const folders = corpusFolders('pg-').filter(({ name }) => name !== 'pg-probe')
const isComplete = wanted.every((name) => folders.some((folder) => folder.name === name))

/** Tables without gap that have to be there, so that no comparison is empty by mistake. */
const exactTables = [
  ...['accounts', 'transfers', 'emp', 'order_lines', 'bulk', 'late', 'trunc1', 'trunc2'],
  ...['textpk', 'numpk', 'uuidpk', 'tspk', 'toasty', 'a b', 'a-b', 'a_b'],
  ...['Quoted "Tab" Ünï;', 't23456789012345678901234567890123456789012345678901234567890_63'],
]

const used = new Set<Gap>()

type Cells = ReadonlyMap<string, string | null | undefined>

const typeOf = (table: CorpusTable, name: string): string =>
  (table.columns.find((column) => column.name === name)?.type ?? 'text').replace(
    'inv.posint',
    'integer',
  )

const cellText = (table: CorpusTable, name: string, cell: unknown): string | null | undefined => {
  if (cell === null) return null
  return typeof cell === 'string' ? comparable(cell, typeOf(table, name)) : undefined
}

function cellsOf(table: CorpusTable, row: Row | ExpectedRow): Cells {
  return new Map(
    table.columns.map(({ name }) => [
      name,
      cellText(table, name, row.get(name) ?? valueOr(row, name)),
    ]),
  )
}

const valueOr = (row: Row | ExpectedRow, name: string): null | undefined =>
  row.get(name) === null ? null : undefined

/** By key; equal rows of a table without key are numbered. */
function keyed(table: CorpusTable, rows: Iterable<Row | ExpectedRow>): ReadonlyMap<string, Cells> {
  const byKey = new Map<string, Cells>()
  for (const row of rows) {
    const cells = cellsOf(table, row)
    const names = table.pk.length > 0 ? table.pk : [...cells.keys()]
    let key = names.map((name) => String(cells.get(name))).join('|')
    while (byKey.has(key)) key += ' again'
    byKey.set(key, cells)
  }
  return byKey
}

interface Comparison {
  readonly folder: CorpusFolder
  readonly table: CorpusTable
  readonly rows: Iterable<Row>
}

/** Differences that no gap explains. */
function compare({ folder, table, rows }: Comparison): readonly Difference[] {
  const expected = keyed(table, readExpected(folder, table))
  const actual = keyed(table, rows)
  const differences: Difference[] = []
  const differs = (key: string, column: string | undefined): void => {
    differences.push({ folder: folder.name, table: table.table, column, key })
  }
  for (const [key, cells] of expected) {
    const found = actual.get(key)
    if (found === undefined) differs(key, undefined)
    else for (const [name, cell] of cells) if (found.get(name) !== cell) differs(key, name)
  }
  for (const key of actual.keys()) if (!expected.has(key)) differs(key, undefined)
  return differences.filter((difference) => {
    const gap = gapOf(difference)
    if (gap !== undefined) used.add(gap)
    return gap === undefined
  })
}

function tablesOf(run: Replay): ReferenceTables {
  const reference = new ReferenceTables()
  for (const change of run.changes) reference.apply(change)
  return reference
}

/** Failures that the targets made from tables.json bring with them, by table and code. */
const expectedFailures = [
  /^TARGET_MISMATCH: .* at \S+\.evolve\/0@\d+ field "[bc]"/,
  /^KEY_MISSING: .* at \S+\.nopk(?:_ri)?\/0@\d+/,
]

if (!isComplete) {
  const missing = wanted.filter((name) => !folders.some((folder) => folder.name === name))
  console.warn(`CORPUS REPLAY SKIPS ${missing.join(', ')}: not in ../shared/corpus or test/corpus`)
}

describe.each(folders)('$name', (folder) => {
  const records = readRecords(folder)
  const tables = readTables(folder)
  const run = replay({ records, tables, options: {}, into: 'catalogue' })
  const reference = tablesOf(run)

  test('every record is decoded, ignored for a reason or refused by name', () => {
    const total = [...run.ignored.values()].reduce((sum, count) => sum + count, 0)
    expect(run.changes.length + total + run.failures.length).toBe(records.length)
    const unexpected = run.failures.filter(
      (text) => !expectedFailures.some((pattern) => pattern.test(text)),
    )
    expect(unexpected).toEqual([])
    const reasons = ['tombstone', 'heartbeat', 'transaction', 'message']
    expect([...run.ignored.keys()].filter((reason) => !reasons.includes(reason))).toEqual([])
  })

  test.each(tables)('$table', (table) => {
    const rows = reference.tables.get(table.table)?.values() ?? []
    expect(compare({ folder, table, rows })).toEqual([])
  })
})

describe.skipIf(!isComplete)('the corpus as a whole', () => {
  test.each(['pg-schemaless', 'pg-schema', 'pg-full'])('%s has each exact table', (name) => {
    const folder = folders.find((candidate) => candidate.name === name)
    const names = folder === undefined ? [] : readTables(folder).map((table) => table.table)
    expect(exactTables.filter((table) => !names.includes(table))).toEqual([])
    expect(
      gaps.filter((gap) => exactTables.includes(gap.table) && gap.folders === undefined),
    ).toEqual([])
  })

  test('tables made from the records hold the same', () => {
    const folder = folders.find((candidate) => candidate.name === 'pg-schema')
    if (folder === undefined) throw new Error('no folder pg-schema')
    const tables = readTables(folder)
    const run = replay({ records: readRecords(folder), tables, options: {}, into: 'declared' })
    expect(run.failures).toEqual([])
    const reference = tablesOf(run)
    for (const table of tables.filter((one) => exactTables.includes(one.table))) {
      const rows = reference.tables.get(table.table)?.values() ?? []
      expect(compare({ folder, table, rows })).toEqual([])
    }
  })

  afterAll(() => {
    // A gap that no folder shows any more must not hide a difference that comes later.
    expect(gaps.filter((gap) => !used.has(gap)).map((gap) => gap.reason)).toEqual([])
  })
})
