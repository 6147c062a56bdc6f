import { partitionKey } from '@onceflow/model'
import { Kafka, logLevel } from 'kafkajs'
import type { BrokerLink } from '../../src/connection/broker-link.ts'
import { ClusterConnections } from '../../src/connection/cluster-connections.ts'
import { askMetadata } from '../../src/connection/cluster-metadata.ts'
import { connectionOptions } from '../../src/connection/connection-options.ts'
import { defaultKafkaSettings } from '../../src/source-settings.ts'
import { fetchApi } from '../../src/wire/fetch.ts'
import { findCoordinatorApi } from '../../src/wire/find-coordinator.ts'
import { type BatchOptions, encodeBatch, type TestRecord } from './batch-encoder.ts'
import {
  addPartitionApi,
  deleteRecordsApi,
  endTransactionApi,
  initProducerIdApi,
  produceApi,
} from './producer-apis.ts'
import { kafkaSpec } from './source-under-test.ts'
import { keepingJournal, sleep, systemClock } from './system-clock.ts'

interface Place {
  readonly topic: string
  readonly partition: number
}

/** The codes that mean 'not yet': loading, no coordinator, not this one, the last one still ends. */
const notYet = new Set([3, 5, 6, 14, 15, 16, 51])

/** Writes to a cluster and changes its topics, on connections of its own. */
export class TestCluster {
  readonly brokers: readonly string[]
  private readonly connections: ClusterConnections
  private readonly kafka: Kafka

