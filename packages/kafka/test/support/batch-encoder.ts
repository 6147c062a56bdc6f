import { gzipSync, zstdCompressSync } from 'node:zlib'
import { crc32c } from '@node-rs/crc32'
import { compressFrameSync } from 'lz4-napi'
import { compressSync } from 'snappy'

export interface TestRecord {
  readonly key?: string | Buffer | null
  readonly value: string | Buffer | null
  readonly timestampMs?: number
  readonly headers?: readonly { readonly key: string; readonly value: string | null }[]
  /** Distance from the batch's base offset; compaction leaves holes. */
  readonly offsetDelta?: number
}

export const codecs = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const
export type Codec = (typeof codecs)[number]

export interface BatchOptions {
  readonly baseOffset?: bigint
  readonly leaderEpoch?: number
  readonly producerId?: bigint
  readonly producerEpoch?: number
  readonly sequence?: number
  readonly transactional?: boolean
  readonly control?: boolean
  readonly logAppendTimeMs?: number
  readonly codec?: Codec
  /** Instead of the delta of the last record. */
  readonly lastOffsetDelta?: number
}

const compressors: { readonly [codec in Codec]: (body: Buffer) => Buffer } = {
  none: (body) => body,
  gzip: (body) => gzipSync(body),
  snappy: (body) => compressSync(body),
  lz4: (body) => compressFrameSync(body),
  zstd: (body) => zstdCompressSync(body),
}

/** One record batch of format 2, as a producer sends it and as a broker stores it. */
export function encodeBatch(records: readonly TestRecord[], options: BatchOptions = {}): Buffer {
  const baseTimestampMs = records[0]?.timestampMs ?? 0
  const body = Buffer.concat(
    records.map((record, index) => encodeRecord(record, { index, baseTimestampMs })),
  )
  const codec = options.codec ?? 'none'
  const packed = compressors[codec](body)
  const batch = Buffer.alloc(61 + packed.length)
  packed.copy(batch, 61)
  const lastDelta = options.lastOffsetDelta ?? records.at(-1)?.offsetDelta ?? records.length - 1
  const maxTimestampMs =
    options.logAppendTimeMs ??
    Math.max(baseTimestampMs, ...records.map((each) => each.timestampMs ?? baseTimestampMs))
  batch.writeBigInt64BE(options.baseOffset ?? 0n, 0)
  batch.writeInt32BE(batch.length - 12, 8)
  batch.writeInt32BE(options.leaderEpoch ?? -1, 12)
  batch.writeInt8(2, 16)
  batch.writeInt16BE(attributesOf(options, codec), 21)
  batch.writeInt32BE(Math.max(lastDelta, 0), 23)
  batch.writeBigInt64BE(BigInt(baseTimestampMs), 27)
  batch.writeBigInt64BE(BigInt(maxTimestampMs), 35)
  batch.writeBigInt64BE(options.producerId ?? -1n, 43)
  batch.writeInt16BE(options.producerEpoch ?? -1, 51)
  batch.writeInt32BE(options.sequence ?? -1, 53)
  batch.writeInt32BE(records.length, 57)
  batch.writeUInt32BE(crc32c(batch.subarray(21)), 17)
  return batch
}

/** The marker that ends a transaction, as the coordinator writes it. */
export function encodeMarker(
  kind: 'abort' | 'commit',
  options: BatchOptions & { readonly producerId: bigint },
): Buffer {
  const key = Buffer.from([0, 0, 0, kind === 'commit' ? 1 : 0])
  const value = Buffer.from([0, 0, 0, 0, 0, 0])
  return encodeBatch([{ key, value }], { ...options, transactional: true, control: true })
}

function attributesOf(options: BatchOptions, codec: Codec): number {
  const appended = options.logAppendTimeMs === undefined ? 0 : 8
  const transactional = options.transactional === true ? 16 : 0
  const control = options.control === true ? 32 : 0
  return codecs.indexOf(codec) | appended | transactional | control
}

function encodeRecord(
  record: TestRecord,
  place: { readonly index: number; readonly baseTimestampMs: number },
): Buffer {
  const timestampMs = record.timestampMs ?? place.baseTimestampMs
  const headers = record.headers ?? []
  const body = Buffer.concat([
    Buffer.from([0]),
    varint(BigInt(timestampMs - place.baseTimestampMs)),
    varint(BigInt(record.offsetDelta ?? place.index)),
    sized(record.key ?? null),
    sized(record.value),
    varint(BigInt(headers.length)),
    ...headers.flatMap((header) => [sized(header.key), sized(header.value)]),
  ])
  return Buffer.concat([varint(BigInt(body.length)), body])
}

function sized(value: string | Buffer | null): Buffer {
  if (value === null) return varint(-1n)
  const bytes = typeof value === 'string' ? Buffer.from(value) : value
  return Buffer.concat([varint(BigInt(bytes.length)), bytes])
}

function varint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n))
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Buffer.from(bytes)
}
