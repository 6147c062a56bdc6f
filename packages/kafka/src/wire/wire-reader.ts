import { fail } from '@onceflow/model'
import type { WireForm } from './wire-writer.ts'

/**
 * Kafka's primitive types, read with every bound checked: what is malformed is a SOURCE_PROTOCOL
 * failure, and never a hang or a value from beyond the end.
 */
export class WireReader {
  readonly form: WireForm
  private readonly bytes: Buffer
  private at = 0

  constructor(form: WireForm, bytes: Buffer) {
    this.form = form
    this.bytes = bytes
  }

  get left(): number {
    return this.bytes.length - this.at
  }

  int8(): number {
    return this.bytes.readInt8(this.take(1))
  }

  int16(): number {
    return this.bytes.readInt16BE(this.take(2))
  }

  int32(): number {
    return this.bytes.readInt32BE(this.take(4))
  }

  int64(): bigint {
    return this.bytes.readBigInt64BE(this.take(8))
  }

  flag(): 'yes' | 'no' {
    return this.int8() === 0 ? 'no' : 'yes'
  }

  unsignedVarint(): number {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.bytes.readUInt8(this.take(1))
      value |= (byte & 127) << shift
      if (byte < 128) return value >>> 0
    }
    return malformed('a varint is longer than five bytes')
  }

  nullableString(): string | null {
    const size = this.length('int16')
    if (size < 0) return null
    const from = this.take(size)
    return this.bytes.toString('utf8', from, from + size)
  }

  string(): string {
    return this.nullableString() ?? malformed('a text that must be there is null')
  }

  /** A view, not a copy. */
  nullableByteArray(): Buffer | null {
    const size = this.length('int32')
    if (size < 0) return null
    const from = this.take(size)
    return this.bytes.subarray(from, from + size)
  }

  /** 22 characters base64url, or '' for Kafka's 'no id'. */
  topicId(): string {
    const from = this.take(16)
    const text = this.bytes.toString('base64url', from, from + 16)
    return text === 'AAAAAAAAAAAAAAAAAAAAAA' ? '' : text
  }

  /** A null array comes as an empty one. */
  array<T>(read: () => T): T[] {
    const count = this.length('int32')
    if (count > this.left) malformed(`an array of ${count} in ${this.left} bytes`)
    const values: T[] = []
    for (let index = 0; index < count; index++) values.push(read())
    return values
  }

  /** Ends a structure; `known` gets each tagged field with a reader of exactly its bytes. */
  end(known?: (tag: number, field: WireReader) => void): void {
    if (this.form === 'classic') return
    const count = this.unsignedVarint()
    if (count > this.left) malformed(`${count} tagged fields in ${this.left} bytes`)
    for (let index = 0; index < count; index++) {
      const tag = this.unsignedVarint()
      const size = this.unsignedVarint()
      const from = this.take(size)
      known?.(tag, new WireReader(this.form, this.bytes.subarray(from, from + size)))
    }
  }

  finish(): void {
    if (this.left !== 0) malformed(`${this.left} bytes are left after the last field`)
  }

  private length(classic: 'int16' | 'int32'): number {
    if (this.form === 'flexible') return this.unsignedVarint() - 1
    return classic === 'int16' ? this.int16() : this.int32()
  }

  private take(size: number): number {
    const from = this.at
    if (from + size > this.bytes.length) malformed(`${size} bytes wanted, ${this.left} are left`)
    this.at = from + size
    return from
  }
}

function malformed(detail: string): never {
  fail('SOURCE_PROTOCOL', { detail: `a broker's answer is malformed: ${detail}` })
}
