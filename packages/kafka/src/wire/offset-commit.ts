import type { Api } from './api.ts'

export interface OffsetCommitRequest {
  readonly group: string
  readonly topics: readonly {
    readonly topic: string
    readonly partitions: readonly {
      readonly partition: number
      readonly offset: bigint
      readonly leaderEpoch: number
    }[]
  }[]
}

export interface OffsetCommitResponse {
  readonly throttleMs: number
  readonly topics: readonly {
    readonly topic: string
    readonly partitions: readonly { readonly partition: number; readonly errorCode: number }[]
  }[]
}

/** Without members, generation and member id say that nobody else may own the group. */
const noGeneration = -1
const noMember = ''

export const offsetCommitApi: Api<OffsetCommitRequest, OffsetCommitResponse> = {
  key: 8,
  name: 'OffsetCommit',
  versionMin: 8,
  versionMax: 8,
  flexibleFrom: 8,
  encode(writer, request) {
    writer.string(request.group).int32(noGeneration).string(noMember).string(null)
    writer.array(request.topics, (topic) => {
      writer.string(topic.topic)
      writer.array(topic.partitions, (partition) => {
        writer.int32(partition.partition).int64(partition.offset)
        writer.int32(partition.leaderEpoch).string(null).end()
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
        const partition = { partition: reader.int32(), errorCode: reader.int16() }
        reader.end()
        return partition
      })
      reader.end()
      return { topic, partitions }
    })
    reader.end()
    return { throttleMs, topics }
  },
}
