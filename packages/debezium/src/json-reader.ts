import { fail } from '@onceflow/model'

export type JsonKind = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array'

export const unreadable = (detail: string): never => fail('RECORD_UNREADABLE', { detail })

/**
 * Reads JSON values out of text, one after the other, each as a kind and a text: of a string its
 * content, of a number its digits as they stand, of an object or array its own JSON. Nothing passes
 * through a JavaScript number, so no digit is lost.
 *
 * Invariants: `at` is after what was read last; `slash` is the first backslash at or after the
 * place that was last looked at, so that a text without escapes is searched for them only once.
 */
export class JsonReader {
  #text = ''
  #slash = -1
  at = 0
  kind: JsonKind = 'null'
  raw = ''

  open(text: string): this {
    this.#text = text
    this.#slash = -1
    this.at = 0
    return this
  }

  /** Code of the next character that is not white space; NaN at the end. */
  peek(): number {
    const text = this.#text
    for (;;) {
      const code = text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code
      this.at++
    }
  }

  /** Moves over the text when it stands here, such as the next member's name and colon. */
  skipText(expected: string): 'skipped' | 'other' {
    if (!this.#text.startsWith(expected, this.at)) return 'other'
    this.at += expected.length
    return 'skipped'
  }

  skipCode(code: number, what: string): void {
    if (this.peek() !== code) unreadable(`the record's JSON lacks ${what}`)
    this.at++
  }

  expectEnd(): void {
    this.peek()
    if (this.at !== this.#text.length) unreadable("the record's JSON goes on after its end")
  }

  /** A member's name; its own text with quotes and colon is `lead`. */
  readName(): { readonly name: string; readonly lead: string } {
    if (this.peek() !== 0x22) unreadable("the record's JSON lacks a member's name")
    const from = this.at
    const name = this.#readString()
    this.skipCode(0x3a, 'a colon')
    return { name, lead: this.#text.substring(from, this.at) }
  }

  readValue(): void {
    const code = this.peek()
    if (code === 0x22) {
      this.kind = 'string'
      this.raw = this.#readString()
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      this.kind = 'number'
      this.raw = this.#readNumber()
    } else if (code === 0x7b || code === 0x5b) {
      this.kind = code === 0x7b ? 'object' : 'array'
      this.raw = this.#readNested()
    } else {
      this.#readWord(code)
    }
  }

  /** Moves over a value that nobody wants: its content is not looked at. */
  skipValue(): void {
    if (this.peek() === 0x22) this.at = this.#stringEnd(this.at) + 1
    else this.readValue()
  }

  #readWord(code: number): void {
    const word = code === 0x6e ? 'null' : code === 0x74 ? 'true' : 'false'
    if (this.skipText(word) === 'other')
      unreadable("the record's JSON holds no value where one is due")
    this.kind = code === 0x6e ? 'null' : 'boolean'
    this.raw = word
  }

  #readNumber(): string {
    const text = this.#text
    const from = this.at
    let at = from + 1
    for (;;) {
      const code = text.charCodeAt(at)
      const isDigit = code >= 0x30 && code <= 0x39
      const isOther = code === 0x2e || code === 0x2d || code === 0x2b || (code | 0x20) === 0x65
      if (!isDigit && !isOther) break
      at++
    }
    this.at = at
    return text.substring(from, at)
  }

  /** At an opening quote; gives the content, unescaped. */
  #readString(): string {
    const from = this.at
    const end = this.#stringEnd(from)
    this.at = end + 1
    if (this.#slash > end || this.#slash < from) return this.#text.substring(from + 1, end)
    return unescaped(this.#text.substring(from, end + 1))
  }

  /**
   * The place of the closing quote. Afterwards #slash is the first backslash of the string, or
   * beyond it.
   */
  #stringEnd(from: number): number {
    const text = this.#text
    let quote = text.indexOf('"', from + 1)
    if (this.#slash <= from) this.#slash = nextBackslash(text, from)
    if (quote !== -1 && this.#slash > quote) return quote
    let slash = this.#slash
    while (quote !== -1) {
      if (slash > quote) return quote
      const after = slash + 2
      if (quote < after) quote = text.indexOf('"', after)
      slash = nextBackslash(text, after)
    }
    return unreadable("the record's JSON holds a string without end")
  }

  /** The brackets match and strings end: the walk over the bytes has made sure of it. */
  #readNested(): string {
    const text = this.#text
    const from = this.at
    let depth = 0
    let at = from
    while (at < text.length) {
      const code = text.charCodeAt(at)
      if (code === 0x22) {
        at = this.#stringEnd(at)
      } else if (code === 0x7b || code === 0x5b) {
        depth++
      } else if (code === 0x7d || code === 0x5d) {
        depth--
        if (depth === 0) {
          this.at = at + 1
          return text.substring(from, this.at)
        }
      }
      at++
    }
    return unreadable("the record's JSON holds an object without end")
  }
}

/** Longer than any string of the engine. */
const beyondAnyText = 0x3fff_ffff

const nextBackslash = (text: string, from: number): number => {
  const at = text.indexOf('\\', from)
  return at === -1 ? beyondAnyText : at
}

/** A string with escapes: the engine's own parser is exact for strings. */
export function unescaped(quoted: string): string {
  let text: unknown
  try {
    text = JSON.parse(quoted)
  } catch {
    return unreadable("the record's JSON holds a string with a wrong escape")
  }
  return quoted.includes('\\u') ? checkedText(String(text)) : String(text)
}

/** PostgreSQL stores no U+0000, and half of a surrogate pair is no character. */
export function checkedText(text: string): string {
  if (text.includes('\u0000')) {
    return fail('VALUE_INVALID', { detail: 'the text holds U+0000, which PostgreSQL cannot store' })
  }
  if (!text.isWellFormed()) {
    return fail('VALUE_INVALID', { detail: 'the text holds half of a surrogate pair' })
  }
  return text
}

export interface JsonValue {
  readonly kind: JsonKind
  readonly raw: string
}

/** The members of a small object, such as a point or a decimal with its own scale. */
export function membersOfObject(raw: string): ReadonlyMap<string, JsonValue> {
  const members = new Map<string, JsonValue>()
  const reader = new JsonReader().open(raw)
  reader.skipCode(0x7b, 'an object')
  for (let code = reader.peek(); code !== 0x7d; code = reader.peek()) {
    if (members.size > 0) reader.skipCode(0x2c, 'a comma')
    const { name } = reader.readName()
    reader.readValue()
    members.set(name, { kind: reader.kind, raw: reader.raw })
  }
  return members
}

/** Calls back for each element of an array. */
export function eachElement(raw: string, take: (kind: JsonKind, raw: string) => void): void {
  const reader = new JsonReader().open(raw)
  reader.skipCode(0x5b, 'an array')
  for (let count = 0; reader.peek() !== 0x5d; count++) {
    if (count > 0) reader.skipCode(0x2c, 'a comma')
    reader.readValue()
    take(reader.kind, reader.raw)
  }
}
