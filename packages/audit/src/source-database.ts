import { failureOf, type TableRef } from '@onceflow/model'
import type { Client } from 'pg'
import type { CheckScope } from './check-scope.ts'
import { say } from './progress.ts'
import type { SnapshotInput } from './sink-audit.ts'
import { compareWithSource } from './source-comparison.ts'
import type { FoldedTable, FoldResult } from './source-fold.ts'
import { connectToSource, relation } from './target-connection.ts'

export interface SourceDatabaseInput extends SnapshotInput {
  readonly client: Client
  readonly folded: FoldResult
  readonly recordsBehind: bigint
}

/** Every folded table against the table of the source database from which it is filled. */
export async function checkSourceDatabase(
  scope: CheckScope,
  input: SourceDatabaseInput,
): Promise<void> {
  const { request, recordsBehind, folded } = input
  if (request.sourceDatabase === undefined) return
  if (recordsBehind > 0n) {
    scope.findings.note(
      `${recordsBehind} records were not applied yet: differences from the source database are` +
        ' warnings only',
    )
  }
  scope.findings.note('the source database was compared as if nobody writes to it meanwhile')
  let source: Client | undefined
  try {
    source = await connectToSource(request.sourceDatabase)
    await source.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    for (const [name, table] of folded.tables) {
      say(request, 'source-database', `comparing ${name} with the source database`)
      await compareOne(scope, { ...input, source, table })
    }
  } catch (thrown) {
    const { detail } = failureOf(thrown)
    scope.findings.unchecked(`the source database could not be compared: ${detail}`)
  } finally {
    await source?.end().catch(() => undefined)
  }
}

async function compareOne(
  scope: CheckScope,
  input: SourceDatabaseInput & { readonly source: Client; readonly table: FoldedTable },
): Promise<void> {
  const { source, client, table, recordsBehind } = input
  const { fold, catalogue } = table
  const sourceTable = fold.sourceTables.length === 1 ? fold.sourceTables[0] : undefined
  if (sourceTable === undefined) {
    scope.findings.note(`${relation(fold.target)} has several sources: not compared with them`)
    return
  }
  const refs: { readonly sourceTable: TableRef; readonly targetTable: TableRef } = {
    sourceTable,
    targetTable: fold.target,
  }
  await compareWithSource(scope, {
    source,
    target: client,
    ...refs,
    key: fold.key,
    columns: fold.columns,
    catalogue,
    severity: recordsBehind > 0n ? 'warning' : 'violation',
  })
}
