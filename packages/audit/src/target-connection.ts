import { readFile } from 'node:fs/promises'
import { fail, type PostgresSinkSpec, type Secret } from '@onceflow/model'
import { Client, type ClientConfig } from 'pg'

/** Every value comes as the server's text: nothing is rounded on the way. */
const everyValueAsText = { getTypeParser: () => (text: string) => text }

/** Text of values must depend on nothing but the values, on either server. */
const sessionSettings = [
  "SET application_name = 'onceflow-audit'",
  "SET TimeZone = 'UTC'",
  "SET DateStyle = 'ISO, YMD'",
  "SET IntervalStyle = 'postgres'",
  'SET extra_float_digits = 1',
  "SET bytea_output = 'hex'",
  "SET xmloption = 'content'",
  "SET search_path = 'pg_catalog', 'public'",
  'SET statement_timeout = 0',
  'SET idle_in_transaction_session_timeout = 0',
].join('; ')

export type TextRow = { readonly [column: string]: string | null }

export async function textRows(
  client: Client,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly TextRow[]> {
  const result = await client.query<TextRow>(sql, [...values])
  return result.rows
}

export async function connectToTarget(
  spec: PostgresSinkSpec,
  resolveSecret: (secret: Secret) => Promise<string> | string,
): Promise<Client> {
  const { host, port, database, user } = spec
  const secret = spec.password
  const password = secret === undefined ? undefined : await resolveSecret(secret)
  const base = { host, port, database, user, ...(password === undefined ? {} : { password }) }
  const tries = await encryptions(spec)
  for (const [index, ssl] of tries.entries()) {
    try {
      return await connect({ ...base, ssl }, `${host}:${port}/${database}`)
    } catch (thrown) {
      if (index === tries.length - 1) throw thrown
    }
  }
  return fail('SINK_UNREACHABLE', { detail: `no way to connect to ${host}:${port}` })
}

/** libpq's meaning of sslmode; 'prefer' tries with TLS first. */
async function encryptions(
  spec: PostgresSinkSpec,
): Promise<readonly Exclude<ClientConfig['ssl'], undefined>[]> {
  const file = spec.sslRootCertFile
  const ca = file === undefined ? {} : { ca: await readFile(file, 'utf8') }
  const chain = { rejectUnauthorized: true, checkServerIdentity: () => undefined, ...ca }
  const anyServer = { rejectUnauthorized: false }
  switch (spec.sslmode) {
    case 'disable':
      return [false]
    case 'prefer':
      return [anyServer, false]
    case 'require':
      return [file === undefined ? anyServer : chain]
    case 'verify-ca':
      return [chain]
    case 'verify-full':
      return [{ rejectUnauthorized: true, ...ca }]
  }
}

/** The URL may hold a password: it is never repeated in an error. */
export const connectToSource = (url: string): Promise<Client> =>
  connect({ connectionString: url }, 'the source database')

async function connect(config: ClientConfig, name: string): Promise<Client> {
  const client = new Client({ ...config, types: everyValueAsText, connectionTimeoutMillis: 15_000 })
  // A lost connection also fails the query that runs on it, which is where it is told.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(sessionSettings)
  } catch (thrown) {
    await client.end().catch(() => undefined)
    const cause = thrown instanceof Error ? thrown.message : String(thrown)
    fail('SINK_UNREACHABLE', {
      detail: `the audit cannot connect to ${name}: ${cause}`,
      hint: 'check address, user, password and sslmode; nothing was compared',
    })
  }
  return client
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
export const relation = (table: { readonly schema: string; readonly table: string }): string =>
  `${quoted(table.schema)}.${quoted(table.table)}`
