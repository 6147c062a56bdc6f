import { offset } from '@onceflow/model'
import type { RecordBatch } from '@onceflow/ports'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codecs } from './support/batch-encoder.ts'
import {
  openSource,
  pollUntil,
  recordsOf,
  startPositions,
  textOf,
  values,
  valuesOf,
} from './support/source-under-test.ts'
import { kafkaIsThere, TestBroker } from './support/test-broker.ts'
import { TestCluster } from './support/test-cluster.ts'

const bufferBytesMax = 16 * 1024 * 1024

describe.skipIf(!kafkaIsThere())('reading from a real broker', () => {
  let broker: TestBroker
  let cluster: TestCluster

  beforeAll(async () => {
    broker = await TestBroker.start()
    cluster = await TestCluster.connect(broker.brokers)
  })
  afterAll(async () => {
    cluster?.close()
    await broker?.stop()
  })

  test('every codec, keys, tombstones and headers come as they were sent', async () => {
    await cluster.createTopic('codecs', 2)
    for (const codec of codecs) {
      const records = [
        { key: `${codec}-key`, value: `${codec}-value`, timestampMs: 1_700_000_000_000 },
        { key: `${codec}-gone`, value: null, headers: [{ key: 'why', value: 'tombstone' }] },
      ]
      await cluster.produce({ topic: 'codecs', partition: 1 }, records, { codec })
    }
    const source = await openSource({ brokers: broker.brokers, topics: ['codecs'] })
    const reader = await source.open({ positions: await startPositions(source), bufferBytesMax })
    const batches = await pollUntil(reader, values(10))
    const records = recordsOf(batches)
    expect(records.map((each) => [Number(each.offset), textOf(each.key), each.value])).toEqual(
      codecs.flatMap((codec, index) => [
        [index * 2, `${codec}-key`, Buffer.from(`${codec}-value`)],
        [index * 2 + 1, `${codec}-gone`, null],
      ]),
    )
    expect(records[0]?.timestampMs).toBe(1_700_000_000_000)
    expect(records[1]?.headers).toEqual([{ key: 'why', value: Buffer.from('tombstone') }])
    const last = batches.at(-1)?.next
    expect([last?.offset, last?.partition, last?.topicId.length]).toEqual([10n, 1, 22])
    await source.close()
  })

  test('only committed records come, and positions move past what is left out', async () => {
    const place = { topic: 'transactions', partition: 0 }
    await cluster.createTopic(place.topic, 1)
    const first = await cluster.transaction('first')
    const second = await cluster.transaction('second')
    await first.produce(place, [{ value: 'a' }])
    await second.produce(place, [{ value: 'aborted' }])
    await cluster.produce(place, [{ value: 'plain' }])
    await second.end('abort')
    await second.produce(place, [{ value: 'b' }])
    await first.end('commit')
    await second.end('commit')
    const open = await cluster.transaction('third')
    await open.produce(place, [{ value: 'open' }])
    await cluster.produce(place, [{ value: 'behind' }])
    const source = await openSource({ brokers: broker.brokers, topics: [place.topic] })
    const [info] = await source.inspect()
    // a, aborted, plain, marker, b, marker, marker: the open transaction begins at 7.
    expect(info).toMatchObject({ earliest: 0n, end: 7n, start: 0n, partition: 0 })
    const reader = await source.open({ positions: await startPositions(source), bufferBytesMax })
    const batches = await pollUntil(reader, (seen) => seen.at(-1)?.next.offset === 7n)
    expect(valuesOf(batches)).toEqual(['a', 'plain', 'b'])
    expect(await reader.poll(700)).toEqual([])
    await open.end('abort')
    const rest = await pollUntil(reader, (seen) => seen.at(-1)?.next.offset === 10n)
    expect(valuesOf(rest)).toEqual(['behind'])
    expect(reader.lag()).toMatchObject([{ position: 10n, end: 10n }])
    await source.close()
  })

  test('interleaved transactions of three producers, from the start and from anywhere', async () => {
    const topic = 'interleaved'
    await cluster.createTopic(topic, 2)
    const seed = Math.floor(Math.random() * 1e9)
    const random = seededRandom(seed)
    const expected: string[][] = [[], []]
    const producers = await Promise.all(
      ['x', 'y', 'z'].map(async (name) => ({
        transaction: await cluster.transaction(`interleaved-${name}`),
        pending: [] as { readonly partition: number; readonly value: string }[],
      })),
    )
    for (let step = 0; step < 240; step++) {
      const producer = producers[random(3)]
      if (producer === undefined) continue
      const partition = random(2)
      const value = `${partition}:${step}`
      const place = { topic, partition }
      if (random(10) === 0) {
        await cluster.produce(place, [{ value }])
        expected[partition]?.push(value)
      } else if (random(3) > 0) {
        await producer.transaction.produce(place, [{ value }, { value: `${value}b` }])
        producer.pending.push({ partition, value }, { partition, value: `${value}b` })
      } else if (producer.pending.length > 0) {
        const how = random(2) === 0 ? 'abort' : 'commit'
        await producer.transaction.end(how)
        for (const each of how === 'commit' ? producer.pending : []) {
          expected[each.partition]?.push(each.value)
        }
        producer.pending.length = 0
      }
    }
    for (const { transaction, pending } of producers)
      if (pending.length > 0) await transaction.end('abort')
    for (const partition of [0, 1]) await cluster.untilStable({ topic, partition })

    const small = { partitionBytesMax: 700, fetchBytesMax: 1_000, pollBytesMax: 300 }
    const source = await openSource({ brokers: broker.brokers, topics: [topic] }, small)
    const starts = await startPositions(source)
    const ends = await source.endOffsets(starts)
    const readFrom = async (positions: typeof starts): Promise<RecordBatch[]> => {
      const reader = await source.open({ positions, bufferBytesMax: 2_000 })
      const open = new Map(ends.map(({ partition, end }) => [partition, end]))
      for (const { partition, offset: from } of positions) {
        if (open.get(partition) === from) open.delete(partition)
      }
      const batches = await pollUntil(reader, (seen) => {
        for (const { partition, next } of seen) {
          if (next.offset === open.get(partition)) open.delete(partition)
        }
        return open.size === 0
      })
      await reader.close()
      return batches
    }
    const whole = await readFrom(starts)
    const of = (batches: RecordBatch[], partition: number) =>
      batches.filter((batch) => batch.partition === partition)
    for (const partition of [0, 1]) {
      const got = valuesOf(of(whole, partition))
      expect(got.toSorted(), `seed ${seed}`).toEqual(expected[partition]?.toSorted())
    }
    for (let round = 0; round < 12; round++) {
      const positions = starts.map((start) => {
        const end = ends.find((each) => each.partition === start.partition)?.end ?? 0n
        return { ...start, offset: offset(BigInt(random(Number(end) + 1))) }
      })
      const part = await readFrom(positions)
      for (const { partition, offset: from } of positions) {
        const rest = recordsOf(of(whole, partition)).filter((record) => record.offset >= from)
        const wanted = rest.map((record) => [record.offset, textOf(record.value)])
        const got = recordsOf(of(part, partition))
        const told = got.map((record) => [record.offset, textOf(record.value)])
        expect(told, `seed ${seed} from ${from}`).toEqual(wanted)
      }
    }
    await source.close()
  })
})

/** 0 up to below the bound, the same again for the same seed. */
function seededRandom(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (state >>> 8) % bound
  }
}
