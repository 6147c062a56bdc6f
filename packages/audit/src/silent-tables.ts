import type { Client } from 'pg'
import { type CheckScope, found } from './check-scope.ts'
import type { TableFigures } from './report.ts'
import type { SnapshotInput } from './sink-audit.ts'
import type { FoldResult } from './source-fold.ts'
import { readCatalogue } from './target-catalogue.ts'
import { relation, textRows } from './target-connection.ts'

export interface SilentTablesInput extends SnapshotInput {
  readonly client: Client
  readonly folded: FoldResult
}

/** Tables that the spec names and no record has spoken of: rows in them came from elsewhere. */
export async function checkSilentTables(
  scope: CheckScope,
  input: SilentTablesInput,
): Promise<readonly TableFigures[]> {
  const { client, folded, request, options, sink } = input
  const figures: TableFigures[] = []
  const names = new Map(request.spec.tables.map(({ target }) => [relation(target), target]))
  for (const [name, target] of names) {
    if (folded.tables.has(name)) continue
    if ((await readCatalogue(client, target)) === undefined) continue
    const [count] = await textRows(client, `SELECT count(*) AS n FROM ${name}`)
    const rowsFound = Number(count?.['n'] ?? 0)
    figures.push({ sink: sink.name, table: name, rowsExpected: 0, rowsFound })
    if (rowsFound === 0) continue
    const isOurs = options.targetTables === 'ours'
    found(scope, {
      kind: isOurs ? 'phantom' : 'unknown-origin',
      severity: isOurs ? 'violation' : 'warning',
      table: name,
      detail: `${rowsFound} rows in a table of which no record speaks`,
    })
  }
  return figures
}
