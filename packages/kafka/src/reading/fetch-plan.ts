import type { KafkaSettings } from '../source-settings.ts'
import type { FetchPartition, FetchRequest, FetchTopic } from '../wire/fetch.ts'
import type { PartitionCursor } from './partition-cursor.ts'

export interface PlanInput {
  /** Those that this broker leads, in a fixed order. */
  readonly cursors: readonly PartitionCursor[]
  readonly nowMs: number
  /** Bytes of this broker's partitions that may be queued. */
  readonly shareBytes: number
  /** Grows with each request, so that every partition comes first in turn. */
  readonly turn: number
  readonly settings: KafkaSettings
}

export type FetchPlan =
  | {
      readonly kind: 'fetch'
      readonly cursors: readonly PartitionCursor[]
      readonly request: FetchRequest
    }
  /** Nothing can be asked now: sleep, or be woken by a poll or by metadata. */
  | { readonly kind: 'wait'; readonly reason: 'no-room' | 'nothing'; readonly waitMs: number }

const idleWaitMs = 1_000
/** A partition whose queue holds so many full answers is left out until it is polled. */
const queuedAnswersMax = 2
const roomBytesMin = 64 * 1024

/** Which partitions the next Fetch asks for: those with room in the queue, each first in turn. */
export function planFetch(input: PlanInput): FetchPlan {
  const { settings, nowMs, cursors } = input
  const queuedBytes = cursors.reduce((sum, cursor) => sum + cursor.queuedBytes, 0)
  const room = input.shareBytes - queuedBytes
  const queueBytesMax = queuedAnswersMax * settings.partitionBytesMax
  const awake = cursors.filter((cursor) => cursor.pausedUntilMs <= nowMs)
  const wanted = awake.filter(
    (cursor) =>
      cursor.flight === 0 && cursor.identity === 'proved' && cursor.queuedBytes < queueBytesMax,
  )
  if (room <= 0 || wanted.length === 0) {
    const pauses = cursors.map((cursor) => cursor.pausedUntilMs - nowMs)
    const waitMs = Math.min(idleWaitMs, ...pauses.filter((pause) => pause > 0))
    return { kind: 'wait', reason: room <= 0 ? 'no-room' : 'nothing', waitMs }
  }
  const ordered = inTurn(wanted, input.turn)
  const leftOut = wanted.length < cursors.length
  const request: FetchRequest = {
    maxWaitMs: leftOut ? settings.maxWaitLeftOutMs : settings.maxWaitMs,
    bytesMin: 1,
    bytesMax: Math.min(settings.fetchBytesMax, Math.max(room, roomBytesMin)),
    topics: byTopic(ordered, settings.partitionBytesMax),
  }
  return { kind: 'fetch', cursors: ordered, request }
}

/** Only the first partition with data is sure to get a whole batch, however large it is. */
function inTurn(cursors: readonly PartitionCursor[], turn: number): readonly PartitionCursor[] {
  const start = turn % cursors.length
  const rotated = [...cursors.slice(start), ...cursors.slice(0, start)]
  const starved = rotated.filter((cursor) => cursor.starved === 'yes')
  if (starved.length === 0) return rotated
  return [...starved, ...rotated.filter((cursor) => cursor.starved === 'no')]
}

/** A broker refuses a topic that stands twice in a request: its partitions are put together. */
function byTopic(cursors: readonly PartitionCursor[], bytesMax: number): FetchTopic[] {
  const topics = new Map<string, FetchTopic & { partitions: FetchPartition[] }>()
  for (const cursor of cursors) {
    const partition: FetchPartition = {
      partition: cursor.partition,
      currentLeaderEpoch: cursor.leaderEpoch,
      fetchOffset: cursor.fetchOffset,
      lastFetchedEpoch: cursor.fetchEpoch,
      bytesMax,
    }
    const topic = topics.get(cursor.topic)
    if (topic !== undefined) topic.partitions.push(partition)
    else {
      const { topicId } = cursor
      topics.set(cursor.topic, { topic: cursor.topic, topicId, partitions: [partition] })
    }
  }
  return [...topics.values()]
}
