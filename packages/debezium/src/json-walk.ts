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

/** From an opening quote to after the closing one. Raw control characters are not JSON. */
export function skipString(bytes: Uint8Array, from: number): number {
  const length = bytes.length
  let at = from + 1
  while (at < length) {
    const byte = bytes[at] as number
    if (byte === quote) return at + 1
    if (byte < 0x20) return malformed
    at += byte === backslash ? 2 : 1
  }
  return malformed
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
  readonly offsets = new Int32Array(membersMax * 4)
  count = 0
  /** After the closing brace. */
  end = 0

  nameStart(member: number): number {
    return this.offsets[member * 4] as number
  }
  nameEnd(member: number): number {
    return this.offsets[member * 4 + 1] as number
  }
  start(member: number): number {
    return this.offsets[member * 4 + 2] as number
  }
  valueEnd(member: number): number {
    return this.offsets[member * 4 + 3] as number
  }
}

export type WalkResult = 'object' | 'malformed'

/** Fills the table with the members of the object that begins at `from` (at its brace). */
export function walkMembers(bytes: Uint8Array, from: number, members: MemberTable): WalkResult {
  members.count = 0
  if (bytes[from] !== openBrace) return 'malformed'
  const at = skipSpace(bytes, from + 1)
  if (bytes[at] === closeBrace) {
    members.end = at + 1
    return 'object'
  }
  return walkMembersFrom(bytes, at, members)
}

/** Goes on with the members of an object whose first ones are known; `from` is at a name. */
export function walkMembersFrom(bytes: Uint8Array, from: number, members: MemberTable): WalkResult {
  const offsets = members.offsets
  let at = from
  while (members.count < membersMax) {
    if (bytes[at] !== quote) return 'malformed'
    const nameEnd = skipString(bytes, at)
    if (nameEnd === malformed) return 'malformed'
    let start = nameEnd
    if (bytes[start] !== colon) start = skipSpace(bytes, start)
    if (bytes[start] !== colon) return 'malformed'
    start = skipSpace(bytes, start + 1)
    const end = skipValue(bytes, start)
    if (end === malformed) return 'malformed'
    const base = members.count++ * 4
    offsets[base] = at + 1
    offsets[base + 1] = nameEnd - 1
    offsets[base + 2] = start
    offsets[base + 3] = end
    at = bytes[end] === comma ? end : skipSpace(bytes, end)
    if (bytes[at] === closeBrace) {
      members.end = at + 1
      return 'object'
    }
    if (bytes[at] !== comma) return 'malformed'
    at = skipSpace(bytes, at + 1)
  }
  return 'malformed'
}

/** Bytes of an ASCII word, to compare with. */
export const asciiBytes = (word: string): Uint8Array =>
  Uint8Array.from(word, (letter) => letter.charCodeAt(0))

export interface ByteSpan {
  readonly start: number
  readonly end: number
}

export function sameBytes(bytes: Uint8Array, span: ByteSpan, other: Uint8Array): boolean {
  if (span.end - span.start !== other.length) return false
  return startsWithBytes(bytes, span.start, other)
}

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
