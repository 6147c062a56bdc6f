import type { ChangeOrigin, SourceTable } from '@onceflow/model'
import { checkedText, unreadable } from './json-reader.ts'
import { asciiBytes, isNull, MemberTable, memberNamed, startsWithBytes } from './json-walk.ts'
import { textBetween } from './text-decoding.ts'

/** Source tables by name, one object each, so that they can key caches. */
export class SourceTables {
  readonly #tables = new Map<string, SourceTable>()

  intern(schema: string, table: string): SourceTable {
    const key = `${schema}\u0000${table}`
    const known = this.#tables.get(key)
    if (known !== undefined) return known
    const source: SourceTable = { schema, table }
    this.#tables.set(key, source)
    return source
  }
}

const schemaName = asciiBytes('schema')
const databaseName = asciiBytes('db')
const tableName = asciiBytes('table')
const lsnName = asciiBytes('lsn')
const timeName = asciiBytes('ts_ms')

/**
 * Reads the source block of an envelope.
 *
 * Invariants: the names of the last table are kept as the bytes they came in and as the interned
 * table; records of one topic name one table nearly always, so the bytes are compared first.
 */
export class SourceReader {
  /** Filled by the walk over the envelope. */
  readonly members = new MemberTable()
  readonly #tables: SourceTables
  #schemaBytes = new Uint8Array(0)
  #tableBytes = new Uint8Array(0)
  #last: SourceTable | undefined

  constructor(tables: SourceTables) {
    this.#tables = tables
  }

  /** The table: schema.table, or database.table where the source has no schemas. */
  sourceTable(bytes: Uint8Array): SourceTable {
    const members = this.members
    if (members.begin === -1) return unreadable('the record has no source block')
    let schemaAt = memberNamed(bytes, members, schemaName)
    if (schemaAt === -1 || isNull(bytes, members.start(schemaAt))) {
      schemaAt = memberNamed(bytes, members, databaseName)
    }
    const tableAt = memberNamed(bytes, members, tableName)
    if (schemaAt === -1 || tableAt === -1) return unreadable('the source block names no table')
    const isLast =
      spanIs(bytes, this.#span(tableAt), this.#tableBytes) &&
      spanIs(bytes, this.#span(schemaAt), this.#schemaBytes)
    if (isLast && this.#last !== undefined) return this.#last
    const source = this.#tables.intern(
      textOfMember(bytes, this.#span(schemaAt)),
      textOfMember(bytes, this.#span(tableAt)),
    )
    this.#schemaBytes = bytes.slice(members.start(schemaAt), members.valueEnd(schemaAt))
    this.#tableBytes = bytes.slice(members.start(tableAt), members.valueEnd(tableAt))
    this.#last = source
    return source
  }

  origin(bytes: Uint8Array): ChangeOrigin {
    const { members } = this
    const lsnAt = memberNamed(bytes, members, lsnName)
    const timeAt = memberNamed(bytes, members, timeName)
    const time =
      timeAt === -1 ? 0 : smallNumber(bytes, members.start(timeAt), members.valueEnd(timeAt))
    return {
      lsn:
        lsnAt === -1
          ? undefined
          : wholeNumber(bytes, members.start(lsnAt), members.valueEnd(lsnAt)),
      commitTimeMs: Number.isNaN(time) ? 0 : time,
    }
  }

  #span(member: number): Span {
    return { start: this.members.start(member), end: this.members.valueEnd(member) }
  }
}

interface Span {
  readonly start: number
  readonly end: number
}

const spanIs = (bytes: Uint8Array, span: Span, other: Uint8Array): boolean =>
  span.end - span.start === other.length && startsWithBytes(bytes, span.start, other)

function textOfMember(bytes: Uint8Array, span: Span): string {
  const quoted = textBetween(bytes, span.start, span.end)
  if (quoted === undefined || !quoted.startsWith('"')) {
    return unreadable('the source block names no table')
  }
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return checkedText(String(JSON.parse(quoted)))
  } catch {
    return unreadable('the source block names no table')
  }
}

/** As many digits as a double certainly keeps. */
const digitsOfNumberMax = 15

/** Short digits as a number; NaN for everything else. */
function smallNumber(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > digitsOfNumberMax) return Number.NaN
  let value = 0
  for (let at = start; at < end; at++) {
    const digit = (bytes[at] as number) - 0x30
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

/** Digits to bigint; undefined for null and for anything that is not a whole number. */
function wholeNumber(bytes: Uint8Array, start: number, end: number): bigint | undefined {
  const small = smallNumber(bytes, start, end)
  if (!Number.isNaN(small)) return BigInt(small)
  const text = textBetween(bytes, start, end) ?? ''
  return /^-?\d{1,20}$/.test(text) ? BigInt(text) : undefined
}
