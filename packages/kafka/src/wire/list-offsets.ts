import type { Api } from './api.ts'

/** Values of `timestampMs` that mean a place instead of a time. */
export const latestOffset = -1n
export const earliestOffset = -2n

export interface ListOffsetsPartition {
  readonly partition: number
  readonly currentLeaderEpoch: number
  readonly timestampMs: bigint
}

export interface ListOffsetsRequest {
  readonly topics: readonly {
    readonly topic: string
    readonly partitions: readonly ListOffsetsPartition[]
  }[]
}

export interface OffsetAnswer {
  readonly partition: number
  readonly errorCode: number
  /** -1: no record has such a time. */
  readonly offset: bigint
}

export interface ListOffsetsResponse {
  readonly throttleMs: number
  readonly topics: readonly { readonly topic: string; readonly partitions: OffsetAnswer[] }[]
}

const readCommitted = 1
const consumer = -1

/** With read_committed the latest offset is the last stable one: what a reader can get. */
export const listOffsetsApi: Api<ListOffsetsRequest, ListOffsetsResponse> = {
  key: 2,
  name: 'ListOffsets',
  versionMin: 5,
  versionMax: 7,
  flexibleFrom: 6,
  encode(writer, request) {
    writer.int32(consumer).int8(readCommitted)
    writer.array(request.topics, (topic) => {
      writer.string(topic.topic)
      writer.array(topic.partitions, (partition) => {
        writer.int32(partition.partition).int32(partition.currentLeaderEpoch)
        writer.int64(partition.timestampMs).end()
      })
      writer.end()
    })
    writer.end()
  },
  decode(reader) {
    const throttleMs = reader.int32()
    const topics = reader.array(() => {
      const topic = reader.string()
      const partitions = reader.array(() => {
        const partition = reader.int32()
        const errorCode = reader.int16()
        reader.int64()
        const offset = reader.int64()
        reader.int32()
        reader.end()
        return { partition, errorCode, offset }
      })
      reader.end()
      return { topic, partitions }
    })
    reader.end()
    return { throttleMs, topics }
  },
}
