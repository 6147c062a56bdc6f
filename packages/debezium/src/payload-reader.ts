import { looksLikeSchema, parseWireSchema, type WireSchema } from './connect-schema.ts'
import { unreadable } from './json-reader.ts'
import {
  asciiBytes,
  type InnerMember,
  isNull,
  MemberTable,
  malformed,
  memberNamed,
  skipSpace,
  skipValue,
  startsWithBytes,
} from './json-walk.ts'
import { textBetween } from './text-decoding.ts'

/** A schema that records carry; one object for one text, so that it can key caches. */
export interface SchemaEntry {
  readonly schema: WireSchema
}

/** Schemas that are kept at once: keys and values of a thousand tables. */
const schemasMax = 2000

/** Schemas by their text, parsed once; a text that is no schema is remembered too. */
export class SchemaCache {
  readonly #entries = new Map<string, SchemaEntry | 'not-a-schema'>()

  entryOf(text: string): SchemaEntry | 'not-a-schema' {
    const known = this.#entries.get(text)
    if (known !== undefined) return known
    if (this.#entries.size >= schemasMax) this.#entries.clear()
    const entry = parseEntry(text)
    this.#entries.set(text, entry)
    return entry
  }
}

function parseEntry(text: string): SchemaEntry | 'not-a-schema' {
  if (looksLikeSchema(text) === 'other') return 'not-a-schema'
  const schema = parseWireSchema(text)
  return schema === undefined ? 'not-a-schema' : { schema }
}

/** The bytes before the payload, equal in every record of a table until its schema changes. */
export interface PrefixHint {
  readonly text: string
  readonly bytes: number
  readonly entry: SchemaEntry
}

const schemaName = asciiBytes('schema')
const payloadName = asciiBytes('payload')
const payloadLead = asciiBytes(',"payload":')

export type PayloadKind = 'object' | 'null' | 'scalar'

/**
 * Finds the payload of a key or a value, with or without schema, and walks the payload's members.
 *
 * Invariants: after open() gave 'object', members holds the payload's members, start and end bound
 * it, and schema is its schema or undefined. A record with inline schema costs a comparison with
 * the prefix of the record before it, not a parse: hint is that prefix.
 */
export class PayloadReader {
  readonly members: MemberTable
  readonly #schemas: SchemaCache
  schema: SchemaEntry | undefined
  start = 0
  end = 0
  hint: PrefixHint | undefined

  constructor(schemas: SchemaCache, inner: readonly InnerMember[] = []) {
    this.#schemas = schemas
    this.members = new MemberTable(inner)
  }

  open(bytes: Uint8Array, hint: PrefixHint | undefined): PayloadKind {
    this.hint = hint
    if (hint !== undefined && this.#hasPrefix(bytes, hint)) {
      this.schema = hint.entry
      const kind = this.#openPayload(bytes, skipSpace(bytes, hint.bytes + payloadLead.length))
      const close = skipSpace(bytes, this.end)
      if (bytes[close] !== 0x7d) unreadable('the record is not a schema and a payload')
      this.#expectEnd(bytes, close + 1)
      return kind
    }
    this.schema = undefined
    const kind = this.#openPayload(bytes, skipSpace(bytes, 0))
    this.#expectEnd(bytes, this.end)
    return kind === 'object' && this.members.count === 2 ? this.#unwrap(bytes) : kind
  }

  #hasPrefix(bytes: Uint8Array, hint: PrefixHint): boolean {
    if (!startsWithBytes(bytes, hint.bytes, payloadLead)) return false
    return textBetween(bytes, 0, hint.bytes) === hint.text
  }

  #expectEnd(bytes: Uint8Array, from: number): void {
    if (skipSpace(bytes, from) !== bytes.length) unreadable('the record goes on after its JSON')
  }

  #openPayload(bytes: Uint8Array, start: number): PayloadKind {
    this.start = start
    if (bytes[start] === 0x7b) {
      if (this.members.walk(bytes, start) === 'malformed') {
        unreadable('the record is not a JSON object')
      }
      this.end = this.members.end
      return 'object'
    }
    this.end = skipValue(bytes, start)
    if (this.end === malformed) unreadable('the record is not JSON')
    return isNull(bytes, start) ? 'null' : 'scalar'
  }

  /** Two members named schema and payload, and the first is null or has a Connect type's name. */
  #unwrap(bytes: Uint8Array): PayloadKind {
    const { members } = this
    const schemaAt = memberNamed(bytes, members, schemaName)
    const payloadAt = memberNamed(bytes, members, payloadName)
    if (schemaAt === -1 || payloadAt === -1) return 'object'
    const schemaStart = members.start(schemaAt)
    const payloadStart = members.start(payloadAt)
    if (isNull(bytes, schemaStart)) return this.#openPayload(bytes, payloadStart)
    const schemaEnd = members.valueEnd(schemaAt)
    if (bytes[schemaStart] !== 0x7b) return 'object'
    const text = textBetween(bytes, schemaStart, schemaEnd)
    if (text === undefined) return unreadable('the record is not UTF-8')
    const entry = this.#schemas.entryOf(text)
    if (entry === 'not-a-schema') return 'object'
    this.schema = entry
    this.#remember(bytes, { end: schemaEnd, entry })
    return this.#openPayload(bytes, payloadStart)
  }

  #remember(
    bytes: Uint8Array,
    { end, entry }: { readonly end: number; readonly entry: SchemaEntry },
  ): void {
    if (!startsWithBytes(bytes, end, payloadLead)) return
    const text = textBetween(bytes, 0, end)
    if (text !== undefined) this.hint = { text, bytes: end, entry }
  }
}
