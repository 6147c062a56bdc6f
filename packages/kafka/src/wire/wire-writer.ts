import { invariant } from '@onceflow/model'

/** `classic`: lengths of fixed width. `flexible`: varint lengths, and tagged fields at the end. */
export type WireForm = 'classic' | 'flexible'

const noTopicId = Buffer.alloc(16)

/** Kafka's primitive types, written one after the other into a buffer that grows. */
export class WireWriter {
  readonly form: WireForm
  private bytes: Buffer
  private at = 0

  constructor(form: WireForm, sizeHint = 256) {
    this.form = form
    this.bytes = Buffer.allocUnsafe(sizeHint)
  }

  finish(): Buffer {
    return this.bytes.subarray(0, this.at)
  }

  int8(value: number): this {
    this.reserve(1)
    this.at = this.bytes.writeInt8(value, this.at)
    return this
  }

  int16(value: number): this {
    this.reserve(2)
    this.at = this.bytes.writeInt16BE(value, this.at)
    return this
  }

  int32(value: number): this {
    this.reserve(4)
    this.at = this.bytes.writeInt32BE(value, this.at)
    return this
  }

  int64(value: bigint): this {
    this.reserve(8)
    this.at = this.bytes.writeBigInt64BE(value, this.at)
    return this
  }

  flag(value: 'yes' | 'no'): this {
    return this.int8(value === 'yes' ? 1 : 0)
  }

  unsignedVarint(value: number): this {
    invariant(Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff, 'varint is 32 bits')
    this.reserve(5)
    let rest = value
    while (rest > 127) {
      this.bytes[this.at++] = (rest & 127) | 128
      rest >>>= 7
    }
    this.bytes[this.at++] = rest
    return this
  }

  string(value: string | null): this {
    if (value === null) return this.length(-1, 'int16')
    const text = Buffer.from(value, 'utf8')
    return this.length(text.length, 'int16').raw(text)
  }

  byteArray(value: Buffer | null): this {
    if (value === null) return this.length(-1, 'int32')
    return this.length(value.length, 'int32').raw(value)
  }

  /** A topic id in its text form of 22 characters; '' is Kafka's 'no id'. */
  topicId(value: string): this {
    const bytes = value === '' ? noTopicId : Buffer.from(value, 'base64url')
    invariant(bytes.length === 16, `a topic id has 16 bytes: ${value}`)
    return this.raw(bytes)
  }

  array<T>(values: readonly T[] | null, write: (value: T) => void): this {
    if (values === null) return this.length(-1, 'int32')
    this.length(values.length, 'int32')
    for (const value of values) write(value)
    return this
  }

  /** Ends a structure: no tagged fields. */
  end(): this {
    return this.form === 'flexible' ? this.unsignedVarint(0) : this
  }

  raw(value: Uint8Array): this {
    this.reserve(value.length)
    this.bytes.set(value, this.at)
    this.at += value.length
    return this
  }

  private length(value: number, classic: 'int16' | 'int32'): this {
    if (this.form === 'flexible') return this.unsignedVarint(value + 1)
    return classic === 'int16' ? this.int16(value) : this.int32(value)
  }

  private reserve(size: number): void {
    if (this.at + size <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.at + size))
    this.bytes.copy(larger, 0, 0, this.at)
    this.bytes = larger
  }
}
