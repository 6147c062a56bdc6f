import type { Api } from './api.ts'
import type { WireReader } from './wire-reader.ts'

export interface FetchPartition {
  readonly partition: number
  readonly currentLeaderEpoch: number
  readonly fetchOffset: bigint
  /** Leader epoch of the batch before fetchOffset, -1 unknown: the broker compares histories. */
  readonly lastFetchedEpoch: number
  readonly bytesMax: number
}

export interface FetchTopic {
  readonly topic: string
  readonly topicId: string
  readonly partitions: readonly FetchPartition[]
}

export interface FetchRequest {
  readonly maxWaitMs: number
  readonly bytesMin: number
  readonly bytesMax: number
  readonly topics: readonly FetchTopic[]
}

export interface AbortedTransaction {
  readonly producerId: bigint
  readonly firstOffset: bigint
}

export interface FetchPartitionAnswer {
  readonly partition: number
  readonly errorCode: number
  readonly highWatermark: bigint
  readonly lastStableOffset: bigint
  readonly logStartOffset: bigint
  readonly aborted: readonly AbortedTransaction[]
  /** The leader's history ends here for the epoch that we named: ours goes on, so it was cut. */
  readonly diverging: { readonly epoch: number; readonly endOffset: bigint } | undefined
  readonly records: Buffer | null
}

/** A topic goes by its id from version 13, and by its name before: the other one is ''. */
export interface FetchTopicAnswer {
  readonly topic: string
  readonly topicId: string
  readonly partitions: readonly FetchPartitionAnswer[]
}

export interface FetchResponse {
  readonly throttleMs: number
  readonly errorCode: number
  readonly topics: readonly FetchTopicAnswer[]
}

const firstVersionById = 13
const lastVersionWithReplica = 14
const readCommitted = 1
const consumer = -1
const noSession = { id: 0, epoch: -1 }

export const fetchApi: Api<FetchRequest, FetchResponse> = {
  key: 1,
  name: 'Fetch',
  versionMin: 12,
  versionMax: 17,
  flexibleFrom: 12,
  encode(writer, request, version) {
    if (version <= lastVersionWithReplica) writer.int32(consumer)
    writer.int32(request.maxWaitMs).int32(request.bytesMin).int32(request.bytesMax)
    writer.int8(readCommitted).int32(noSession.id).int32(noSession.epoch)
    writer.array(request.topics, (topic) => {
      if (version >= firstVersionById) writer.topicId(topic.topicId)
      else writer.string(topic.topic)
      writer.array(topic.partitions, (partition) => {
        writer.int32(partition.partition).int32(partition.currentLeaderEpoch)
        writer.int64(partition.fetchOffset).int32(partition.lastFetchedEpoch)
        writer.int64(-1n).int32(partition.bytesMax).end()
      })
      writer.end()
    })
    writer.array([], () => undefined).string('')
    writer.end()
  },
  decode(reader, version) {
    const throttleMs = reader.int32()
    const errorCode = reader.int16()
    reader.int32()
    const topics = reader.array(() => {
      const named =
        version >= firstVersionById
          ? { topic: '', topicId: reader.topicId() }
          : { topic: reader.string(), topicId: '' }
      const partitions = reader.array(() => decodePartition(reader))
      reader.end()
      return { ...named, partitions }
    })
    reader.end()
    return { throttleMs, errorCode, topics }
  },
}

function decodePartition(reader: WireReader): FetchPartitionAnswer {
  const partition = reader.int32()
  const errorCode = reader.int16()
  const highWatermark = reader.int64()
  const lastStableOffset = reader.int64()
  const logStartOffset = reader.int64()
  const aborted = reader.array(() => {
    const transaction = { producerId: reader.int64(), firstOffset: reader.int64() }
    reader.end()
    return transaction
  })
  reader.int32()
  const records = reader.nullableByteArray()
  let diverging: FetchPartitionAnswer['diverging']
  reader.end((tag, field) => {
    if (tag === 0) diverging = { epoch: field.int32(), endOffset: field.int64() }
  })
  return {
    partition,
    errorCode,
    highWatermark,
    lastStableOffset,
    logStartOffset,
    aborted,
    diverging,
    records,
  }
}
