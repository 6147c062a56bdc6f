import { failureOf, failureText } from '@onceflow/model'
import type { SourceLog } from '@onceflow/ports'
import { type AuditRequest, defaultAuditOptions } from './audit-request.ts'
import { say } from './progress.ts'
import { type AuditReport, type CheckedFigures, FindingList } from './report.ts'
import { auditSink } from './sink-audit.ts'

/**
 * Judges a pipeline from outside. Never throws for what it finds, nor for a system that it cannot
 * reach: the report is then inconclusive and says why.
 */
export async function runAudit(request: AuditRequest): Promise<AuditReport> {
  const options = { ...defaultAuditOptions, ...request.options }
  const findings = new FindingList(options.findingsMax)
  const startMs = request.clock.monotonicMs()
  const figures: CheckedFigures[] = []
  let log: SourceLog | undefined
  try {
    log = await openLog(request)
    for (const sink of request.spec.sinks) {
      if (sink.kind !== 'postgres') {
        findings.unchecked(`sink ${sink.name} is of kind ${sink.type}, which has no audit`)
        continue
      }
      const scope = { sink: sink.name, findings }
      figures.push(await auditSink(scope, { request, options, sink, log }))
    }
  } catch (thrown) {
    findings.unchecked(`the audit could not go on: ${failureText(failureOf(thrown))}`)
  } finally {
    await log?.close().catch(() => undefined)
  }
  const result = findings.result()
  say(request, 'done', result.verdict)
  return {
    ...result,
    pipeline: request.spec.name,
    checked: sumOf(figures),
    durationMs: Math.round(request.clock.monotonicMs() - startMs),
  }
}

async function openLog({ sources, spec }: AuditRequest): Promise<SourceLog> {
  const factory = sources.find(({ kind }) => kind === spec.source.kind)
  if (factory === undefined) throw new Error(`no way to read a source of kind ${spec.source.kind}`)
  return factory.open(spec.source)
}

function sumOf(figures: readonly CheckedFigures[]): CheckedFigures {
  const total = (read: (one: CheckedFigures) => number): number =>
    figures.reduce((sum, one) => sum + read(one), 0)
  return {
    records: total(({ records }) => records),
    changes: total(({ changes }) => changes),
    rows: total(({ rows }) => rows),
    tables: figures.flatMap(({ tables }) => tables),
    partitions: total(({ partitions }) => partitions),
    ledgerRows: total(({ ledgerRows }) => ledgerRows),
    checkpoints: total(({ checkpoints }) => checkpoints),
    preparedTransactions: total(({ preparedTransactions }) => preparedTransactions),
    recordsBehind: figures.reduce((sum, one) => sum + one.recordsBehind, 0n),
  }
}
