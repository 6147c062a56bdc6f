import { offset } from '@onceflow/model'
import type { LogReader, RecordBatch } from '@onceflow/ports'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  openSource,
  pollUntil,
  startPositions,
  values,
  valuesOf,
} from './support/source-under-test.ts'
import { sleep } from './support/system-clock.ts'
import { kafkaIsThere, TestBroker } from './support/test-broker.ts'
import { TestCluster } from './support/test-cluster.ts'

const bufferBytesMax = 16 * 1024 * 1024
const recoveryMs = 60_000
const fast = { metadataRefreshMs: 300, requestTimeoutMs: 2_000 }

async function failureOf(reader: LogReader, deadlineMs = 30_000): Promise<string> {
  const untilMs = performance.now() + deadlineMs
  try {
    while (performance.now() < untilMs) await reader.poll(100)
  } catch (thrown) {
    return String(thrown)
  }
  return 'reading went on'
}

describe.skipIf(!kafkaIsThere())('a broker that fails', () => {
  let broker: TestBroker
  let cluster: TestCluster

  beforeAll(async () => {
    broker = await TestBroker.start()
    cluster = await TestCluster.connect(broker.brokers)
    await cluster.createTopic('survives', 2)
  })
  afterAll(async () => {
    cluster?.close()
    await broker?.stop()
  })

  test('killed and started again: reading goes on, nothing twice, nothing lost', async () => {
    const places = [0, 1].map((partition) => ({ topic: 'survives', partition }))
    const source = await openSource({ brokers: broker.brokers, topics: ['survives'] }, fast)
    const reader = await source.open({ positions: await startPositions(source), bufferBytesMax })
    for (const place of places)
      await cluster.produce(place, [{ value: `before ${place.partition}` }])
    const seen: RecordBatch[] = await pollUntil(reader, values(2))
    await broker.act('kill', 'kafka-1')
    seen.push(...(await reader.poll(1_500)))
    await broker.act('start', 'kafka-1')
    for (const place of places)
      await cluster.produce(place, [{ value: `after ${place.partition}` }])
    const rest = await pollUntil(reader, values(2), recoveryMs)
    expect(valuesOf([...seen, ...rest]).toSorted()).toEqual([
      'after 0',
      'after 1',
      'before 0',
      'before 1',
    ])
    await source.close()
  })

  test('frozen and thawed: the request times out and reading goes on', async () => {
    const place = { topic: 'freezes', partition: 0 }
    await cluster.createTopic(place.topic, 1)
    const source = await openSource({ brokers: broker.brokers, topics: [place.topic] }, fast)
    const reader = await source.open({ positions: await startPositions(source), bufferBytesMax })
    await cluster.produce(place, [{ value: 'first' }])
    await pollUntil(reader, values(1))
    await broker.act('freeze', 'kafka-1')
    expect(await reader.poll(4_000)).toEqual([])
    await broker.act('thaw', 'kafka-1')
    await cluster.produce(place, [{ value: 'second' }])
    expect(valuesOf(await pollUntil(reader, values(1), recoveryMs))).toEqual(['second'])
    await source.close()
  })

  test('away for longer than the limit: SOURCE_UNREACHABLE, which a new attempt may heal', async () => {
    const place = { topic: 'gives-up', partition: 0 }
    await cluster.createTopic(place.topic, 1)
    const settings = { ...fast, unreachableAfterMs: 2_000 }
    const source = await openSource({ brokers: broker.brokers, topics: [place.topic] }, settings)
    const positions = await startPositions(source)
    const reader = await source.open({ positions, bufferBytesMax })
    await broker.act('freeze', 'kafka-1')
    expect(await failureOf(reader)).toMatch(/SOURCE_UNREACHABLE: gives-up\/0: nothing for/)
    const closing = performance.now()
    await source.close()
    expect(performance.now() - closing).toBeLessThan(5_000)
    await broker.act('thaw', 'kafka-1')
    const again = await openSource({ brokers: broker.brokers, topics: [place.topic] }, fast)
    const second = await again.open({ positions, bufferBytesMax })
    await cluster.produce(place, [{ value: 'healed' }])
    expect(valuesOf(await pollUntil(second, values(1), recoveryMs))).toEqual(['healed'])
    await again.close()
  })

  test('retention that overtakes the reader stops it, and names the range', async () => {
    const place = { topic: 'retained', partition: 0 }
    await cluster.createTopic(place.topic, 1)
    await cluster.produce(place, [{ value: 'a' }, { value: 'b' }, { value: 'c' }])
    const source = await openSource({ brokers: broker.brokers, topics: [place.topic] }, fast)
    const positions = await startPositions(source)
    await cluster.deleteRecords(place, 2n)
    const reader = await source.open({ positions, bufferBytesMax })
    expect(await failureOf(reader)).toMatch(
      /OFFSET_OUT_OF_RANGE: offset 0 does not exist: the log has offsets from 2 up to 3/,
    )
    await source.close()
  })

  test('a history that ends before ours stops the reader: LOG_TRUNCATED', async () => {
    const place = { topic: 'cut', partition: 0 }
    await cluster.createTopic(place.topic, 1)
    await cluster.produce(place, [{ value: 'a' }, { value: 'b' }])
    const source = await openSource({ brokers: broker.brokers, topics: [place.topic] }, fast)
    const [start] = await startPositions(source)
    if (start === undefined) throw new Error('the topic has a partition')
    // Leader epoch 0 ends at 2 for this broker: a reader that got 5 records of it saw another log.
    const positions = [{ ...start, offset: offset(5n), leaderEpoch: 0 }]
    const reader = await source.open({ positions, bufferBytesMax })
    expect(await failureOf(reader)).toMatch(/LOG_TRUNCATED: the log of leader epoch 0 ends at 2/)
    await source.close()
  })

  test('a topic that is deleted under the reader: TOPIC_MISSING', async () => {
    const place = { topic: 'deleted', partition: 0 }
    await cluster.createTopic(place.topic, 1)
    await cluster.produce(place, [{ value: 'a' }])
    const settings = { ...fast, topicMissingAfterMs: 1_000 }
    const source = await openSource({ brokers: broker.brokers, topics: [place.topic] }, settings)
    const reader = await source.open({ positions: await startPositions(source), bufferBytesMax })
    await pollUntil(reader, values(1))
    await cluster.deleteTopic(place.topic)
    expect(await failureOf(reader)).toMatch(/TOPIC_MISSING: topic deleted is gone/)
    await source.close()
  })

  test('a reader whose queue is full fetches no more until it is polled', async () => {
    const place = { topic: 'slow', partition: 0 }
    await cluster.createTopic(place.topic, 1)
    const large = Array.from({ length: 10 }, () => ({ value: Buffer.alloc(60_000, 'x') }))
    for (let round = 0; round < 20; round++) await cluster.produce(place, large)
    const settings = { ...fast, partitionBytesMax: 300_000, pollBytesMax: 100_000 }
    const source = await openSource({ brokers: broker.brokers, topics: [place.topic] }, settings)
    const before = process.memoryUsage().arrayBuffers
    const positions = await startPositions(source)
    const reader = await source.open({ positions, bufferBytesMax: 1_000_000 })
    await sleep(1_000)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(6_000_000)
    const batches = await pollUntil(reader, values(200))
    expect(valuesOf(batches).length).toBe(200)
    await source.close()
  })

  test('what is published as progress stands in the group, for people', async () => {
    await cluster.createTopic('shown', 2)
    const source = await openSource({ brokers: broker.brokers, topics: ['shown'] })
    const positions = (await startPositions(source)).map((position) => ({
      ...position,
      offset: offset(BigInt(position.partition * 10 + 7)),
    }))
    await source.publishProgress('progress-of-a-pipeline', positions)
    expect(await cluster.groupOffsets('progress-of-a-pipeline', 'shown')).toEqual(['7', '17'])
    await source.close()
  })
})
