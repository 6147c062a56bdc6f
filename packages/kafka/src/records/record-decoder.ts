import type { LogRecord, RecordHeader } from '@onceflow/ports'
import type { BatchHeader } from './batch-header.ts'

/** The records of a batch are not what its header says; the caller knows where it lies. */
export class RecordFormatError extends Error {
  override readonly name = 'RecordFormatError'
}

const noHeaders: readonly RecordHeader[] = []
/** length, attributes, two deltas, and three lengths of at least one byte each. */
const recordBytesMin = 7

/**
 * Reads varints from unpacked records. Beyond the end it reads zeros: what that yields fails the
 * comparison of each record's end with its length.
 */
class RecordCursor {
  readonly bytes: Buffer
  at = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  varint(): number {
    const { bytes } = this
    let byte = bytes[this.at++] as number
    if (byte < 128) return (byte >>> 1) ^ -(byte & 1)
    let raw = byte & 127
    let shift = 7
    do {
      byte = bytes[this.at++] as number
      raw |= (byte & 127) << shift
      shift += 7
    } while (byte >= 128)
    return (raw >>> 1) ^ -(raw & 1)
  }

  /** Up to 53 bits exactly: enough for milliseconds between records. */
  varlong(): number {
    const { bytes } = this
    let byte = bytes[this.at++] as number
    if (byte < 128) return (byte >>> 1) ^ -(byte & 1)
    let raw = byte & 127
    let factor = 128
    do {
      byte = bytes[this.at++] as number
      raw += (byte & 127) * factor
      factor *= 128
    } while (byte >= 128)
    return raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2
  }

  /** A view of the next `size` bytes. */
  view(size: number): Buffer {
    const from = this.at
    this.at = from + size
    return this.bytes.subarray(from, this.at)
  }
}

/** Appends the records at or above `fromOffset`; their keys and values are views into `body`. */
export function decodeRecords(
  header: BatchHeader,
  body: Buffer,
  sink: { readonly records: LogRecord[]; readonly fromOffset: bigint },
): void {
  const { count, baseOffset, baseTimestampMs, maxTimestampMs } = header
  if (count < 0 || count * recordBytesMin > body.length) {
    throw new RecordFormatError(`${count} records are said to be in ${body.length} bytes`)
  }
  const appended = header.timestampType === 'append'
  const skipBelow = Number(sink.fromOffset - baseOffset)
  const cursor = new RecordCursor(body)
  for (let index = 0; index < count; index++) {
    const end = cursor.varint() + cursor.at
    cursor.at++
    const timestampDelta = cursor.varlong()
    const offsetDelta = cursor.varint()
    const keySize = cursor.varint()
    const key = keySize < 0 ? null : cursor.view(keySize)
    const valueSize = cursor.varint()
    const value = valueSize < 0 ? null : cursor.view(valueSize)
    const headerCount = cursor.varint()
    const headers = headerCount === 0 ? noHeaders : decodeHeaders(cursor, headerCount, end)
    if (cursor.at !== end || end > body.length) {
      throw new RecordFormatError(`record ${index} of ${count} does not end where it should`)
    }
    if (offsetDelta < skipBelow) continue
    sink.records.push({
      offset: baseOffset + BigInt(offsetDelta),
      timestampMs: appended ? maxTimestampMs : baseTimestampMs + timestampDelta,
      key,
      value,
      headers,
    })
  }
}

function decodeHeaders(cursor: RecordCursor, count: number, end: number): RecordHeader[] {
  // A header is two lengths at least; so a wrong count ends here and not after a long loop.
  if (count < 0 || count * 2 > end - cursor.at) {
    throw new RecordFormatError(`${count} headers are said to be in a record`)
  }
  const headers: RecordHeader[] = []
  for (let index = 0; index < count; index++) {
    const keySize = cursor.varint()
    if (keySize < 0) throw new RecordFormatError('a header has no key')
    const key = cursor.view(keySize).toString('utf8')
    const valueSize = cursor.varint()
    headers.push({ key, value: valueSize < 0 ? null : cursor.view(valueSize) })
  }
  return headers
}

export type MarkerKind = 'abort' | 'commit' | 'other'

/** What the one record of a control batch says: key = version i16, type i16. */
export function controlMarker(header: BatchHeader, body: Buffer): MarkerKind {
  const records: LogRecord[] = []
  decodeRecords(header, body, { records, fromOffset: header.baseOffset })
  const key = records[0]?.key
  if (key === undefined || key === null || key.length < 4) {
    throw new RecordFormatError('a control batch has no type')
  }
  const type = ((key[2] ?? 0) << 8) | (key[3] ?? 0)
  if (type === 0) return 'abort'
  return type === 1 ? 'commit' : 'other'
}
