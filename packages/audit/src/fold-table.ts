import type { Client } from 'pg'
import { castOf } from './column-equality.ts'
import type { FoldedTable } from './source-fold.ts'
import type { FoldedRow } from './table-fold.ts'
import type { CatalogueColumn } from './target-catalogue.ts'
import { quoted, relation } from './target-connection.ts'

/** Columns of ours in the temporary table; no sane table has columns of these names. */
export const goneColumn = '"onceflow audit: gone"'
export const unknownColumn = '"onceflow audit: unknown"'
export const placeColumn = '"onceflow audit: place"'

/** Rows in one INSERT, and a bound of the text in it. */
const batchRowsMax = 5_000
const batchTextMax = 4 * 1024 * 1024

/** The fold of one table, in the server and in the target's own types. */
export interface LoadedFold {
  /** Of the temporary table. */
  readonly name: string
  /** Columns that are compared: those that records have told of, key included. */
  readonly columns: readonly CatalogueColumn[]
  readonly rowsExpected: number
  /** yes: some cells of some rows are not known and must not be compared. */
  readonly hasUnknown: 'yes' | 'no'
}

let tables = 0

/** Makes the temporary table within the client's transaction and fills it. */
export async function loadFold(client: Client, table: FoldedTable): Promise<LoadedFold> {
  const { fold, catalogue } = table
  const columns = fold.columns.flatMap(
    (name) => catalogue.columns.find((column) => column.name === name) ?? [],
  )
  tables += 1
  const name = `pg_temp.onceflow_audit_${tables}`
  const list = columns.map((column) => quoted(column.name))
  await client.query(
    `CREATE TEMPORARY TABLE ${name.slice('pg_temp.'.length)} ON COMMIT DROP AS SELECT ` +
      [
        ...list,
        `true AS ${goneColumn}`,
        `NULL::int[] AS ${unknownColumn}`,
        `NULL::text AS ${placeColumn}`,
      ].join(', ') +
      ` FROM ${relation(fold.target)} WITH NO DATA`,
  )
  const loader = new Loader(client, insertSql(name, columns), { columns, key: fold.key })
  for (const row of fold.rows()) {
    loader.add(row)
    if (loader.isFull) await loader.flush()
  }
  await loader.flush()
  await client.query(`ANALYZE ${name}`)
  return { name, columns, rowsExpected: loader.alive, hasUnknown: loader.hasUnknown }
}

function insertSql(name: string, columns: readonly CatalogueColumn[]): string {
  const list = [...columns.map((column) => quoted(column.name)), goneColumn, unknownColumn]
  const values = columns.map((column, index) => castOf(column, `u.c${index}`))
  const sources = [...columns, 'gone', 'unknown', 'place'].map(
    (_, index) => `$${index + 1}::text[]`,
  )
  const names = [...columns.map((_, index) => `c${index}`), 'gone', 'unknown', 'place']
  return (
    `INSERT INTO ${name} (${[...list, placeColumn].join(', ')})` +
    ` SELECT ${[...values, 'u.gone::boolean', 'u.unknown::int[]', 'u.place'].join(', ')}` +
    ` FROM unnest(${sources.join(', ')}) AS u (${names.join(', ')})`
  )
}

interface LoaderShape {
  readonly columns: readonly CatalogueColumn[]
  readonly key: readonly string[]
}

class Loader {
  readonly #client: Client
  readonly #sql: string
  readonly #keyPlaces: readonly number[]
  #batch: (string | null)[][]
  #rows = 0
  #text = 0
  alive = 0
  hasUnknown: 'yes' | 'no' = 'no'

  constructor(client: Client, sql: string, { columns, key }: LoaderShape) {
    this.#client = client
    this.#sql = sql
    this.#keyPlaces = columns.map((column) => key.indexOf(column.name))
    this.#batch = [...columns, '', '', ''].map(() => [])
  }

  get isFull(): boolean {
    return this.#rows >= batchRowsMax || this.#text >= batchTextMax
  }

  add({ key, cells, at }: FoldedRow): void {
    const unknown: number[] = []
    for (const [index, place] of this.#keyPlaces.entries()) {
      const cell = cells === undefined ? key[place] : cells[index]
      if (cell === undefined && cells !== undefined) unknown.push(index)
      this.#batch[index]?.push(cell ?? null)
      this.#text += cell?.length ?? 0
    }
    const width = this.#keyPlaces.length
    this.#batch[width]?.push(cells === undefined ? 'true' : 'false')
    this.#batch[width + 1]?.push(unknown.length === 0 ? null : `{${unknown.join(',')}}`)
    this.#batch[width + 2]?.push(`${at.topic}/${at.partition}/${at.offset}`)
    this.#rows += 1
    if (cells !== undefined) this.alive += 1
    if (unknown.length > 0) this.hasUnknown = 'yes'
  }

  async flush(): Promise<void> {
    if (this.#rows === 0) return
    await this.#client.query(this.#sql, this.#batch)
    this.#batch = this.#batch.map(() => [])
    this.#rows = 0
    this.#text = 0
  }
}
