import { failureOf, failureText, type PostgresSinkSpec } from '@onceflow/model'
import type { SourceLog } from '@onceflow/ports'
import type { Client } from 'pg'
import type { AuditOptions, AuditRequest } from './audit-request.ts'
import type { CheckScope } from './check-scope.ts'
import { checkDecisions, type Decisions, isDecided, wholePositions } from './decision-checks.ts'
import { checkFence, checkLedger } from './ledger-checks.ts'
import { checkOpenTransactions } from './open-transactions.ts'
import { say } from './progress.ts'
import { readDecisions, readDecisionsFor } from './read-decisions.ts'
import { planReading } from './reading-plan.ts'
import type { CheckedFigures, TableFigures } from './report.ts'
import { checkSilentTables } from './silent-tables.ts'
import { checkSourceDatabase } from './source-database.ts'
import { type FoldResult, SourceFold } from './source-fold.ts'
import { compareTable } from './table-comparison.ts'
import { openBeside, readPrepared, type TargetSnapshot, takeSnapshot } from './target-snapshot.ts'

export interface SinkAuditInput {
  readonly request: AuditRequest
  readonly options: AuditOptions
  readonly sink: PostgresSinkSpec
  readonly log: SourceLog
}

const nothing: CheckedFigures = {
  records: 0,
  changes: 0,
  rows: 0,
  tables: [],
  partitions: 0,
  ledgerRows: 0,
  checkpoints: 0,
  preparedTransactions: 0,
  recordsBehind: 0n,
}

/** Every check of one sink, on one snapshot of its database. */
export async function auditSink(scope: CheckScope, input: SinkAuditInput): Promise<CheckedFigures> {
  const { request, sink } = input
  say(request, 'snapshot', `taking a snapshot of sink ${sink.name}`)
  const before = await readDecisions(scope, request)
  const taken = await takeSnapshot(request, sink)
  if (taken.kind === 'failed') {
    scope.findings.unchecked(`sink ${sink.name} cannot be read: ${taken.reason}`)
    return nothing
  }
  const { snapshot } = taken
  try {
    const after =
      before === undefined ? undefined : await readDecisionsFor(scope, request, snapshot.ledger)
    const decisions = before === undefined || after === undefined ? undefined : { before, after }
    return await auditSnapshot(scope, { ...input, snapshot, decisions })
  } finally {
    await snapshot.session.end().catch(() => undefined)
  }
}

export interface SnapshotInput extends SinkAuditInput {
  readonly snapshot: TargetSnapshot
  readonly decisions: Decisions | undefined
}

async function auditSnapshot(scope: CheckScope, input: SnapshotInput): Promise<CheckedFigures> {
  const { snapshot, decisions, request, options } = input
  checkLedger(scope, snapshot.ledger)
  checkFence(scope, snapshot.ledger, snapshot.fence)
  if (decisions === undefined) {
    scope.findings.note('no decisions were given: the ledger was checked by itself only')
  } else checkDecisions(scope, snapshot, decisions)
  const compared = await compareRows(scope, input)
  const preparedAfter = await readPrepared(snapshot.session)
  const { graceMs } = options
  checkOpenTransactions(scope, { request, snapshot, graceMs, decisions, preparedAfter })
  return {
    ...compared,
    ledgerRows: snapshot.ledger.length,
    checkpoints: decisions?.before.filter(isDecided).length ?? 0,
    preparedTransactions: preparedAfter.length,
  }
}

async function compareRows(scope: CheckScope, input: SnapshotInput): Promise<CheckedFigures> {
  const { snapshot, decisions, request, log } = input
  const known = decisions?.before ?? []
  if (snapshot.ledger.length === 0 && !known.some(isDecided)) {
    scope.findings.unchecked(`sink ${scope.sink}: the pipeline has committed nothing to it yet`)
    return nothing
  }
  try {
    const plan = await planReading(scope, {
      log,
      startKind: request.spec.source.start.kind,
      ledger: snapshot.ledger,
      start: known.find(({ kind }) => kind === 'start'),
      whole: wholePositions(scope, snapshot, known),
    })
    const folded = await new SourceFold(scope, { ...input, spans: plan.spans }).run()
    const { recordsBehind } = plan
    const figures = await compareFold(scope, input, { folded, recordsBehind })
    return { ...figures, partitions: plan.spans.length, recordsBehind }
  } catch (thrown) {
    scope.findings.unchecked(`rows could not be compared: ${failureText(failureOf(thrown))}`)
    return nothing
  }
}

async function compareFold(
  scope: CheckScope,
  input: SnapshotInput,
  { folded, recordsBehind }: { readonly folded: FoldResult; readonly recordsBehind: bigint },
): Promise<CheckedFigures> {
  const { request, sink, snapshot, options } = input
  const client = await openBeside(snapshot, request, sink)
  const tables: TableFigures[] = []
  try {
    for (const [name, table] of folded.tables) {
      say(request, 'compare', `comparing ${name}`)
      const figures = await guarded(client, () =>
        compareTable(scope, { client, table, options, ledger: snapshot.ledger }),
      )
      if (figures.kind === 'done') tables.push(figures.value)
      else scope.findings.unchecked(`${name} could not be compared: ${figures.reason}`)
    }
    tables.push(...(await checkSilentTables(scope, { ...input, client, folded })))
    await checkSourceDatabase(scope, { ...input, client, folded, recordsBehind })
  } finally {
    await client.end().catch(() => undefined)
  }
  const rows = tables.reduce((sum, { rowsFound }) => sum + rowsFound, 0)
  return { ...nothing, records: folded.records, changes: folded.changes, rows, tables }
}

type Guarded<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly reason: string }

/** One table's failure (a value that its type refuses) leaves the others to be compared. */
async function guarded<T>(client: Client, work: () => Promise<T>): Promise<Guarded<T>> {
  await client.query('SAVEPOINT one_table')
  try {
    const value = await work()
    await client.query('RELEASE SAVEPOINT one_table')
    return { kind: 'done', value }
  } catch (thrown) {
    await client.query('ROLLBACK TO SAVEPOINT one_table')
    return { kind: 'failed', reason: failureOf(thrown).detail }
  }
}
