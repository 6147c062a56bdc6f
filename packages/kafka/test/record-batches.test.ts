import { crc32c } from '@node-rs/crc32'
import { type FailureCode, OnceflowError } from '@onceflow/model'
import { compressSync } from 'snappy'
import { describe, expect, test } from 'vitest'
import { chunkExtent, PartitionChunk } from '../src/records/partition-chunk.ts'
import { codecs, encodeBatch, encodeMarker, type TestRecord } from './support/batch-encoder.ts'

const place = { topic: 'events', partition: 3 }

function chunkOf(bytes: Buffer, fetchOffset = 0n): PartitionChunk {
  return new PartitionChunk({
    place,
    bytes,
    aborted: [],
    fetchOffset,
    unpackedBytesMax: 1024 * 1024,
  })
}

function readAll(bytes: Buffer, fetchOffset = 0n) {
  return chunkOf(bytes, fetchOffset).read(Number.POSITIVE_INFINITY)
}

const text = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : Buffer.from(bytes).toString('utf8')

const codeOf = (step: () => unknown): FailureCode | 'none' => {
  try {
    step()
    return 'none'
  } catch (thrown) {
    if (thrown instanceof OnceflowError) return thrown.failure.code
    throw thrown
  }
}

/** Gives a changed batch the checksum of what it now holds. */
function resealed(batch: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(batch)
  change(copy)
  copy.writeUInt32BE(crc32c(copy.subarray(21)), 17)
  return copy
}

const many: TestRecord[] = Array.from({ length: 300 }, (_none, index) => ({
  key: index % 3 === 0 ? null : `key-${index}`,
  value: index % 7 === 0 ? null : `value ${index} `.repeat(index % 20),
  timestampMs: 1_700_000_000_000 + index * 1_000_003 - 5,
  headers: index % 5 === 0 ? [{ key: 'höhe', value: `${index}` }] : [],
}))

describe('record batches', () => {
  for (const codec of codecs) {
    test(`${codec}: what was encoded comes back, with offsets and times`, () => {
      const part = readAll(encodeBatch(many, { codec, baseOffset: 9_007_199_254_740_993n }))
      expect(part.records.length).toBe(300)
      expect(part.nextOffset).toBe(9_007_199_254_740_993n + 300n)
      for (const [index, record] of part.records.entries()) {
        const sent = many[index]
        expect(record.offset).toBe(9_007_199_254_740_993n + BigInt(index))
        expect(record.timestampMs).toBe(sent?.timestampMs)
        expect(text(record.key)).toBe(sent?.key)
        expect(text(record.value)).toBe(sent?.value)
        expect(record.headers.map(({ key, value }) => [key, text(value)])).toEqual(
          (sent?.headers ?? []).map(({ key, value }) => [key, value]),
        )
      }
    })
  }

  test('snappy in the frame that Java writes around it', () => {
    const plain = encodeBatch(many)
    const body = plain.subarray(61)
    const halves = [body.subarray(0, 1000), body.subarray(1000)].map((half) => compressSync(half))
    const frame = Buffer.concat([
      Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1]),
      ...halves.flatMap((half) => {
        const size = Buffer.alloc(4)
        size.writeInt32BE(half.length)
        return [size, half]
      }),
    ])
    const batch = resealed(Buffer.concat([plain.subarray(0, 61), frame]), (copy) => {
      copy.writeInt32BE(copy.length - 12, 8)
      copy.writeInt16BE(2, 21)
    })
    expect(readAll(batch).records.map((record) => text(record.value))).toEqual(
      many.map((record) => record.value),
    )
  })

  test('with LogAppendTime every record has the time of the batch', () => {
    const batch = encodeBatch(many, { logAppendTimeMs: 1_800_000_000_000 })
    expect(new Set(readAll(batch).records.map((record) => record.timestampMs))).toEqual(
      new Set([1_800_000_000_000]),
    )
  })

  test('compaction leaves holes, and the position moves to the end of the batch', () => {
    const batch = encodeBatch(
      [
        { value: 'a', offsetDelta: 2 },
        { value: 'b', offsetDelta: 5 },
      ],
      { baseOffset: 100n, lastOffsetDelta: 9 },
    )
    const part = readAll(batch)
    expect(part.records.map((record) => record.offset)).toEqual([102n, 105n])
    expect(part.nextOffset).toBe(110n)
    const emptied = readAll(encodeBatch([], { baseOffset: 200n, lastOffsetDelta: 4 }))
    expect([emptied.records.length, emptied.nextOffset]).toEqual([0, 205n])
  })

  test('a fetch from the middle of a batch delivers from there', () => {
    const part = readAll(encodeBatch(many, { baseOffset: 1_000n }), 1_297n)
    expect(part.records.map((record) => record.offset)).toEqual([1_297n, 1_298n, 1_299n])
  })

  test('control batches move the position and deliver nothing', () => {
    const bytes = Buffer.concat([
      encodeMarker('commit', { baseOffset: 5n, producerId: 1n }),
      encodeMarker('abort', { baseOffset: 6n, producerId: 2n, leaderEpoch: 4 }),
    ])
    const part = readAll(bytes, 5n)
    expect([part.records.length, part.nextOffset, part.leaderEpoch]).toEqual([0, 7n, 4])
  })

  test('a read ends at a batch boundary once it has enough', () => {
    const bytes = Buffer.concat([
      encodeBatch(many, { baseOffset: 0n }),
      encodeBatch(many, { baseOffset: 300n, codec: 'zstd' }),
    ])
    const chunk = chunkOf(bytes)
    expect(chunk.read(1).nextOffset).toBe(300n)
    expect(chunk.done).toBe(false)
    expect(chunk.read(1).records[0]?.offset).toBe(300n)
    expect(chunk.done).toBe(true)
  })

  test('the extent ends before a batch that is cut', () => {
    const first = encodeBatch(many, { baseOffset: 7n, leaderEpoch: 2 })
    const bytes = Buffer.concat([first, encodeBatch(many, { baseOffset: 307n })])
    const cut = { place, fetchOffset: 7n }
    expect(chunkExtent({ ...cut, bytes: bytes.subarray(0, bytes.length - 1) })).toEqual({
      bytes: first.length,
      nextOffset: 307n,
      leaderEpoch: 2,
    })
    expect(chunkExtent({ ...cut, bytes: first.subarray(0, 70) })).toBeUndefined()
    expect(chunkExtent({ ...cut, bytes: first.subarray(0, 5) })).toBeUndefined()
  })
})

