// What must hold, said as problems: an empty list is a clean verdict.
import { decodeRecord, keys } from '@onceflow/checkpoint'
import { type PipelineUid, pipelineUid } from '@onceflow/model'
import type { MetadataStore, StoredValue } from '@onceflow/ports'
import type { BankLog } from './bank-log.ts'
import { type BankTable, bankTables } from './bank-workload.ts'
import type { Row } from './debezium-event.ts'
import type { BankView, LedgerLine, TargetDatabase } from './target-database.ts'

const shown = 5

/** Lost, phantom and differing rows of one table. */
export function rowProblems(
  table: BankTable,
  found: ReadonlyMap<string, Row>,
  wanted: ReadonlyMap<string, Row>,
): readonly string[] {
  const problems: string[] = []
  for (const [id, row] of wanted) {
    const has = found.get(id)
    if (has === undefined) problems.push(`${table} ${id} is missing: ${row.join(' | ')}`)
    else if (has.some((cell, index) => cell !== row[index])) {
      problems.push(`${table} ${id} is ${has.join(' | ')}, not ${row.join(' | ')}`)
    }
  }
  for (const id of found.keys()) {
    if (!wanted.has(id)) problems.push(`${table} ${id} should not be there`)
  }
  const more = problems.length - shown
  return more > 0 ? [...problems.slice(0, shown), `and ${more} more of ${table}`] : problems
}

/** At any moment: the tables are the fold of the source up to the ledger's positions (I12, I14). */
export function foldProblems(view: BankView, log: BankLog): readonly string[] {
  if (!log.offsetsKnown) return []
  return bankTables.flatMap((table) =>
    rowProblems(table, view[table], log.fold(table, view.positions)),
  )
}

export function finalProblems(view: BankView, log: BankLog): readonly string[] {
  const rows = bankTables.flatMap((table) =>
    rowProblems(table, view[table], log.workload.rows(table)),
  )
  const cents = [...view.accounts.values()]
    .map((row) => BigInt((row[2] ?? '0').replace('.', '')))
    .reduce((sum, one) => sum + one, 0n)
  const total = BigInt(log.workload.totalCents)
  return cents === total ? rows : [...rows, `the sum is ${cents} cents, not ${total}`]
}

/** Each row of a partition begins where the one before it ends, over all subtasks; n only grows. */
export function ledgerProblems(lines: readonly LedgerLine[]): readonly string[] {
  const problems: string[] = []
  const ends = new Map<string, { readonly offset: bigint; readonly line: LedgerLine }>()
  let attempt = 0n
  for (const line of lines) {
    const name = `checkpoint ${line.checkpoint} of subtask ${line.subtask}`
    if (line.attempt < attempt) problems.push(`${name}: attempt ${line.attempt} after ${attempt}`)
    attempt = line.attempt
    for (const [place, from] of line.from) {
      const before = ends.get(place)
      if (before !== undefined && before.line.checkpoint === line.checkpoint) {
        problems.push(`${name}: ${place} stands in two rows`)
      }
      const start = before?.offset ?? 0n
      if (from !== start) problems.push(`${name}: ${place} from ${from}, but ${start} was reached`)
    }
    for (const [place, offset] of line.to) ends.set(place, { offset, line })
  }
  return problems.slice(0, shown)
}

/** What is decided in etcd and what stands in the ledger are the same (I6, I7). */
export async function recordProblems(
  store: MetadataStore,
  target: TargetDatabase,
  pipeline: string,
): Promise<readonly string[]> {
  const uid: PipelineUid = pipelineUid(pipeline)
  const values = await everything(store, keys.recordsPrefix(uid))
  const records = values.map(({ value, created }) => ({ record: decodeRecord(value), created }))
  const lines = await target.ledger(pipeline)
  const byRow = new Set(lines.map((one) => `${one.checkpoint}/${one.subtask}/${one.attempt}`))
  const problems: string[] = []
  let revision = 0n
  let epoch = 0n
  for (const { record, created } of records) {
    if (created <= revision) problems.push(`record ${record.checkpoint} was decided out of order`)
    if (record.leaderEpoch < epoch) problems.push(`record ${record.checkpoint}: epoch went back`)
    revision = created
    epoch = record.leaderEpoch
    for (const handle of record.handles) {
      const row = `${record.checkpoint}/${handle.subtask}/${record.attempt}`
      if (handle.kind === 'sealed' && !byRow.has(row)) problems.push(`no ledger row of ${row}`)
      if (handle.kind === 'empty' && byRow.has(row)) problems.push(`a ledger row of empty ${row}`)
    }
  }
  const kept = new Map(records.map(({ record }) => [record.checkpoint as bigint, record]))
  const oldest = records[0]?.record.checkpoint ?? 0n
  for (const line of lines) {
    if (line.checkpoint < oldest) continue
    const record = kept.get(line.checkpoint)
    if (record === undefined) problems.push(`checkpoint ${line.checkpoint} was never decided`)
    else if (BigInt(record.attempt) !== line.attempt) {
      problems.push(`checkpoint ${line.checkpoint} is of attempt ${line.attempt} in the ledger`)
    }
  }
  return problems.slice(0, shown)
}

async function everything(store: MetadataStore, prefix: string): Promise<readonly StoredValue[]> {
  const values: StoredValue[] = []
  for (;;) {
    const after = values.at(-1)?.key
    const page = await store.range({
      prefix,
      limit: 500,
      ...(after === undefined ? {} : { after }),
    })
    values.push(...page.values)
    if (page.more === 'no') return values
  }
}
