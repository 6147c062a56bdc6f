import type { Failure } from '@onceflow/model'
import type { Clock, Journal } from '@onceflow/ports'
import type { ClusterConnections } from '../connection/cluster-connections.ts'
import type { WakeUp } from '../connection/wake-up.ts'
import type { KafkaSettings } from '../source-settings.ts'
import type { ChunkQueue } from './chunk-queue.ts'
import type { PartitionCursor } from './partition-cursor.ts'

/** What the loops of one reader share. Each of them ends soon after `closed` says yes. */
export interface ReaderContext {
  readonly connections: ClusterConnections
  readonly clock: Clock
  readonly journal: Journal
  readonly settings: KafkaSettings
  readonly cursors: ReadonlyMap<string, PartitionCursor>
  readonly queue: ChunkQueue
  /** Polls sleep on it until something is queued or fails. */
  readonly arrivals: WakeUp
  /** Fetch loops sleep on it until there is room, or a leader moved. */
  readonly movements: WakeUp
  readonly closed: () => boolean
  /** Reading cannot go on: every poll from now on throws this. */
  fail(failure: Failure): void
  /** One more failure of a partition; it becomes the reader's when it has lasted too long. */
  trouble(cursor: PartitionCursor, failure: Failure): void
  /** A leader or a topic is not what it was: look at the metadata before its time. */
  refreshSoon(): void
  /** The broker says that the offset does not exist: find out what does, then fail. */
  outOfRange(cursor: PartitionCursor): void
}
