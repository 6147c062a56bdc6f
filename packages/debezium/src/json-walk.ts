/**
 * Walks JSON as bytes, without building values: where a value ends, and where the members of an
 * object lie. Strings are skipped by their own rules, so a quote, a brace or a member name inside a
 * string or a nested value is never taken for one of the level that is walked. Parts that nobody
 * reads are checked only for strings that end and brackets that match.
 */

/** Deeper nesting is refused: a record could otherwise be made to exhaust the stack. */
export const depthMax = 64
/** More members than this on one level are refused: PostgreSQL has at most 1,664 columns. */
export const membersMax = 2048

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** Result of a walk over bytes that are not the JSON that was expected. */
export const malformed = -1

export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from
  for (;;) {
    const byte = bytes[at]
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at
    at++
  }
}

/** Whether a string that was skipped since the caller last set this to 0 held a backslash. */
let escapesSeen = 0

/** From an opening quote to after the closing one. Raw control characters are not JSON. */
export function skipString(bytes: Uint8Array, from: number): number {
  let at = from + 1
  for (;;) {
    const byte = bytes[at]
    if (byte === undefined) return malformed
    // Nearly every byte of a record passes here, so the common case is asked for first.
    if (byte > quote && byte !== backslash) {
      at++
    } else if (byte === quote) {
      return at + 1
    } else if (byte === backslash) {
      escapesSeen = 1
      at += 2
    } else if (byte >= 0x20) {
      at++
    } else {
      return malformed
    }
  }
}

/** Numbers and the three words: up to what cannot belong to them. The reader checks the rest. */
function skipBare(bytes: Uint8Array, from: number): number {
  let at = from
  for (;;) {
    const byte = bytes[at]
    if (byte === undefined) break
    const isDigitLike = byte >= 0x2b && byte <= 0x39 && byte !== comma && byte !== 0x2f
    const isLetter = (byte >= 0x61 && byte <= 0x7a) || byte === 0x45
    if (!isDigitLike && !isLetter) break
    at++
  }
  return at === from ? malformed : at
}

const closers = new Uint8Array(depthMax + 1)

function skipNested(bytes: Uint8Array, from: number): number {
  const length = bytes.length
  let depth = 0
  let at = from
  while (at < length) {
    const byte = bytes[at] as number
    if (byte === quote) {
      at = skipString(bytes, at)
      if (at === malformed) return malformed
      continue
    }
    if (byte === openBrace || byte === openBracket) {
      if (depth === depthMax) return malformed
      closers[depth++] = byte + 2
    } else if (byte === closeBrace || byte === closeBracket) {
      depth--
      if (closers[depth] !== byte) return malformed
      if (depth === 0) return at + 1
    }
    at++
  }
  return malformed
}

/** From the first byte of a value to after its last. */
export function skipValue(bytes: Uint8Array, from: number): number {
  const first = bytes[from]
  if (first === quote) return skipString(bytes, from)
  if (first === openBrace || first === openBracket) return skipNested(bytes, from)
  return skipBare(bytes, from)
}

/**
 * The members of one object: four offsets each, of the name without its quotes and of the value.
 * One table is reused for every record; it is valid until its next walk.
 */
export class MemberTable {
  readonly #offsets = new Int32Array(membersMax * 4)
  readonly #escapes = new Uint8Array(membersMax)
  /** Members whose own members are wanted too: they are walked in passing, not a second time. */
  readonly #inner: readonly InnerMember[]
  count = 0
  /** Place of the opening brace; -1: an inner table whose member was not there, or no object. */
  begin = -1
  /** After the closing brace. */
  end = 0

  constructor(inner: readonly InnerMember[] = []) {
    this.#inner = inner
  }

  nameStart(member: number): number {
    return this.#offsets[member * 4] as number
  }
  nameEnd(member: number): number {
    return this.#offsets[member * 4 + 1] as number
  }
  start(member: number): number {
    return this.#offsets[member * 4 + 2] as number
  }
  valueEnd(member: number): number {
    return this.#offsets[member * 4 + 3] as number
  }
  /** The value is a string that holds a backslash. */
  isEscaped(member: number): boolean {
    return this.#escapes[member] === 1
  }

