import { type Failure, failure, type PostgresSinkSpec, type TableSpec } from '@onceflow/model'
import type { PreflightProblem } from '@onceflow/ports'
import type { Session } from './session.ts'

export interface PreflightInput {
  readonly spec: PostgresSinkSpec
  readonly tables: readonly TableSpec[]
  readonly tasks: number
}

export const error = (cause: Failure): PreflightProblem => ({ severity: 'error', failure: cause })

export const problem = (
  severity: PreflightProblem['severity'],
  detail: string,
  hint: string,
): PreflightProblem => ({ severity, failure: failure('PREFLIGHT_FAILED', { detail, hint }) })

export async function valuesOf(session: Session, sql: string) {
  const results = await session.must(sql, 'checking the sink')
  return results.at(-1)?.rows ?? []
}
