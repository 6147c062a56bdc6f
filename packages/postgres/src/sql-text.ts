import { createHash } from 'node:crypto'
import { fail, invariant } from '@onceflow/model'

/** PostgreSQL cuts longer names without an error, so that two names could become one. */
export const nameBytesMax = 63

export function quoteName(name: string): string {
  invariant(name !== '' && !name.includes('\0'), 'a name has characters and no NUL')
  return `"${name.replaceAll('"', '""')}"`
}

export const qualified = (schema: string, name: string): string =>
  `${quoteName(schema)}.${quoteName(name)}`

/** A lone surrogate would be altered without a word, and NUL be refused without a name. */
export function requireStorable(text: string): void {
  if (!text.isWellFormed()) {
    fail('VALUE_INVALID', { detail: 'a text holds half of a surrogate pair' })
  }
  if (text.includes('\0')) {
    fail('VALUE_INVALID', { detail: 'PostgreSQL cannot store the character NUL' })
  }
}

/** A string literal; standard_conforming_strings is on in every session of ours. */
export function quoteText(text: string): string {
  requireStorable(text)
  return `'${text.replaceAll("'", "''")}'`
}

export const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 6)

/** A 64-bit key for an advisory lock, as SQL text. */
export const lockKey = (text: string): string =>
  createHash('sha256').update(text).digest().readBigInt64BE(0).toString()

export const isNameTooLong = (name: string): boolean => Buffer.byteLength(name) > nameBytesMax
