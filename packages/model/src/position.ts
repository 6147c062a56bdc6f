import type { Attempt, CheckpointNumber, Offset, SinkName, Subtask } from './ids.ts'

/** A partition of a source topic, told apart from a re-created topic of the same name by its id. */
export interface SourcePartition {
  readonly topic: string
  /** Topic id as 22 characters base64url or 36 characters uuid text; '' where a log has no ids. */
  readonly topicId: string
  readonly partition: number
}

/** Where reading of a partition goes on: the next offset, and the leader epoch last seen. */
export interface Position extends SourcePartition {
  readonly offset: Offset
  /** -1 when unknown. */
  readonly leaderEpoch: number
}

/** The place of one record: its only certain identity. */
export interface RecordPosition {
  readonly topic: string
  readonly partition: number
  readonly offset: bigint
}

/** The newest non-empty ledger row that a subtask has written to a sink. */
export interface LedgerHead {
  readonly sink: SinkName
  readonly subtask: Subtask
  readonly checkpoint: CheckpointNumber
  readonly attempt: Attempt
}

/** The text `topic/partition`, used as a map key; a topic name cannot hold a slash. */
export const partitionKey = (place: { topic: string; partition: number }): string =>
  `${place.topic}/${place.partition}`