describe('batches that cannot be read', () => {
  const batch = encodeBatch(many)

  test('a flipped bit anywhere is found by the checksum', () => {
    for (const at of [21, 30, 60, 61, 500, batch.length - 1]) {
      const copy = Buffer.from(batch)
      copy.writeUInt8(copy.readUInt8(at) ^ 4, at)
      expect(codeOf(() => readAll(copy))).toBe('RECORD_CORRUPT')
    }
  })

  test('the failure names the place', () => {
    const copy = encodeBatch(many, { baseOffset: 42n })
    copy.writeUInt8(copy.readUInt8(80) ^ 1, 80)
    expect(() => readAll(copy)).toThrowError(/events\/3@42/)
  })

  test('an older message format, and a length that cannot be, are refused', () => {
    const old = Buffer.from(batch)
    old.writeInt8(1, 16)
    expect(codeOf(() => chunkExtent({ bytes: old, place, fetchOffset: 0n }))).toBe('RECORD_CORRUPT')
    const short = Buffer.from(batch)
    short.writeInt32BE(3, 8)
    expect(codeOf(() => chunkExtent({ bytes: short, place, fetchOffset: 0n }))).toBe(
      'RECORD_CORRUPT',
    )
  })

  test('counts and lengths that do not fit end at once', () => {
    const changes: readonly ((copy: Buffer) => void)[] = [
      (copy) => copy.writeInt32BE(2_000_000_000, 57),
      (copy) => copy.writeInt32BE(-1, 57),
      (copy) => copy.writeInt32BE(301, 57),
      (copy) => copy.fill(0xff, 61),
      (copy) => copy.fill(0x7f, 61),
      (copy) => copy.writeUInt8(copy.readUInt8(61) + 2, 61),
    ]
    for (const change of changes) {
      expect(codeOf(() => readAll(resealed(batch, change)))).toBe('RECORD_CORRUPT')
    }
  })

  test('a codec that is not known, and packed bytes that are not of theirs', () => {
    for (const codec of [1, 2, 3, 4, 5, 6, 7]) {
      const copy = resealed(batch, (bytes) => bytes.writeInt16BE(codec, 21))
      expect(
        codeOf(() => readAll(copy)),
        `codec ${codec}`,
      ).toBe('RECORD_CORRUPT')
    }
  })

  for (const codec of codecs.filter((each) => each !== 'none')) {
    test(`${codec}: a batch that grows beyond the limit is refused`, () => {
      const bomb = encodeBatch([{ value: Buffer.alloc(8 * 1024 * 1024) }], { codec })
      expect(bomb.length).toBeLessThan(1024 * 1024)
      expect(codeOf(() => readAll(bomb))).toBe('LIMIT_EXCEEDED')
    })
  }
})
