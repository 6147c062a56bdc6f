import { type Position, partitionKey } from '@onceflow/model'

/**
 * Where a reader stands in one partition.
 *
 * Invariants: `position <= fetchOffset`, and what lies between is in the queue; at most one request
 * holds the cursor (`flight`), and an answer to any other request is dropped, so that no offset is
 * queued twice; `fetchOffset` never goes back.
 */
export interface PartitionCursor {
  readonly key: string
  readonly topic: string
  readonly partition: number
  readonly topicId: string
  /** What the next Fetch asks for, and the leader epoch of the batch before it (-1 unknown). */
  fetchOffset: bigint
  fetchEpoch: number
  /** The next offset that has not been handed over. */
  position: bigint
  /** End of the committed part, as the newest answer told it. */
  end: bigint
  /** -1: none known. */
  leader: number
  leaderEpoch: number
  queuedBytes: number
  /** Number of the request that holds the cursor, 0 for none. */
  flight: number
  /** Its next batch was larger than the room it got; put first, it gets a whole one. */
  starved: 'yes' | 'no'
  pausedUntilMs: number
  failures: number
  failingSinceMs: number | undefined
  /** When brokers first said that they do not know the topic. */
  missingSinceMs: number | undefined
  /** in-doubt: a broker did not know the topic; nothing is read until metadata tells its id. */
  identity: 'proved' | 'in-doubt'
  /** How many metadata answers in a row told another topic id. */
  otherIdSeen: number
}

export function newCursor(position: Position): PartitionCursor {
  return {
    key: partitionKey(position),
    topic: position.topic,
    partition: position.partition,
    topicId: position.topicId,
    fetchOffset: position.offset,
    fetchEpoch: position.leaderEpoch,
    position: position.offset,
    end: position.offset,
    leader: -1,
    leaderEpoch: -1,
    queuedBytes: 0,
    flight: 0,
    starved: 'no',
    pausedUntilMs: 0,
    failures: 0,
    failingSinceMs: undefined,
    missingSinceMs: undefined,
    identity: 'proved',
    otherIdSeen: 0,
  }
}

export function noteHealthy(cursor: PartitionCursor): void {
  cursor.failures = 0
  cursor.failingSinceMs = undefined
  cursor.missingSinceMs = undefined
  cursor.pausedUntilMs = 0
}
