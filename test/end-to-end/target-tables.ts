/** Target tables for a folder of the corpus, and their comparison with the recorded end state. */

import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, escapeIdentifier, escapeLiteral } from 'pg'
import type { CorpusFolder, CorpusTable } from '../corpus-replay/corpus-folder.ts'

export interface TargetPlace {
  readonly client: Client
  readonly schema: string
  /** A folder that the server's user may read. */
  readonly exchange: string
}

export async function connectTo(port: number, database: string): Promise<Client> {
  const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database })
  client.on('error', () => undefined)
  await client.connect()
  // The recorded text forms were written so.
  await client.query(
    "SET TimeZone = 'UTC'; SET DateStyle = 'ISO, MDY'; SET IntervalStyle = 'postgres'",
  )
  return client
}

const nameOf = (schema: string, table: string): string =>
  `${escapeIdentifier(schema)}.${escapeIdentifier(table)}`

/** The source's own tables, empty: the types and defaults that the targets are made like. */
export async function createSource(client: Client, folder: CorpusFolder): Promise<void> {
  const file = join(folder.path, 'schema.sql')
  if (!existsSync(file)) return
  await client.query(readFileSync(file, 'utf8'))
  // It is for all tables, and would ask for a replica identity of the targets too.
  await client.query('DROP PUBLICATION IF EXISTS dbz')
}

/**
 * A target like the source's table, foreign keys apart: they cannot hold between tables of
 * different tasks. What schema.sql does not have, since the workload made it, is made from its
 * recorded columns.
 */
export async function createTarget(place: TargetPlace, table: CorpusTable): Promise<void> {
  const { client, schema } = place
  const target = nameOf(schema, table.table)
  const source = nameOf('inv', table.table)
  const found = await client.query('SELECT to_regclass($1) IS NOT NULL AS found', [source])
  if (found.rows[0]?.found === true) {
    await client.query(`CREATE TABLE ${target} (LIKE ${source} INCLUDING ALL)`)
    return
  }
  const columns = table.columns.map(
    ({ name, type, notnull }) => `${escapeIdentifier(name)} ${type}${notnull ? ' NOT NULL' : ''}`,
  )
  const key = table.pk.map((name) => escapeIdentifier(name)).join(', ')
  if (key !== '') columns.push(`PRIMARY KEY (${key})`)
  await client.query(`CREATE TABLE ${target} (${columns.join(', ')})`)
}

/** A row that only one side has; cells in the order of the table's columns. */
export interface OddRow {
  readonly side: 'expected' | 'found'
  readonly cells: readonly (string | null)[]
}

/**
 * Rows of the target that the end state does not have, and the other way round. Both are compared
 * as the server writes them: equal bytes, also where a type calls different texts equal.
 */
export async function oddRows(
  place: TargetPlace,
  folder: CorpusFolder,
  table: CorpusTable,
): Promise<readonly OddRow[]> {
  const { client, schema, exchange } = place
  const target = nameOf(schema, table.table)
  const file = join(exchange, 'expected.csv')
  copyFileSync(join(folder.path, 'expected', table.file), file)
  const columns = table.columns.map(({ name }) => escapeIdentifier(name))
  const texts = columns.map((name, index) => `${name}::text AS c${index}`).join(', ')
  await client.query('DROP TABLE IF EXISTS pg_temp.expected')
  await client.query(`CREATE TEMP TABLE expected (LIKE ${target})`)
  await client.query(
    `COPY pg_temp.expected (${columns.join(', ')}) FROM ${escapeLiteral(file)}` +
      " (FORMAT csv, HEADER match, NULL '\\N')",
  )
  const found = `SELECT ${texts} FROM ${target}`
  const expected = `SELECT ${texts} FROM pg_temp.expected`
  const { rows } = await client.query({
    rowMode: 'array',
    text:
      `SELECT 'found', x.* FROM (${found} EXCEPT ALL ${expected}) x` +
      ` UNION ALL SELECT 'expected', y.* FROM (${expected} EXCEPT ALL ${found}) y`,
  })
  return (rows as [OddRow['side'], ...(string | null)[]][]).map(([side, ...cells]) => ({
    side,
    cells,
  }))
}

export async function countRows(place: TargetPlace, table: string): Promise<number> {
  const text = `SELECT count(*)::int AS rows FROM ${nameOf(place.schema, table)}`
  return (await place.client.query<{ rows: number }>(text)).rows[0]?.rows ?? 0
}
