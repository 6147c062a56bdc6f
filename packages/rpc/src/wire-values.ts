import { fail, type Json } from '@onceflow/model'
import type { VersionedJson, VersionedJson__Output } from './generated/onceflow/v1/VersionedJson.ts'

/** A message that does not hold what its sender promised; the field is named. */
export function refuse(field: string, detail: string): never {
  return fail('INVALID_ARGUMENT', { field, detail })
}

/** The value of a field that must be there. */
export function required<T>(value: T | null | undefined, field: string): T {
  if (value === null || value === undefined) return refuse(field, `${field} is missing`)
  return value
}

/** int64 as exact text. */
export const int64 = (value: bigint): string => value.toString()
export const optionalInt64 = (value: bigint | undefined): string | undefined => value?.toString()
export const big = (text: string): bigint => BigInt(text)
export const optionalBig = (text: string | undefined): bigint | undefined =>
  text === undefined ? undefined : BigInt(text)

/** A counter or a time in whole milliseconds: exact up to 2^53, a fraction is rounded. */
export const count = (value: number): string => Math.round(value).toString()
export const countFrom = (text: string, field: string): number => {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : refuse(field, `${field} is beyond 2^53`)
}

/** Leaves out what is undefined, as an absent optional field. */
export function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function versionedJson(version: number, value: Json): VersionedJson {
  return { version, json: Buffer.from(JSON.stringify(value)) }
}

export interface VersionedValue {
  readonly version: number
  readonly data: Json
}

export function versionedFrom(
  wire: VersionedJson__Output | null | undefined,
  field: string,
): VersionedValue {
  const { version, json } = required(wire, field)
  try {
    return { version, data: JSON.parse(utf8.decode(json)) }
  } catch {
    return refuse(field, `${field} is not JSON`)
  }
}

/** A closed list of words and the enum names that carry them. */
export interface Vocabulary<Word extends string, Name extends string> {
  name(word: Word): Name
  /** Refuses a name that is not in the list, the unspecified one included. */
  word(name: string, field: string): Word
}

export function vocabulary<Word extends string, Name extends string>(
  table: Readonly<Record<Word, Name>>,
): Vocabulary<Word, Name> {
  const words = new Map<string, Word>()
  for (const word of Object.keys(table) as Word[]) words.set(table[word], word)
  return {
    name: (word) => table[word],
    word: (name, field) =>
      words.get(name) ?? refuse(field, `${field} is ${name}, which has no meaning here`),
  }
}

export const yes = (word: 'yes' | 'no'): boolean => word === 'yes'
export const yesFrom = (value: boolean): 'yes' | 'no' => (value ? 'yes' : 'no')