  private constructor(brokers: readonly string[], connections: ClusterConnections) {
    this.brokers = brokers
    this.connections = connections
    this.kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING })
  }

  static async connect(brokers: readonly string[]): Promise<TestCluster> {
    const common = await connectionOptions({
      spec: kafkaSpec({ brokers, topics: [] }),
      settings: defaultKafkaSettings,
      journal: keepingJournal(),
      resolveSecret: () => '',
    })
    const connections = new ClusterConnections({
      bootstrap: brokers,
      common,
      settings: defaultKafkaSettings,
      clock: systemClock,
    })
    return new TestCluster(brokers, connections)
  }

  async createTopic(
    topic: string,
    partitions: number,
    options: { readonly replicas?: number; readonly config?: { [name: string]: string } } = {},
  ): Promise<void> {
    const configEntries = Object.entries(options.config ?? {}).map(([name, value]) => ({
      name,
      value,
    }))
    await this.withAdmin((admin) =>
      admin.createTopics({
        waitForLeaders: true,
        topics: [
          {
            topic,
            numPartitions: partitions,
            replicationFactor: options.replicas ?? 1,
            configEntries,
          },
        ],
      }),
    )
  }

  async deleteTopic(topic: string): Promise<void> {
    await this.withAdmin((admin) => admin.deleteTopics({ topics: [topic] }))
  }

  async growTopic(topic: string, count: number): Promise<void> {
    await this.withAdmin((admin) => admin.createPartitions({ topicPartitions: [{ topic, count }] }))
  }

  async groupOffsets(groupId: string, topic: string): Promise<string[]> {
    return this.withAdmin(async (admin) => {
      const [found] = await admin.fetchOffsets({ groupId, topics: [topic] })
      return (found?.partitions ?? [])
        .toSorted((a, b) => a.partition - b.partition)
        .map((each) => each.offset)
    })
  }

  async leaderOf(place: Place): Promise<number> {
    const { topics } = await askMetadata(this.connections, [place.topic])
    const partitions = topics[0]?.partitions ?? []
    return partitions.find((each) => each.partition === place.partition)?.leader ?? -1
  }

  /** Until no broker names the topic any more. */
  async untilGone(topic: string): Promise<void> {
    await this.untilSettled(async () => {
      const { topics } = await askMetadata(this.connections, [topic])
      return { errorCode: topics[0]?.errorCode === 3 ? 0 : 5 }
    }, `the end of ${topic}`)
  }

  /** Until no open or ending transaction hides records: all markers are written. */
  async untilStable(place: Place): Promise<void> {
    const fetchAll = { currentLeaderEpoch: -1, lastFetchedEpoch: -1, fetchOffset: 0n }
    await this.untilSettled(
      async () => {
        const link = await this.leaderLink(place)
        const { topics } = await askMetadata(this.connections, [place.topic])
        const answer = await link.call(fetchApi, {
          maxWaitMs: 0,
          bytesMin: 0,
          bytesMax: 1,
          topics: [
            {
              topic: place.topic,
              topicId: topics[0]?.topicId ?? '',
              partitions: [{ ...fetchAll, partition: place.partition, bytesMax: 1 }],
            },
          ],
        })
        const [partition] = answer.topics[0]?.partitions ?? []
        const stable = partition?.highWatermark === partition?.lastStableOffset
        return { errorCode: stable ? (partition?.errorCode ?? 0) : 51 }
      },
      `stability of ${partitionKey(place)}`,
    )
  }

  /** The offset of the first record. */
  async produce(
    place: Place,
    records: readonly TestRecord[],
    options: BatchOptions & { readonly transactionalId?: string } = {},
  ): Promise<bigint> {
    return this.produceBatch(place, encodeBatch(records, options), options.transactionalId ?? null)
  }

  async produceBatch(
    place: Place,
    batch: Buffer,
    transactionalId: string | null = null,
  ): Promise<bigint> {
    const answer = await this.untilSettled(
      async () => {
        const link = await this.leaderLink(place)
        return link.call(produceApi, { ...place, batch, transactionalId })
      },
      `produce to ${partitionKey(place)}`,
    )
    return answer.baseOffset
  }

  async deleteRecords(place: Place, before: bigint): Promise<void> {
    await this.untilSettled(
      async () => {
        const link = await this.leaderLink(place)
        return link.call(deleteRecordsApi, { ...place, before })
      },
      `delete records of ${partitionKey(place)}`,
    )
  }

  async transaction(transactionalId: string): Promise<TestTransaction> {
    const answer = await this.untilSettled(async () => {
      const link = await this.coordinator(transactionalId)
      return link.call(initProducerIdApi, { transactionalId, timeoutMs: 60_000 })
    }, `InitProducerId of ${transactionalId}`)
    return new TestTransaction(this, { transactionalId, ...answer })
  }

  async coordinator(transactionalId: string): Promise<BrokerLink> {
    const any = await this.connections.any()
    const found = await this.untilSettled(
      () => any.call(findCoordinatorApi, { kind: 'transaction', name: transactionalId }),
      `the coordinator of ${transactionalId}`,
    )
    await askMetadata(this.connections, [])
    const link = this.connections.broker(found.node.id)
    if (link === undefined) throw new Error(`no broker ${found.node.id}`)
    return link
  }

  /** Repeats what answers 'not yet' or breaks, for a minute. */
  async untilSettled<Answer extends { readonly errorCode: number }>(
    step: () => Promise<Answer>,
    what: string,
  ): Promise<Answer> {
    const deadlineMs = performance.now() + 60_000
    for (;;) {
      let problem: unknown
      try {
        const answer = await step()
        if (answer.errorCode === 0) return answer
        problem = new Error(`${what}: error ${answer.errorCode}`)
        if (!notYet.has(answer.errorCode)) throw problem
      } catch (thrown) {
        if (thrown === problem) throw thrown
        problem = thrown
      }
      if (performance.now() > deadlineMs) throw problem
      await sleep(20)
    }
  }

  close(): void {
    this.connections.close()
  }

  private async leaderLink(place: Place): Promise<BrokerLink> {
    const leader = await this.leaderOf(place)
    const link = this.connections.broker(leader)
    if (link === undefined) throw new Error(`no leader of ${partitionKey(place)} now`)
    return link
  }

  private async withAdmin<T>(step: (admin: ReturnType<Kafka['admin']>) => Promise<T>): Promise<T> {
    const admin = this.kafka.admin()
    await admin.connect()
    try {
      return await step(admin)
    } finally {
      await admin.disconnect()
    }
  }
}

/** Transactions of one producer, one after the other, as protocol version 1 makes them. */
export class TestTransaction {
  private readonly cluster: TestCluster
  private readonly name: {
    readonly transactionalId: string
    readonly producerId: bigint
    readonly producerEpoch: number
  }
  private readonly sequences = new Map<string, number>()
  private readonly added = new Set<string>()

  constructor(cluster: TestCluster, name: TestTransaction['name']) {
    this.cluster = cluster
    this.name = name
  }

  async produce(place: Place, records: readonly TestRecord[]): Promise<bigint> {
    const key = partitionKey(place)
    if (!this.added.has(key)) {
      await this.cluster.untilSettled(async () => {
        const link = await this.cluster.coordinator(this.name.transactionalId)
        return link.call(addPartitionApi, { ...this.name, ...place })
      }, `AddPartitionsToTxn of ${key}`)
      this.added.add(key)
    }
    const sequence = this.sequences.get(key) ?? 0
    this.sequences.set(key, sequence + records.length)
    return this.cluster.produce(place, records, {
      ...this.name,
      sequence,
      transactional: true,
    })
  }

  async end(how: 'commit' | 'abort'): Promise<void> {
    await this.cluster.untilSettled(async () => {
      const link = await this.cluster.coordinator(this.name.transactionalId)
      return link.call(endTransactionApi, { ...this.name, end: how })
    }, `EndTxn of ${this.name.transactionalId}`)
    this.added.clear()
  }
}
