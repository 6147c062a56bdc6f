import type { RecordPosition, SinkName } from '@onceflow/model'
import type { FindingKind, FindingList, Severity } from './report.ts'

/** Where the checks of one sink put what they find. */
export interface CheckScope {
  readonly sink: SinkName
  readonly findings: FindingList
}

export interface FoundInput {
  readonly kind: FindingKind
  readonly severity?: Severity
  readonly table?: string
  readonly key?: string
  readonly detail: string
  readonly position?: RecordPosition
}

export function found(scope: CheckScope, input: FoundInput): void {
  const { kind, severity, table, key, detail, position } = input
  scope.findings.add({
    kind,
    severity: severity ?? 'violation',
    sink: scope.sink,
    table,
    key,
    detail,
    position,
  })
}
