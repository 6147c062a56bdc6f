import { fail, partitionKey } from '@onceflow/model'
import { errorCode, errorText } from '../wire/error-codes.ts'
import { listOffsetsApi } from '../wire/list-offsets.ts'
import type { ClusterConnections } from './cluster-connections.ts'
import { askMetadata } from './cluster-metadata.ts'

export interface OffsetPlace {
  readonly topic: string
  readonly partition: number
}

interface LedPlace extends OffsetPlace {
  readonly leader: number
  readonly leaderEpoch: number
}

/**
 * Offsets of many partitions for one moment, by partitionKey; -1 where no record is that young.
 * Throws a failure of class retry when a leader is moving: the caller asks again.
 */
export async function lookUpOffsets(
  connections: ClusterConnections,
  places: readonly OffsetPlace[],
  timestampMs: bigint,
): Promise<Map<string, bigint>> {
  const offsets = new Map<string, bigint>()
  if (places.length === 0) return offsets
  const led = await withLeaders(connections, places)
  const answers = Object.values(Object.groupBy(led, (place) => place.leader)).map((group) =>
    askLeader(connections, group ?? [], timestampMs),
  )
  for (const answer of await Promise.all(answers)) {
    for (const [key, offset] of answer) offsets.set(key, offset)
  }
  return offsets
}

async function withLeaders(
  connections: ClusterConnections,
  places: readonly OffsetPlace[],
): Promise<LedPlace[]> {
  const names = [...new Set(places.map((place) => place.topic))]
  const { topics } = await askMetadata(connections, names)
  const leaders = new Map<string, LedPlace>()
  for (const { topic, partitions } of topics) {
    for (const { partition, leader, leaderEpoch } of partitions) {
      leaders.set(partitionKey({ topic, partition }), { topic, partition, leader, leaderEpoch })
    }
  }
  return places.map((place) => {
    const known = leaders.get(partitionKey(place))
    if (known !== undefined && known.leader >= 0) return known
    return fail('SOURCE_UNREACHABLE', { detail: `${partitionKey(place)} has no leader now` })
  })
}

async function askLeader(
  connections: ClusterConnections,
  places: readonly LedPlace[],
  timestampMs: bigint,
): Promise<Map<string, bigint>> {
  const leader = places[0]?.leader ?? -1
  const link = connections.broker(leader)
  if (link === undefined) fail('SOURCE_UNREACHABLE', { detail: `broker ${leader} is not known` })
  const response = await link.call(listOffsetsApi, {
    topics: Object.entries(Object.groupBy(places, (place) => place.topic)).map(
      ([topic, partitions = []]) => ({
        topic,
        partitions: partitions.map(({ partition, leaderEpoch }) => ({
          partition,
          currentLeaderEpoch: leaderEpoch,
          timestampMs,
        })),
      }),
    ),
  })
  const offsets = new Map<string, bigint>()
  for (const { topic, partitions } of response.topics) {
    for (const answer of partitions) {
      const key = partitionKey({ topic, partition: answer.partition })
      const detail = `${key}: the broker answers ${errorText(answer.errorCode)} to ListOffsets`
      if (answer.errorCode === errorCode.topicAuthorizationFailed) fail('SOURCE_AUTH', { detail })
      if (answer.errorCode !== errorCode.none) fail('SOURCE_UNREACHABLE', { detail })
      offsets.set(key, answer.offset)
    }
  }
  for (const place of places) {
    const key = partitionKey(place)
    if (!offsets.has(key)) fail('SOURCE_PROTOCOL', { detail: `no offset for ${key} in the answer` })
  }
  return offsets
}
