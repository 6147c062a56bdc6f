import { offset } from '@onceflow/model'
import type { RecordBatch } from '@onceflow/ports'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { slicesOf } from '../src/batch-slices.ts'

const place = { topic: 't', topicId: 'i', partition: 3 }

function batchOf(gaps: readonly number[], sizes: readonly number[]): RecordBatch {
  let at = 100n
  const records = gaps.map((gap, index) => {
    at += BigInt(gap)
    const value = new Uint8Array(sizes[index % Math.max(1, sizes.length)] ?? 0)
    const record = { offset: at, timestampMs: 0, key: null, value, headers: [] }
    at += 1n
    return record
  })
  const bytes = records.reduce((sum, { value }) => sum + value.byteLength, 0)
  return { ...place, records, next: { ...place, offset: offset(at + 5n), leaderEpoch: 2 }, bytes }
}

test('slices hold every record once, in order, within the limits, and end where the batch ends', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 60 }),
      fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 20 }),
      (gaps, sizes, sliceRecordsMax) => {
        const batch = batchOf(gaps, sizes)
        const slices = slicesOf(batch, { sliceRecordsMax, sliceBytesMax: 100 })
        expect(slices.flatMap(({ records }) => records)).toEqual(batch.records)
        expect(slices.at(-1)?.next).toEqual(batch.next)
        expect(slices.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(batch.bytes)
        for (const [index, slice] of slices.entries()) {
          expect(slice.records.length).toBeLessThanOrEqual(sliceRecordsMax)
          expect(slice.bytes).toBeLessThan(100 + 40)
          const following = slices[index + 1]?.records[0]
          if (following !== undefined) expect(slice.next.offset).toBe(following.offset)
        }
      },
    ),
  )
})

test('a batch without records still moves the position', () => {
  const batch = batchOf([], [])
  expect(slicesOf(batch, { sliceRecordsMax: 1, sliceBytesMax: 1 })).toEqual([batch])
})
