import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  openSource,
  pollUntil,
  startPositions,
  textOf,
  valuesOf,
} from './support/source-under-test.ts'
import { kafkaIsThere, TestBroker } from './support/test-broker.ts'
import { TestCluster } from './support/test-cluster.ts'

// Three brokers are heavy and slow to start: only in the full run.
const full = process.env['ONCEFLOW_TEST_FULL'] === '1'
const topic = 'moves'
const partitions = 6
const recoveryMs = 120_000

describe.skipIf(!full || !kafkaIsThere())('three brokers', () => {
  let broker: TestBroker
  let cluster: TestCluster

  beforeAll(async () => {
    broker = await TestBroker.start({ nodes: 3 })
    cluster = await TestCluster.connect(broker.brokers)
    await cluster.createTopic(topic, partitions, { replicas: 3 })
  }, 300_000)
  afterAll(async () => {
    cluster?.close()
    await broker?.stop()
  }, 120_000)

  const produceRound = async (round: number): Promise<string[]> => {
    const sent = Array.from({ length: partitions }, (_none, partition) => `${round}/${partition}`)
    for (const [partition, value] of sent.entries()) {
      await cluster.produce({ topic, partition }, [{ value }])
    }
    return sent
  }

  for (const how of ['kill', 'freeze', 'stop'] as const) {
    test(`a leader goes (${how}), another leads: every record once, none lost`, async () => {
      const settings = { metadataRefreshMs: 500, requestTimeoutMs: 3_000 }
      const source = await openSource({ brokers: broker.brokers, topics: [topic] }, settings)
      const positions = (await startPositions(source)).map((position) => ({ ...position }))
      const ends = await source.endOffsets(positions)
      const reader = await source.open({
        positions: positions.map((position) => ({
          ...position,
          offset: (ends.find((end) => end.partition === position.partition)?.end ??
            0n) as typeof position.offset,
        })),
        bufferBytesMax: 16 * 1024 * 1024,
      })
      const sent = await produceRound(1)
      const leader = await cluster.leaderOf({ topic, partition: 0 })
      const got = await pollUntil(reader, (seen) => valuesOf(seen).length >= partitions)
      await broker.act(how, `kafka-${leader}`)
      sent.push(...(await produceRound(2)))
      got.push(
        ...(await pollUntil(reader, (seen) => valuesOf(seen).length >= partitions, recoveryMs)),
      )
      await broker.act(how === 'freeze' ? 'thaw' : 'start', `kafka-${leader}`)
      sent.push(...(await produceRound(3)))
      got.push(
        ...(await pollUntil(reader, (seen) => valuesOf(seen).length >= partitions, recoveryMs)),
      )
      expect(valuesOf(got).toSorted()).toEqual(sent.toSorted())
      for (const batch of got) {
        for (const record of batch.records) {
          expect(textOf(record.value)).toMatch(new RegExp(`/${batch.partition}$`))
        }
      }
      await source.close()
    }, 300_000)
  }
})
