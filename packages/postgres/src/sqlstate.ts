import { type Failure, type FailureClass, type FailureCode, failure } from '@onceflow/model'

/** An error as PostgreSQL reports it. Its detail can hold row contents and is never passed on. */
export interface ServerError {
  readonly sqlstate: string
  readonly message: string
  readonly table: string | undefined
  readonly column: string | undefined
  readonly constraint: string | undefined
}

interface Rule {
  readonly match: RegExp
  readonly code: FailureCode
  readonly class?: FailureClass
  readonly hint?: string
}

const rules: readonly Rule[] = [
  { match: /^(?:40001|40P01|55P03|57014|25P02)$/, code: 'SINK_CONFLICT' },
  { match: /^42710$/, code: 'SINK_CONFLICT', hint: 'RESOLVE finishes the older transaction' },
  { match: /^(?:08|57P0|25P03)/, code: 'SINK_UNREACHABLE' },
  {
    match: /^55000$/,
    code: 'SINK_LIMIT',
    class: 'fatal',
    hint:
      'change what the server names; for prepared transactions: set max_prepared_transactions ' +
      'above 0 and restart it',
  },
  { match: /^53/, code: 'SINK_LIMIT' },
  { match: /^(?:28|42501)/, code: 'SINK_AUTH' },
  { match: /^3D000/, code: 'SINK_AUTH', hint: 'create the database, or correct its name' },
  { match: /^25006/, code: 'SINK_UNSUITABLE', class: 'retry' },
  { match: /^42P01/, code: 'TARGET_TABLE_MISSING', hint: 'the target table was dropped' },
  { match: /^(?:42703|42P10|42804|428C9)/, code: 'TARGET_MISMATCH' },
  { match: /^(?:22|23|21|42|0A|44)/, code: 'SINK_REFUSED' },
  { match: /^(?:58|XX)/, code: 'SINK_UNREACHABLE', hint: 'look at the log of the server' },
]

export function failureOfServer(error: ServerError, what: string): Failure {
  const rule = rules.find(({ match }) => match.test(error.sqlstate))
  const detail = `${what}: ${describe(error)}`
  if (rule === undefined) return failure('UNEXPECTED', { detail })
  return failure(rule.code, {
    detail,
    ...(rule.class === undefined ? {} : { class: rule.class }),
    ...(rule.hint === undefined ? {} : { hint: rule.hint }),
    ...(error.column === undefined ? {} : { field: error.column }),
  })
}

/**
 * The code and the names, not the text: PostgreSQL writes offending values into its messages
 * (`invalid input syntax for type integer: "..."`), and a value may be somebody's secret.
 */
export function describe(error: ServerError): string {
  const parts = [`SQLSTATE ${error.sqlstate}`]
  const text = error.message.replace(/"[^"]*"|'[^']*'|\d+/g, '…').slice(0, 120)
  if (/^(?:22|23)/.test(error.sqlstate)) parts.push(text)
  else parts.push(error.message.slice(0, 300))
  if (error.table !== undefined) parts.push(`table ${error.table}`)
  if (error.column !== undefined) parts.push(`column ${error.column}`)
  if (error.constraint !== undefined) parts.push(`constraint ${error.constraint}`)
  return parts.join(', ')
}
