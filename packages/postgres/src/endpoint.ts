import { readFile } from 'node:fs/promises'
import type { PostgresSinkSpec, Secret } from '@onceflow/model'
import type { ClientConfig } from 'pg'

export type ResolveSecret = (secret: Secret) => Promise<string>

/** What one try to connect uses; 'prefer' has two, the first with TLS. */
export type TlsTry = Exclude<ClientConfig['ssl'], undefined>

/**
 * libpq's meaning of sslmode. Node-postgres' own reading of the word differs (its 'prefer' and
 * 'require' verify), so it is never given the word.
 */
export async function tlsTries(spec: PostgresSinkSpec): Promise<readonly TlsTry[]> {
  const file = spec.sslRootCertFile
  const ca = file === undefined ? {} : { ca: await readFile(file, 'utf8') }
  switch (spec.sslmode) {
    case 'disable':
      return [false]
    case 'prefer':
      return [{ rejectUnauthorized: false }, false]
    case 'require':
      // As libpq does: a root certificate that is given is used.
      return [file === undefined ? { rejectUnauthorized: false } : chainOnly(ca)]
    case 'verify-ca':
      return [chainOnly(ca)]
    case 'verify-full':
      return [{ rejectUnauthorized: true, ...ca }]
  }
}

const chainOnly = (ca: { readonly ca?: string }): TlsTry => ({
  rejectUnauthorized: true,
  checkServerIdentity: () => undefined,
  ...ca,
})

/** Says that the next try, without TLS, is allowed to follow ('prefer' only). */
export const isTlsRefused = (message: string): boolean =>
  message === 'The server does not support SSL connections'

export const endpointName = (spec: PostgresSinkSpec): string =>
  `${spec.host}:${spec.port}/${spec.database}`
