import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

interface Line {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly key: string | null
  readonly value: string | null
}

interface Table {
  readonly table: string
  readonly file: string
}

interface Change {
  readonly op: 'c' | 'r' | 'u' | 'd' | 't'
  readonly source: { readonly table: string }
}

/** Where the change lies in a value: with a schema it is the payload. */
function changeOf(value: string): Change {
  const parsed = JSON.parse(value) as Change & { readonly payload?: Change }
  return parsed.payload ?? parsed
}

/** The keys that remain per table when the events are followed in the order of the file. */
function remainingKeys(lines: readonly Line[]): ReadonlyMap<string, ReadonlySet<string>> {
  const tables = new Map<string, Set<string>>()
  for (const { key, value } of lines) {
    if (value === null) continue
    const change = changeOf(value)
    const keys = tables.get(change.source.table) ?? new Set()
    tables.set(change.source.table, keys)
    if (change.op === 't') keys.clear()
    else if (change.op === 'd') keys.delete(key ?? '')
    else keys.add(key ?? '')
  }
  return tables
}

/** Rows of a CSV whose quoted values may hold line ends. */
function rowCount(csv: string): number {
  return (
    csv
      .replaceAll(/"(?:[^"]|"")*"/g, '')
      .trim()
      .split('\n').length - 1
  )
}

describe.each(['pg-schemaless', 'pg-schemaless-text', 'pg-schema'])('corpus %s', (folder) => {
  const read = (file: string) => readFile(join(import.meta.dirname, folder, file), 'utf8')
  const readLines = async (): Promise<readonly Line[]> =>
    (await read('events.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)

  test('every partition is whole, from its first record to the end of the workload', async () => {
    const lines = await readLines()
    const next = new Map<string, number>()
    for (const { topic, partition, offset } of lines) {
      const name = `${topic}/${partition}`
      expect(offset, name).toBe(next.get(name) ?? 0)
      next.set(name, offset + 1)
    }
    expect(lines.some(({ value }) => value?.includes('END OF WORKLOAD') === true)).toBe(true)
  })

  test('the events leave as many rows as the source had', async () => {
    const keys = remainingKeys(await readLines())
    const tables = JSON.parse(await read('tables.json')) as readonly Table[]
    const counted = tables.map(({ table }) => [table, keys.get(table)?.size ?? 0])
    const expected = await Promise.all(
      tables.map(async ({ table, file }) => [table, rowCount(await read(join('expected', file)))]),
    )
    expect(counted).toEqual(expected)
  })
})
