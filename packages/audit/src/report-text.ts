import type { Json } from '@onceflow/model'
import type { AuditReport, Finding } from './report.ts'

/** What the command's exit code must be: 8 when something is wrong, 0 otherwise. */
export const auditExitCode = (report: AuditReport): 0 | 8 =>
  report.verdict === 'violations' ? 8 : 0

const linesOfKindMax = 5
const tablesShownMax = 12

/** One screen for people: what was checked, what was found, the verdict at the end. */
export function renderReport(report: AuditReport): string {
  const { checked } = report
  const lines = [
    `audit of pipeline ${report.pipeline}`,
    `  read      ${checked.records} records (${checked.changes} changes) of ` +
      `${checked.partitions} partitions; ${checked.recordsBehind} behind what was compared`,
    `  compared  ${checked.rows} rows of ${checked.tables.length} tables`,
    `  ledger    ${checked.ledgerRows} rows, ${checked.checkpoints} decisions, ` +
      `${checked.preparedTransactions} prepared transactions`,
    `  took      ${(report.durationMs / 1000).toFixed(1)} s`,
  ]
  for (const table of checked.tables.slice(0, tablesShownMax)) {
    lines.push(
      `  table     ${table.table}: ${table.rowsExpected} expected, ${table.rowsFound} found`,
    )
  }
  const more = checked.tables.length - tablesShownMax
  if (more > 0) lines.push(`  table     and ${more} more`)
  lines.push(...findingLines(report))
  for (const reason of report.unchecked) lines.push(`not checked: ${reason}`)
  for (const note of report.notes) lines.push(`note: ${note}`)
  lines.push(`verdict: ${verdictText(report)}`)
  return `${lines.join('\n')}\n`
}

function findingLines(report: AuditReport): readonly string[] {
  const lines: string[] = []
  for (const [kind, count] of Object.entries(report.counts)) {
    lines.push(`${kind}: ${count}`)
    const own = report.findings.filter((finding) => finding.kind === kind)
    for (const finding of own.slice(0, linesOfKindMax)) lines.push(`  ${findingLine(finding)}`)
    if (count > linesOfKindMax)
      lines.push(`  and ${count - Math.min(own.length, linesOfKindMax)} more`)
  }
  return lines
}

function findingLine({ table, key, detail, position }: Finding): string {
  const what = [table, key].filter((part) => part !== undefined).join(' ')
  const where =
    position === undefined ? '' : ` (${position.topic}/${position.partition}@${position.offset})`
  return `${what === '' ? '' : `${what}: `}${detail}${where}`
}

function verdictText({ verdict, counts, unchecked }: AuditReport): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  switch (verdict) {
    case 'clean':
      return total === 0 ? 'clean' : `clean, with ${total} warnings`
    case 'violations':
      return `VIOLATIONS: ${total} findings`
    case 'inconclusive':
      return `inconclusive: ${unchecked.length} things could not be checked, ${total} warnings`
  }
}

/** The report as JSON: 64-bit numbers are decimal text. */
export function reportJson(report: AuditReport): Json {
  const text = JSON.stringify(report, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  return JSON.parse(text) as Json
}
