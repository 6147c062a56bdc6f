import { type Failure, failure } from '@onceflow/model'
import type { BatchResult } from './batch.ts'
import { quoteText } from './sql-text.ts'

/** What a server is, as far as the protocol must know: read on every new connection. */
export interface ServerIdentity {
  readonly systemIdentifier: string
  /** Hexadecimal, 8 digits; the text orders as the number does. */
  readonly timeline: string
  readonly version: number
}

/** The newest identity seen by this process for an endpoint. */
export class ServerWatch {
  readonly #seen = new Map<string, ServerIdentity>()

  /** undefined: usable. A timeline that moved on is noted; the ledger proves what it means. */
  check(endpoint: string, found: ServerIdentity): Failure | undefined {
    const seen = this.#seen.get(endpoint)
    if (seen !== undefined && seen.systemIdentifier !== found.systemIdentifier) {
      return failure('SINK_UNSUITABLE', {
        detail: `${endpoint} is another cluster (system identifier) than the one seen before`,
        hint: 'if the database was moved on purpose, restart this worker',
      })
    }
    if (seen !== undefined && found.timeline < seen.timeline) {
      return failure('SINK_UNSUITABLE', {
        detail: `${endpoint} is on timeline ${found.timeline}; ${seen.timeline} was seen before`,
        hint: 'an old primary came back: connect to the current one',
      })
    }
    this.#seen.set(endpoint, found)
    return undefined
  }
}

const settings: readonly (readonly [string, string])[] = [
  ['search_path', 'pg_catalog'],
  ['client_encoding', 'UTF8'],
  ['standard_conforming_strings', 'on'],
  ['DateStyle', 'ISO, YMD'],
  ['IntervalStyle', 'postgres'],
  ['TimeZone', 'UTC'],
  ['bytea_output', 'hex'],
  ['extra_float_digits', '1'],
  ['xmloption', 'content'],
  ['default_transaction_read_only', 'off'],
  ['default_transaction_isolation', 'read committed'],
  ['default_transaction_deferrable', 'off'],
  ['lock_timeout', '10s'],
  ['statement_timeout', '120s'],
  ['idle_in_transaction_session_timeout', '120s'],
  // Rows are staged in key order and found by key: no plan may leave that order or scan a target.
  ['synchronize_seqscans', 'off'],
  ['enable_hashjoin', 'off'],
  ['enable_mergejoin', 'off'],
  ['jit', 'off'],
]

/** Sets the session up and reads the identity, in one round trip. */
export function greetingSql(applicationName: string): string {
  const pairs = [...settings, ['application_name', applicationName] as const]
  const sets = pairs.map(([name, value]) => `SET ${name} = ${settingText(name, value)}`)
  return [
    ...sets,
    // A lost commit of the fence or the ledger would be a lost promise.
    "SELECT set_config('synchronous_commit', 'on', false)" +
      " WHERE current_setting('synchronous_commit') = 'off'",
    'SELECT pg_is_in_recovery()::int, pg_backend_pid(),' + " current_setting('server_version_num')",
  ].join(';\n')
}

const settingText = (name: string, value: string): string =>
  name === 'search_path' || name === 'DateStyle' ? value : quoteText(value)

/** Not in recovery only: there is no current WAL position on a standby. */
export const identitySql =
  'SELECT system_identifier, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)' +
  ' FROM pg_control_system()'

/** The oldest version whose timeouts and prepared transactions are what the sink expects. */
export const versionMin = 130_000

export function judgeGreeting(results: readonly BatchResult[], greetedPid: number) {
  const row = results.at(-1)?.rows[0] ?? []
  const version = Number(row[2])
  if (row[0] !== '0') {
    return unsuitable('the server is in recovery', 'connect to the primary', version)
  }
  if (Number(row[1]) !== greetedPid) {
    return unsuitable(
      'the connection goes through a pooler: it did not greet with its backend',
      'connect directly to PostgreSQL: sessions must not change under a transaction',
      version,
    )
  }
  if (version < versionMin) {
    return unsuitable(`version ${version} is older than ${versionMin}`, 'upgrade it', version)
  }
  return { version, failure: undefined }
}

const unsuitable = (detail: string, hint: string, version: number) => ({
  version,
  failure: failure('SINK_UNSUITABLE', { detail, hint }),
})
