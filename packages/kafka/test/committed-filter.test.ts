import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chunkExtent, PartitionChunk } from '../src/records/partition-chunk.ts'
import type { AbortedTransaction } from '../src/wire/fetch.ts'
import { encodeBatch, encodeMarker } from './support/batch-encoder.ts'

type Step =
  | { readonly kind: 'write'; readonly producer: number; readonly count: number }
  | { readonly kind: 'plain'; readonly count: number }
  | { readonly kind: 'end'; readonly producer: number; readonly how: 'commit' | 'abort' }
  /** Compaction: a batch of which nothing is left but its place. */
  | { readonly kind: 'emptied'; readonly count: number }

interface StoredBatch {
  readonly bytes: Buffer
  readonly baseOffset: bigint
  readonly lastOffset: bigint
}

interface Model {
  readonly batches: StoredBatch[]
  /** Offsets that a read_committed reader must get, by the outcome of each transaction. */
  readonly committed: bigint[]
  readonly aborted: (AbortedTransaction & { readonly lastOffset: bigint })[]
  readonly lastStableOffset: bigint
}

interface OpenTransaction {
  readonly firstOffset: bigint
  readonly offsets: bigint[]
}

/** A log as brokers write it, and beside it what each offset's transaction came to. */
function writeLog(steps: readonly Step[]): Model {
  const batches: StoredBatch[] = []
  const aborted: Model['aborted'] = []
  const committed: bigint[] = []
  const open = new Map<number, OpenTransaction>()
  let next = 0n
  const store = (bytes: Buffer, count: number): bigint[] => {
    const offsets = Array.from({ length: count }, (_none, index) => next + BigInt(index))
    batches.push({ bytes, baseOffset: next, lastOffset: next + BigInt(count) - 1n })
    next += BigInt(count)
    return offsets
  }
  const values = (count: number) => Array.from({ length: count }, () => ({ value: 'v' }))
  for (const step of steps) {
    switch (step.kind) {
      case 'plain':
        committed.push(...store(encodeBatch(values(step.count), { baseOffset: next }), step.count))
        break
      case 'emptied': {
        const options = { baseOffset: next, lastOffsetDelta: step.count - 1 }
        store(encodeBatch([], options), step.count)
        break
      }
      case 'write': {
        const transaction = open.get(step.producer) ?? { firstOffset: next, offsets: [] }
        open.set(step.producer, transaction)
        const options = {
          baseOffset: next,
          producerId: BigInt(step.producer),
          transactional: true,
        }
        transaction.offsets.push(...store(encodeBatch(values(step.count), options), step.count))
        break
      }
      case 'end': {
        const transaction = open.get(step.producer)
        if (transaction === undefined) break
        open.delete(step.producer)
        const producerId = BigInt(step.producer)
        const [marker = next] = store(encodeMarker(step.how, { baseOffset: next, producerId }), 1)
        if (step.how === 'commit') committed.push(...transaction.offsets)
        else {
          const { firstOffset } = transaction
          aborted.push({ producerId, firstOffset, lastOffset: marker })
        }
      }
    }
  }
  const starts = [...open.values()].map((transaction) => transaction.firstOffset)
  const [lastStableOffset = next] = starts.toSorted((a, b) => Number(a - b))
  return { batches, committed, aborted, lastStableOffset }
}

/** What a broker answers: batches from the one with the offset on, and the aborted list for them. */
function answer(model: Model, from: bigint, batchesMax: number) {
  const readable = model.batches.filter(
    (batch) => batch.lastOffset >= from && batch.lastOffset < model.lastStableOffset,
  )
  const given = readable.slice(0, batchesMax)
  const upper = (given.at(-1)?.lastOffset ?? from) + 1n
  const aborted = model.aborted.filter(
    (transaction) => transaction.lastOffset >= from && transaction.firstOffset < upper,
  )
  return { bytes: Buffer.concat(given.map((batch) => batch.bytes)), aborted }
}

const producer = fc.integer({ min: 1, max: 3 })
const count = fc.integer({ min: 1, max: 4 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('write' as const), producer, count }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('plain' as const), count }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('emptied' as const), count }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      producer,
      how: fc.constantFrom('commit' as const, 'abort' as const),
    }),
  },
)

test('from any offset, in answers of any size: exactly the committed records, each once', () => {
  fc.assert(
    fc.property(
      fc.record({
        steps: fc.array(step, { maxLength: 60, size: 'max' }),
        startSeed: fc.nat(),
        sizes: fc.array(
          fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 99 })),
          {
            minLength: 1,
          },
        ),
        shuffled: fc.boolean(),
      }),
      ({ steps, startSeed, sizes, shuffled }) => {
        const model = writeLog(steps)
        const end = model.lastStableOffset
        const start = end === 0n ? 0n : BigInt(startSeed) % (end + 1n)
        const got: bigint[] = []
        let position = start
        for (let turn = 0; position < end; turn++) {
          const [batchesMax = 1, bytesWanted = 1] = sizes[turn % sizes.length] ?? []
          const { bytes, aborted } = answer(model, position, batchesMax)
          const place = { topic: 't', partition: 0 }
          const extent = chunkExtent({ bytes, place, fetchOffset: position })
          const chunk = new PartitionChunk({
            place,
            bytes,
            // Brokers do not promise an order of the list.
            aborted: shuffled ? aborted.toReversed() : aborted,
            fetchOffset: position,
            unpackedBytesMax: 1_000_000,
          })
          while (!chunk.done) {
            const part = chunk.read(bytesWanted)
            got.push(...part.records.map((record) => record.offset))
            expect(part.nextOffset).toBeGreaterThanOrEqual(position)
            position = part.nextOffset
          }
          expect(position).toBe(extent?.nextOffset)
        }
        const expected = model.committed
          .filter((offset) => offset >= start && offset < end)
          .toSorted((a, b) => Number(a - b))
        expect(got).toEqual(expected)
      },
    ),
    { numRuns: 1_500 },
  )
})
