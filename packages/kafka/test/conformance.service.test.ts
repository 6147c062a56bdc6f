import { afterAll, beforeAll, describe } from 'vitest'
import { describeSourceLog, type SourceLogHarness } from '../../../test/conformance/source-log.ts'
import { openSource } from './support/source-under-test.ts'
import { kafkaIsThere, TestBroker } from './support/test-broker.ts'
import { TestCluster } from './support/test-cluster.ts'

describe.skipIf(!kafkaIsThere())('a real broker', () => {
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

  const make = async (): Promise<SourceLogHarness> => ({
    open: (topics, start) => {
      const selection =
        topics.kind === 'list' ? { topics: topics.topics } : { pattern: topics.pattern }
      const settings = { metadataRefreshMs: 300, patternRefreshMs: 600 }
      return openSource({ brokers: broker.brokers, ...selection, start }, settings)
    },
    createTopic: (topic, partitions) => cluster.createTopic(topic, partitions),
    append: async (place, records) => {
      await cluster.produce(place, records)
    },
    growTopic: (topic, partitions) => cluster.growTopic(topic, partitions),
    recreateTopic: async (topic, partitions) => {
      await cluster.deleteTopic(topic)
      await cluster.untilGone(topic)
      await cluster.createTopic(topic, partitions)
    },
    dropBefore: (place, earliest) => cluster.deleteRecords(place, earliest),
    appendAborted: async (place, values) => {
      const transaction = await cluster.transaction('conformance')
      await transaction.produce(
        place,
        values.map((value) => ({ value })),
      )
      await transaction.end('abort')
      await cluster.untilStable(place)
    },
    close: async () => undefined,
  })

  describeSourceLog('kafka', make)
})
