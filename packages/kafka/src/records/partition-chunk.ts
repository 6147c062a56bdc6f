import { crc32c } from '@node-rs/crc32'
import { fail, type RecordPosition } from '@onceflow/model'
import type { LogRecord } from '@onceflow/ports'
import type { AbortedTransaction } from '../wire/fetch.ts'
import {
  type BatchHeader,
  batchHeaderBytes,
  batchSpan,
  checksumFrom,
  readBatchHeader,
} from './batch-header.ts'
import { CommittedFilter } from './committed-filter.ts'
import { CompressionError, decompress } from './compression.ts'
import { controlMarker, decodeRecords, RecordFormatError } from './record-decoder.ts'

export interface ChunkPlace {
  readonly topic: string
  readonly partition: number
}

export interface ChunkInput {
  readonly place: ChunkPlace
  readonly bytes: Buffer
  readonly aborted: readonly AbortedTransaction[]
  /** Records below it were delivered before, although they lie in the same batch. */
  readonly fetchOffset: bigint
  readonly unpackedBytesMax: number
}

/** Records up to a batch boundary. */
export interface ChunkPart {
  readonly records: readonly LogRecord[]
  readonly nextOffset: bigint
  readonly leaderEpoch: number
  /** Bytes of unpacked records that the part holds on to. */
  readonly bytes: number
}

/** Where an answer's batches end, found without unpacking: what the next Fetch needs. */
export interface ChunkExtent {
  readonly bytes: number
  readonly nextOffset: bigint
  readonly leaderEpoch: number
}

/** undefined: there is no whole batch in it. Checksums are for PartitionChunk. */
export function chunkExtent(
  input: Pick<ChunkInput, 'bytes' | 'place' | 'fetchOffset'>,
): ChunkExtent | undefined {
  const { bytes, place } = input
  let at = 0
  let extent: ChunkExtent | undefined
  for (;;) {
    const span = batchSpan(bytes, at)
    if (span.kind === 'cut') return extent
    if (span.kind === 'unreadable') {
      return fail('RECORD_CORRUPT', {
        detail: span.detail,
        position: { ...place, offset: extent?.nextOffset ?? input.fetchOffset },
      })
    }
    const nextOffset = span.lastOffset + 1n
    extent = { bytes: span.to, nextOffset, leaderEpoch: bytes.readInt32BE(at + 12) }
    at = span.to
  }
}

/**
 * The batches that one answer held for one partition, unpacked only when they are wanted, so that
 * what waits in a queue is as small as it was on the wire.
 *
 * Invariants: `at` is a batch boundary; every batch is read once and in order; `nextOffset` never
 * goes back.
 */
export class PartitionChunk {
  readonly place: ChunkPlace
  private readonly input: ChunkInput
  private readonly filter: CommittedFilter
  private at = 0
  private nextOffset: bigint
  private leaderEpoch = -1

  constructor(input: ChunkInput) {
    this.place = input.place
    this.input = input
    this.filter = new CommittedFilter(input.aborted)
    this.nextOffset = input.fetchOffset
  }

  get done(): boolean {
    return this.at >= this.input.bytes.length
  }

  /** Unpacks batches until they hold `bytesWanted`; at least one, so that there is progress. */
  read(bytesWanted: number): ChunkPart {
    const records: LogRecord[] = []
    let bytes = 0
    do {
      bytes += this.readBatch(records)
    } while (!this.done && bytes < bytesWanted)
    return { records, nextOffset: this.nextOffset, leaderEpoch: this.leaderEpoch, bytes }
  }

  private readBatch(records: LogRecord[]): number {
    const { bytes, fetchOffset } = this.input
    const header = readBatchHeader(bytes, this.at)
    if (crc32c(bytes.subarray(header.from + checksumFrom, header.to)) !== header.crc) {
      fail('RECORD_CORRUPT', {
        detail: 'the checksum of a batch does not match its content',
        position: this.position(header),
      })
    }
    const held = this.unpack(header, records, fetchOffset)
    this.at = header.to
    this.leaderEpoch = header.leaderEpoch
    if (header.lastOffset >= this.nextOffset) this.nextOffset = header.lastOffset + 1n
    return held
  }

  private unpack(header: BatchHeader, records: LogRecord[], fromOffset: bigint): number {
    const packed = this.input.bytes.subarray(header.from + batchHeaderBytes, header.to)
    try {
      const verdict = this.filter.judge(header, () => controlMarker(header, packed))
      if (verdict === 'skip' || header.count === 0 || header.lastOffset < fromOffset) {
        return packed.length
      }
      const body = decompress(header.codec, packed, this.input.unpackedBytesMax)
      decodeRecords(header, body, { records, fromOffset })
      return body.length
    } catch (cause) {
      return this.refuse(header, cause)
    }
  }

  private refuse(header: BatchHeader, cause: unknown): never {
    const position = this.position(header)
    if (cause instanceof CompressionError && cause.reason === 'too large') {
      return fail('LIMIT_EXCEEDED', { detail: cause.message, position })
    }
    if (cause instanceof CompressionError || cause instanceof RecordFormatError) {
      return fail('RECORD_CORRUPT', { detail: cause.message, position })
    }
    throw cause
  }

  private position(header: BatchHeader): RecordPosition {
    return { ...this.place, offset: header.baseOffset }
  }
}
