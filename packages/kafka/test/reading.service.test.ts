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
})
