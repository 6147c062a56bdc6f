import type { LedgerHead } from '@onceflow/model'
import type { SinkScope } from '@onceflow/ports'
import { quoteText, shortHash } from './sql-text.ts'

/** Columns that name a sink in every table of ours, with this scope's values. */
export function sinkCondition(scope: SinkScope, alias = ''): string {
  const prefix = alias === '' ? '' : `${alias}.`
  return (
    `${prefix}cluster = ${quoteText(scope.cluster)}` +
    ` AND ${prefix}pipeline_uid = ${quoteText(scope.pipeline)}` +
    ` AND ${prefix}sink = ${quoteText(scope.sink)}`
  )
}

export const sinkValues = (scope: SinkScope): string =>
  `${quoteText(scope.cluster)}, ${quoteText(scope.pipeline)}, ${quoteText(scope.sink)}`

/** Locks the fence's row until the transaction ends, prepared or not: R6. */
export const fenceSql = (scope: SinkScope): string =>
  `SELECT attempt FROM onceflow.fence WHERE ${sinkCondition(scope)} FOR SHARE`

/**
 * All sessions of one sink share the beginning of their application name, so that RESOLVE can end
 * live writers of lower attempts and nobody else's. At most 63 bytes are kept by the server.
 */
export const sessionPrefix = (scope: SinkScope): string =>
  `onceflow:${scope.pipeline}:${shortHash(`${scope.cluster}:${scope.sink}`)}:`

export const sessionName = (scope: SinkScope, role: string): string =>
  `${sessionPrefix(scope)}${scope.attempt}:${role}`.slice(0, 63)

export function attemptOfSession(scope: SinkScope, name: string): bigint | undefined {
  const prefix = sessionPrefix(scope)
  const match = name.startsWith(prefix) ? /^(\d+):/.exec(name.slice(prefix.length)) : null
  return match?.[1] === undefined ? undefined : BigInt(match[1])
}

/** Name of a staging table in schema onceflow; 63 bytes at most for attempts below 10^10. */
export const stagingPrefix = (scope: SinkScope): string =>
  `s${shortHash(`${scope.cluster}:${scope.sink}`)}_${scope.pipeline}_`

export function attemptOfStaging(scope: SinkScope, name: string): bigint | undefined {
  const prefix = stagingPrefix(scope)
  const match = name.startsWith(prefix) ? /^(\d+)_\d+_\d+$/.exec(name.slice(prefix.length)) : null
  return match?.[1] === undefined ? undefined : BigInt(match[1])
}

/** The heads as a VALUES list (subtask, checkpoint, attempt), for this sink only. */
export function headValues(scope: SinkScope, heads: readonly LedgerHead[]): string {
  const own = heads.filter((head) => head.sink === scope.sink)
  return own.map((head) => `(${head.subtask}, ${head.checkpoint}, ${head.attempt})`).join(', ')
}
