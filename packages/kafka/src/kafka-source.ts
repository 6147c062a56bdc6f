import {
  fail,
  failureOf,
  type KafkaSourceSpec,
  type Position,
  partitionKey,
  type SourcePartition,
} from '@onceflow/model'
import type {
  Clock,
  Journal,
  LogReader,
  OpenRequest,
  PartitionEnd,
  PartitionInfo,
  SourceLog,
} from '@onceflow/ports'
import { ClusterConnections } from './connection/cluster-connections.ts'
import { askMetadata, askSelectedTopics } from './connection/cluster-metadata.ts'
import type { CommonConnectionOptions } from './connection/connection-options.ts'
import { commitGroupOffsets } from './connection/group-offsets.ts'
import { lookUpOffsets } from './connection/offset-lookup.ts'
import { retryUntilDeadline } from './connection/retry-loop.ts'
import { KafkaLogReader } from './reading/log-reader.ts'
import { newCursor, type PartitionCursor } from './reading/partition-cursor.ts'
import type { KafkaSettings } from './source-settings.ts'
import { earliestOffset, latestOffset } from './wire/list-offsets.ts'
import type { TopicMetadata } from './wire/metadata.ts'

export interface KafkaSourceOptions {
  readonly spec: KafkaSourceSpec
  readonly common: CommonConnectionOptions
  readonly settings: KafkaSettings
  readonly clock: Clock
  readonly journal: Journal
}

/** The topics of one Kafka cluster that a spec selects. See SourceLog for what it promises. */
export class KafkaSource implements SourceLog {
  private readonly options: KafkaSourceOptions
  private readonly connections: ClusterConnections
  private readonly readers = new Set<KafkaLogReader>()

  constructor(options: KafkaSourceOptions) {
    this.options = options
    this.connections = this.connect()
  }

  async inspect(): Promise<readonly PartitionInfo[]> {
    const { spec } = this.options
    return this.lookUp(async () => {
      const topics = await askSelectedTopics(this.connections, spec.topics)
      refuseMissing(spec, topics)
      const places = topics.flatMap(({ topic, topicId, partitions }) =>
        partitions
          .map(({ partition }) => ({ topic, topicId, partition }))
          .toSorted((a, b) => a.partition - b.partition),
      )
      const [earliest, end] = await Promise.all([
        lookUpOffsets(this.connections, places, earliestOffset),
        lookUpOffsets(this.connections, places, latestOffset),
      ])
      const start = await this.startOffsets(places, { earliest, end })
      return places.map((place) => {
        const key = partitionKey(place)
        return {
          ...place,
          earliest: earliest.get(key) ?? 0n,
          end: end.get(key) ?? 0n,
          start: start.get(key) ?? 0n,
        }
      })
    })
  }

  async open(request: OpenRequest): Promise<LogReader> {
    const { clock, journal, settings, spec } = this.options
    for (const reader of this.readers) if (reader.released) this.readers.delete(reader)
    const connections = this.connect()
    try {
      const deadlineMs = settings.unreachableAfterMs
      const { topics, selected } = await retryUntilDeadline({ clock, deadlineMs }, async () => {
        const names = [...new Set(request.positions.map((position) => position.topic))]
        const asked = await askMetadata(connections, names)
        return {
          topics: asked.topics,
          selected: await askSelectedTopics(connections, spec.topics),
        }
      })
      const reader = new KafkaLogReader({
        connections,
        clock,
        journal,
        settings,
        selection: spec.topics,
        cursors: request.positions.map((position) => cursorAt(position, topics)),
        topics: [...selected, ...topics],
        bufferBytesMax: request.bufferBytesMax,
      })
      this.readers.add(reader)
      return reader
    } catch (thrown) {
      connections.close()
      throw thrown
    }
  }

  async endOffsets(partitions: readonly SourcePartition[]): Promise<readonly PartitionEnd[]> {
    return this.lookUp(async () => {
      const ends = await lookUpOffsets(this.connections, partitions, latestOffset)
      return partitions.map(({ topic, topicId, partition }) => ({
        topic,
        topicId,
        partition,
        end: ends.get(partitionKey({ topic, partition })) ?? 0n,
      }))
    })
  }

  async publishProgress(group: string, positions: readonly Position[]): Promise<void> {
    if (positions.length === 0) return
    try {
      await this.lookUp(() => commitGroupOffsets(this.connections, group, positions))
    } catch (thrown) {
      // Only people look at these offsets; the pipeline has its own in the decision.
      const { code, detail } = failureOf(thrown)
      this.options.journal.write('warn', 'progress not shown in the group', { group, code, detail })
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.readers].map((reader) => reader.close()))
    this.connections.close()
  }

  private connect(): ClusterConnections {
    const { spec, common, settings, clock } = this.options
    return new ClusterConnections({ bootstrap: spec.brokers, common, settings, clock })
  }

  private lookUp<T>(step: () => Promise<T>): Promise<T> {
    const { clock, settings } = this.options
    return retryUntilDeadline({ clock, deadlineMs: settings.lookUpTimeoutMs }, step)
  }

  private async startOffsets(
    places: readonly SourcePartition[],
    known: { readonly earliest: Map<string, bigint>; readonly end: Map<string, bigint> },
  ): Promise<Map<string, bigint>> {
    const { start } = this.options.spec
    switch (start.kind) {
      case 'earliest':
        return known.earliest
      case 'latest':
        return known.end
      case 'timestamp': {
        const found = await lookUpOffsets(this.connections, places, BigInt(start.timestampMs))
        // No record is that young yet: begin with the next one.
        for (const [key, offset] of found) {
          const end = known.end.get(key) ?? 0n
          if (offset < 0n || offset > end) found.set(key, end)
        }
        return found
      }
    }
  }
}

function refuseMissing(spec: KafkaSourceSpec, found: readonly TopicMetadata[]): void {
  if (spec.topics.kind === 'pattern') return
  const names = new Set(found.map(({ topic }) => topic))
  const missing = spec.topics.topics.filter((topic) => !names.has(topic))
  if (missing.length > 0) fail('TOPIC_MISSING', { detail: `no such topic: ${missing.join(', ')}` })
}

/** A position without a topic id, which an operator may have written, gets the one of today. */
function cursorAt(position: Position, topics: readonly TopicMetadata[]): PartitionCursor {
  if (position.topicId !== '') return newCursor(position)
  const topic = topics.find((each) => each.topic === position.topic)
  return newCursor({ ...position, topicId: topic?.topicId ?? '' })
}
