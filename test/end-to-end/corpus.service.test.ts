/**
 * The whole product over recorded change events: file log, coordinator, workers and the control
 * stream between them, decoder, two-phase commits in a real PostgreSQL. Each target table has to
 * hold exactly what the source's table held in the end. Reads ../shared/corpus where it exists, and
 * test/corpus.
 */

import { basename, dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type CorpusFolder,
  type CorpusTable,
  corpusFolders,
  readTables,
} from '../corpus-replay/corpus-folder.ts'
import type { Difference, Gap } from '../corpus-replay/not-reproducible.ts'
import { type CorpusRun, runCorpus } from './corpus-run.ts'
import { DevStage } from './dev-stage.ts'
import { isLeftOut, leftOut, openGaps, type Targets } from './not-applied.ts'
import { countRows, type OddRow, oddRows } from './target-tables.ts'

const shared = [
  ...['pg-schemaless', 'pg-schema', 'pg-full', 'pg-bulk', 'pg-crash', 'pg-crash3'],
  ...['pg-copy', 'pg-copycrash', 'pg-loss-a', 'pg-loss-b', 'pg-times-microsec'],
]
const own = ['pg-schemaless', 'pg-schemaless-text', 'pg-schema']

const isOwn = ({ path }: CorpusFolder): boolean => basename(dirname(dirname(path))) === 'test'
const folders = corpusFolders('pg-').filter((folder) =>
  (isOwn(folder) ? own : shared).includes(folder.name),
)
const isComplete = shared.every((name) =>
  folders.some((folder) => folder.name === name && !isOwn(folder)),
)

interface Case {
  readonly name: string
  readonly folder: CorpusFolder
  readonly targets: Targets
}

const cases: readonly Case[] = folders.flatMap((folder) => {
  const name = `${isOwn(folder) ? 'own' : 'shared'}-${folder.name}`
  const like: Case = { name, folder, targets: 'like-source' }
  if (folder.name !== 'pg-schema') return [like]
  return [like, { name: `${name}-made`, folder, targets: 'from-records' }]
})

/** Tables without gap that have to be there, so that no comparison is empty by mistake. */
const exactTables = [
  ...['accounts', 'transfers', 'emp', 'order_lines', 'bulk', 'late', 'trunc1', 'trunc2'],
  ...['textpk', 'numpk', 'uuidpk', 'tspk', 'toasty', 'a b', 'a-b', 'a_b'],
  ...['Quoted "Tab" Ünï;', 't23456789012345678901234567890123456789012345678901234567890_63'],
]

const used = new Set<Gap>()

/** The gap that explains an odd row, or undefined. */
function gapFor(where: { folder: string; table: string }, difference: Difference): Gap | undefined {
  const gap = openGaps.find((one) => {
    if (one.table !== where.table || one.folders?.includes(where.folder) === false) return false
    if (one.columns === undefined) return true
    const { column, key } = difference
    return column !== undefined && one.columns.includes(column) && one.keys?.includes(key) !== false
  })
  if (gap !== undefined) used.add(gap)
  return gap
}

/** Odd rows of one key against each other, column by column; without a partner the whole row. */
function differencesOf(folder: string, table: CorpusTable, odd: readonly OddRow[]): Difference[] {
  const keyAt = table.pk.map((name) => table.columns.findIndex((column) => column.name === name))
  const keyOf = ({ cells }: OddRow): string =>
    (keyAt.length > 0 ? keyAt.map((index) => cells[index]) : cells).join('|')
  const found = new Map(odd.filter(({ side }) => side === 'found').map((row) => [keyOf(row), row]))
  const differences: Difference[] = []
  const differs = (key: string, column: string | undefined): void => {
    differences.push({ folder, table: table.table, column, key })
  }
  for (const row of odd.filter(({ side }) => side === 'expected')) {
    const key = keyOf(row)
    const twin = found.get(key)
    found.delete(key)
    if (twin === undefined) differs(key, undefined)
    else {
      for (const [index, { name }] of table.columns.entries()) {
        if (twin.cells[index] !== row.cells[index]) differs(key, name)
      }
    }
  }
  for (const key of found.keys()) differs(key, undefined)
  return differences
}

if (!isComplete) {
  const missing = shared.filter(
    (name) => !folders.some((folder) => folder.name === name && !isOwn(folder)),
  )
  console.warn(`CORPUS END TO END SKIPS ${missing.join(', ')}: not in ../shared/corpus`)
}

let stage: DevStage
beforeAll(async () => {
  stage = await DevStage.open()
})
afterAll(() => stage?.close())

describe.each(cases)('$name, $targets', ({ name, folder, targets }) => {
  let run: CorpusRun
  beforeAll(async () => {
    run = await runCorpus(stage, { name, folder, targets })
    const view = await stage.untilCommitted(name, run.ends)
    expect(view).toMatchObject({ state: 'STATE_RUNNING', restarts: 0 })
    expect(view.tasks).toBeGreaterThan(1)
    expect(BigInt(view.attempt)).toBeGreaterThan(1n)
  })
  afterAll(async () => {
    await run?.close()
  })

  test('every table holds the end state', async () => {
    const wrong: unknown[] = []
    for (const table of run.tables) {
      const odd = await oddRows(run.place, folder, table)
      const where = { folder: folder.name, table: table.table }
      const unexplained = differencesOf(folder.name, table, odd).filter(
        (difference) => gapFor(where, difference) === undefined,
      )
      if (unexplained.length > 0) wrong.push(unexplained.slice(0, 5), odd.slice(0, 4))
    }
    expect(wrong).toEqual([])
  })

  test('the tables that matter are there and hold rows', async () => {
    const names = run.tables.map(({ table }) => table)
    const wanted =
      folder.name.startsWith('pg-schema') || folder.name === 'pg-full' ? exactTables : []
    expect(wanted.filter((table) => !names.includes(table))).toEqual([])
    expect(openGaps.filter((gap) => exactTables.includes(gap.table) && !gap.folders)).toEqual([])
    const counts: number[] = []
    for (const table of names) counts.push(await countRows(run.place, table))
    expect(Math.max(...counts)).toBeGreaterThan(2)
  })

  test('nothing is left prepared, also not by the deletion', async () => {
    expect(await stage.prepared()).toEqual([])
    await stage.deletePipeline(name)
    expect(await stage.prepared()).toEqual([])
  })
})

describe.skipIf(!isComplete)('the lists', () => {
  test('no gap and no left-out table is in vain', () => {
    const targets = 'like-source'
    const inVain = openGaps.filter(({ table, folders: where }) =>
      (where ?? shared).some(
        (folder) => shared.includes(folder) && !isLeftOut({ folder, table, targets }),
      ),
    )
    expect(inVain.filter((gap) => !used.has(gap)).map((gap) => gap.reason)).toEqual([])
    const tables = folders.flatMap((folder) => readTables(folder).map(({ table }) => table))
    expect(leftOut.filter(({ table }) => !tables.includes(table))).toEqual([])
  })
})
