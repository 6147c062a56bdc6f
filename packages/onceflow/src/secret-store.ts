import { readFileSync } from 'node:fs'
import { fail, type Secret } from '@onceflow/model'

/**
 * Resolves secrets and remembers every value it has given out, so that the journal can keep them
 * out of its lines. A file is read anew each time: a rotated password is taken at the next connect.
 */
export class SecretStore {
  readonly #known = new Set<string>()
  readonly #env: { readonly [name: string]: string | undefined }

  constructor(env: { readonly [name: string]: string | undefined }) {
    this.#env = env
  }

  resolve(secret: Secret): string {
    const value = this.#read(secret)
    if (value !== '') this.#known.add(value)
    return value
  }

  known(): readonly string[] {
    return [...this.#known]
  }

  #read(secret: Secret): string {
    switch (secret.kind) {
      case 'inline':
        return secret.value
      case 'file':
        try {
          return readFileSync(secret.path, 'utf8').replace(/\r?\n$/, '')
        } catch (error) {
          const detail = `the secret file ${secret.path} cannot be read: ${String(error)}`
          return fail('CONFIG_INVALID', { detail })
        }
      case 'env': {
        const value = this.#env[secret.name]
        return value ?? fail('CONFIG_INVALID', { detail: `the variable ${secret.name} is not set` })
      }
    }
  }
}