  /** Fills the table with the members of the object that begins at `from` (at its brace). */
  walk(bytes: Uint8Array, from: number): WalkResult {
    this.count = 0
    this.begin = -1
    if (this.#inner.length > 0) this.#forgetInner()
    if (bytes[from] !== openBrace) return 'malformed'
    const at = skipSpace(bytes, from + 1)
    if (bytes[at] === closeBrace) this.end = at + 1
    else if (this.#walkMembers(bytes, at) === 'malformed') return 'malformed'
    this.begin = from
    return 'object'
  }

  #forgetInner(): void {
    for (const { table } of this.#inner) table.begin = -1
  }

  #walkMembers(bytes: Uint8Array, from: number): WalkResult {
    const offsets = this.#offsets
    let at = from
    for (let count = 0; count < membersMax; count++) {
      if (bytes[at] !== quote) return 'malformed'
      const nameEnd = skipString(bytes, at)
      if (nameEnd === malformed) return 'malformed'
      let start = nameEnd
      if (bytes[start] !== colon) start = skipSpace(bytes, start)
      if (bytes[start] !== colon) return 'malformed'
      start++
      if ((bytes[start] as number) <= 0x20) start = skipSpace(bytes, start)
      const base = count * 4
      offsets[base] = at + 1
      offsets[base + 1] = nameEnd - 1
      offsets[base + 2] = start
      let end: number
      if (bytes[start] === quote) {
        escapesSeen = 0
        end = skipString(bytes, start)
        this.#escapes[count] = escapesSeen
      } else {
        end = this.#skipOther(bytes, start, count)
      }
      if (end === malformed) return 'malformed'
      offsets[base + 3] = end
      at = bytes[end] === comma ? end : skipSpace(bytes, end)
      if (bytes[at] !== comma) {
        if (bytes[at] !== closeBrace) return 'malformed'
        this.count = count + 1
        this.end = at + 1
        return 'object'
      }
      at++
      if (bytes[at] !== quote) at = skipSpace(bytes, at)
    }
    return 'malformed'
  }

  #skipOther(bytes: Uint8Array, start: number, member: number): number {
    if (bytes[start] !== openBrace || this.#inner.length === 0) return skipValue(bytes, start)
    const inner = this.#innerOf(bytes, member)
    if (inner === undefined) return skipValue(bytes, start)
    return inner.walk(bytes, start) === 'object' ? inner.end : malformed
  }

  /** Of a member that comes twice the first counts, as in memberNamed. */
  #innerOf(bytes: Uint8Array, member: number): MemberTable | undefined {
    const start = this.nameStart(member)
    const length = this.nameEnd(member) - start
    for (const { name, table } of this.#inner) {
      if (name.length !== length || !startsWithBytes(bytes, start, name)) continue
      return table.begin === -1 ? table : undefined
    }
    return undefined
  }
}

export interface InnerMember {
  readonly name: Uint8Array
  readonly table: MemberTable
}

export type WalkResult = 'object' | 'malformed'

/** Bytes of an ASCII word, to compare with. */
export const asciiBytes = (word: string): Uint8Array =>
  Uint8Array.from(word, (letter) => letter.charCodeAt(0))

export function startsWithBytes(bytes: Uint8Array, from: number, other: Uint8Array): boolean {
  for (let i = 0; i < other.length; i++) if (bytes[from + i] !== other[i]) return false
  return true
}

/** The place of a member by its name, or -1; names are compared as bytes, unescaped. */
export function memberNamed(bytes: Uint8Array, members: MemberTable, name: Uint8Array): number {
  for (let i = 0; i < members.count; i++) {
    const start = members.nameStart(i)
    if (members.nameEnd(i) - start === name.length && startsWithBytes(bytes, start, name)) return i
  }
  return -1
}

const nullWord = asciiBytes('null')

export const isNull = (bytes: Uint8Array, start: number): boolean =>
  bytes[start] === 0x6e && startsWithBytes(bytes, start, nullWord)
