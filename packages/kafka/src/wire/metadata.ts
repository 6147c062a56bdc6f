import type { Api } from './api.ts'
import type { WireReader } from './wire-reader.ts'

export interface MetadataRequest {
  /** null: every topic that we may see. */
  readonly topics: readonly string[] | null
}

export interface BrokerNode {
  readonly id: number
  readonly host: string
  readonly port: number
}

export interface PartitionMetadata {
  readonly partition: number
  readonly errorCode: number
  /** -1: there is none now. */
  readonly leader: number
  readonly leaderEpoch: number
}

export interface TopicMetadata {
  readonly topic: string
  /** '' from a broker that has no topic ids. */
  readonly topicId: string
  readonly errorCode: number
  readonly internal: 'yes' | 'no'
  readonly partitions: readonly PartitionMetadata[]
}

export interface MetadataResponse {
  readonly throttleMs: number
  readonly brokers: readonly BrokerNode[]
  readonly topics: readonly TopicMetadata[]
}

const firstVersionWithTopicId = 10

export const metadataApi: Api<MetadataRequest, MetadataResponse> = {
  key: 3,
  name: 'Metadata',
  versionMin: 9,
  versionMax: 12,
  flexibleFrom: 9,
  encode(writer, request, version) {
    writer.array(request.topics, (topic) => {
      if (version >= firstVersionWithTopicId) writer.topicId('')
      writer.string(topic).end()
    })
    // No topic is to be created by asking for it.
    writer.flag('no')
    if (version <= 10) writer.flag('no')
    writer.flag('no').end()
  },
  decode(reader, version) {
    const throttleMs = reader.int32()
    const brokers = reader.array(() => {
      const node = { id: reader.int32(), host: reader.string(), port: reader.int32() }
      reader.nullableString()
      reader.end()
      return node
    })
    reader.nullableString()
    reader.int32()
    const topics = reader.array(() => decodeTopic(reader, version))
    if (version <= 10) reader.int32()
    reader.end()
    return { throttleMs, brokers, topics }
  },
}

function decodeTopic(reader: WireReader, version: number): TopicMetadata {
  const errorCode = reader.int16()
  const topic = reader.nullableString() ?? ''
  const topicId = version >= firstVersionWithTopicId ? reader.topicId() : ''
  const internal = reader.flag()
  const partitions = reader.array(() => {
    const partition = {
      errorCode: reader.int16(),
      partition: reader.int32(),
      leader: reader.int32(),
      leaderEpoch: reader.int32(),
    }
    for (const _list of ['replicas', 'in sync', 'offline']) reader.array(() => reader.int32())
    reader.end()
    return partition
  })
  reader.int32()
  reader.end()
  return { topic, topicId, errorCode, internal, partitions }
}
