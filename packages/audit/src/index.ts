// Reads source and target independently and reports lost, duplicated, phantom and torn rows.
export {
  type AuditCheckpoint,
  type AuditOptions,
  type AuditProgress,
  type AuditRequest,
  defaultAuditOptions,
  type ReadCheckpoints,
} from './audit-request.ts'
export type { AuditReport, Finding, FindingKind, Severity, TableFigures } from './report.ts'
export { auditExitCode, renderReport, reportJson } from './report-text.ts'
export { runAudit } from './run-audit.ts'
