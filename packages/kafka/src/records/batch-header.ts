/**
 * A record batch of format 2, as it lies in a log segment and in a Fetch answer:
 *
 *   0 baseOffset i64 | 8 length i32 | 12 leaderEpoch i32 | 16 magic i8 | 17 crc u32 |
 *   21 attributes i16 | 23 lastOffsetDelta i32 | 27 baseTimestamp i64 | 35 maxTimestamp i64 |
 *   43 producerId i64 | 51 producerEpoch i16 | 53 baseSequence i32 | 57 count i32 | 61 records
 *
 * length counts from byte 12; the checksum covers everything from byte 21; what follows byte 61 is
 * compressed as a whole.
 */
export interface BatchHeader {
  readonly baseOffset: bigint
  readonly lastOffset: bigint
  readonly leaderEpoch: number
  readonly crc: number
  readonly codec: number
  readonly timestampType: 'create' | 'append'
  readonly transactional: 'yes' | 'no'
  readonly control: 'yes' | 'no'
  readonly baseTimestampMs: number
  readonly maxTimestampMs: number
  readonly producerId: bigint
  readonly count: number
  /** Where the batch lies in the bytes that were looked at. */
  readonly from: number
  readonly to: number
}

export const batchHeaderBytes = 61
export const checksumFrom = 21
const lengthEnd = 12
const magicAt = 16

/**
 * complete: `to` is its end. cut: the answer ends within the batch, which is normal for the last
 * one. unreadable: not a batch of format 2.
 */
export type BatchSpan =
  | { readonly kind: 'complete'; readonly to: number; readonly lastOffset: bigint }
  | { readonly kind: 'cut' }
  | { readonly kind: 'unreadable'; readonly detail: string }

export function batchSpan(bytes: Buffer, from: number): BatchSpan {
  if (from + lengthEnd > bytes.length) return { kind: 'cut' }
  const length = bytes.readInt32BE(from + 8)
  if (length < batchHeaderBytes - lengthEnd) {
    return { kind: 'unreadable', detail: `a batch says that it is ${length} bytes long` }
  }
  const to = from + lengthEnd + length
  if (to > bytes.length) return { kind: 'cut' }
  const magic = bytes.readInt8(from + magicAt)
  if (magic !== 2) {
    return { kind: 'unreadable', detail: `a batch has message format ${magic}, not 2` }
  }
  const lastOffset = bytes.readBigInt64BE(from) + BigInt(bytes.readInt32BE(from + 23))
  return { kind: 'complete', to, lastOffset }
}

/** The header of a batch whose span is complete. */
export function readBatchHeader(bytes: Buffer, from: number): BatchHeader {
  const attributes = bytes.readInt16BE(from + 21)
  const baseOffset = bytes.readBigInt64BE(from)
  return {
    baseOffset,
    lastOffset: baseOffset + BigInt(bytes.readInt32BE(from + 23)),
    leaderEpoch: bytes.readInt32BE(from + 12),
    crc: bytes.readUInt32BE(from + 17),
    codec: attributes & 7,
    timestampType: (attributes & 8) === 0 ? 'create' : 'append',
    transactional: (attributes & 16) === 0 ? 'no' : 'yes',
    control: (attributes & 32) === 0 ? 'no' : 'yes',
    baseTimestampMs: Number(bytes.readBigInt64BE(from + 27)),
    maxTimestampMs: Number(bytes.readBigInt64BE(from + 35)),
    producerId: bytes.readBigInt64BE(from + 43),
    count: bytes.readInt32BE(from + 57),
    from,
    to: from + lengthEnd + bytes.readInt32BE(from + 8),
  }
}
