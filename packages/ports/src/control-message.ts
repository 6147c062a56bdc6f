import type {
  Attempt,
  CheckpointNumber,
  ClusterUid,
  Failure,
  Incarnation,
  Json,
  LeaderEpoch,
  LedgerHead,
  PipelineSpec,
  PipelineUid,
  Position,
  Revision,
  SinkName,
  SourcePartition,
  Subtask,
  WorkerId,
} from '@onceflow/model'
import type { KnownCheckpoint } from './sink.ts'
import type { PartitionInfo } from './source-log.ts'

/** R5: what every message about a pipeline carries; a receiver drops what is lower than its own. */
export interface Stamp {
  readonly pipeline: PipelineUid
  readonly attempt: Attempt
  readonly leaderEpoch: LeaderEpoch
}

/** A sealed transaction as it stands in a decision: enough for any worker to finish it. */
export interface Handle {
  readonly sink: SinkName
  readonly subtask: Subtask
  /** empty: nothing was written, there is nothing to commit. */
  readonly kind: 'sealed' | 'empty'
  readonly version: number
  readonly data: Json
}

export interface RecordOfHandles {
  readonly checkpoint: CheckpointNumber
  readonly attempt: Attempt
  readonly handles: readonly Handle[]
}

export type LeaderMessage =
  | {
      readonly kind: 'welcome'
      readonly leaderEpoch: LeaderEpoch
      readonly cluster: ClusterUid
      readonly heartbeatIntervalMs: number
    }
  | { readonly kind: 'heartbeat'; readonly leaderEpoch: LeaderEpoch }
  /** Lists partitions and runs the preflight of every sink. */
  | (Stamp & { readonly kind: 'inspect'; readonly spec: PipelineSpec })
  /** RESOLVE phase one on every sink of the scope. revision: that which stored the attempt. */
  | (Stamp & {
      readonly kind: 'resolve-commit'
      readonly spec: PipelineSpec
      readonly revision: Revision
      readonly open: readonly RecordOfHandles[]
      readonly known: readonly KnownCheckpoint[]
      readonly retireMark: CheckpointNumber
    })
  /** RESOLVE phase two; revision: that of the completion Txn, or of the attempt when none. */
  | (Stamp & {
      readonly kind: 'resolve-abort'
      readonly spec: PipelineSpec
      readonly revision: Revision
      readonly known: readonly KnownCheckpoint[]
      readonly retireMark: CheckpointNumber
      readonly heads: readonly LedgerHead[]
      readonly newestDecided: CheckpointNumber
    })
  | (Stamp & {
      readonly kind: 'start-task'
      readonly spec: PipelineSpec
      readonly subtask: Subtask
      /** The record from which the attempt starts, as read back. */
      readonly restored: CheckpointNumber
      readonly positions: readonly Position[]
      /** Of all sinks and all subtasks ever. */
      readonly heads: readonly LedgerHead[]
      readonly contexts: readonly SinkContextState[]
    })
  /** stop: take no record of the next epoch until told (or until stopped). */
  | (Stamp & {
      readonly kind: 'inject-barrier'
      readonly checkpoint: CheckpointNumber
      readonly stop: 'yes' | 'no'
    })
  | (Stamp & {
      readonly kind: 'commit'
      readonly checkpoint: CheckpointNumber
      readonly revision: Revision
    })
  /**
   * The attempt of the stamp is over (R3): next was stored at revision. Tasks of lower attempts
   * roll back and end; checkpoint names the one given up, when there was one.
   */
  | (Stamp & {
      readonly kind: 'abort'
      readonly next: Attempt
      readonly checkpoint: CheckpointNumber | undefined
      readonly revision: Revision
    })
  /** After a committed checkpoint with stop = yes: tasks end cleanly, nothing to roll back. */
  | (Stamp & { readonly kind: 'stop-tasks' })
  /** Answer to draining: nothing of this worker is left, it may exit. */
  | { readonly kind: 'drained'; readonly leaderEpoch: LeaderEpoch }

export interface SinkContextState {
  readonly sink: SinkName
  readonly subtask: Subtask
  readonly version: number
  readonly data: Json
}

export interface TaskReport {
  readonly pipeline: PipelineUid
  readonly attempt: Attempt
  readonly subtask: Subtask
  readonly lastBarrier: CheckpointNumber | undefined
  readonly lastCommitted: CheckpointNumber | undefined
  readonly sealing: 'yes' | 'no'
}

/** Counters since the task started; the leader makes rates and lag of them. */
export interface TaskStats extends TaskReport {
  readonly recordsIn: number
  readonly bytesIn: number
  readonly rowsUpserted: number
  readonly rowsDeleted: number
  readonly ignored: number
  readonly lagRecords: number
  /** Source commit time of the newest visible row, ms since 1970; 0 when none. */
  readonly newestVisibleMs: number
  readonly bufferedRecords: number
  readonly waiting: 'no' | 'source' | 'sink' | 'commit' | 'stopped'
}

export interface InspectedOk {
  readonly kind: 'ok'
  readonly partitions: readonly PartitionInfo[]
  readonly claims: readonly {
    readonly sink: SinkName
    readonly guarantee: string
    readonly reason: string
  }[]
  readonly warnings: readonly Failure[]
}

export type ResolveOutcome =
  | { readonly kind: 'done' }
  | {
      readonly kind: 'lost'
      readonly lost: readonly {
        readonly sink: SinkName
        readonly subtask: Subtask
        readonly checkpoint: CheckpointNumber
        readonly failure: Failure
      }[]
    }
  /** class retry: same attempt, try again; fence: stand down; fatal: stop the pipeline. */
  | { readonly kind: 'failed'; readonly failure: Failure }

export type WorkerMessage =
  | {
      readonly kind: 'hello'
      readonly worker: WorkerId
      readonly incarnation: Incarnation
      readonly version: string
      /** Greatest leader epoch seen: a leader with a lower one is stale. */
      readonly seen: LeaderEpoch
      readonly tasksMax: number
      readonly tasks: readonly TaskReport[]
    }
  | {
      readonly kind: 'heartbeat'
      readonly leaderEpoch: LeaderEpoch
      readonly tasks: readonly TaskStats[]
      readonly rssBytes: number
      readonly eventLoopLagMs: number
    }
  | (Stamp & {
      readonly kind: 'inspected'
      readonly result:
        | InspectedOk
        | { readonly kind: 'failed'; readonly failures: readonly Failure[] }
    })
  | (Stamp & { readonly kind: 'resolve-committed'; readonly outcome: ResolveOutcome })
  | (Stamp & { readonly kind: 'resolve-aborted'; readonly outcome: ResolveOutcome })
  | (Stamp & { readonly kind: 'task-started'; readonly subtask: Subtask })
  | (Stamp & { readonly kind: 'task-failed'; readonly subtask: Subtask; readonly failure: Failure })
  /** Tasks of the stamp's attempt have ended on this worker (answer to abort and stop-tasks). */
  | (Stamp & { readonly kind: 'tasks-ended' })
  | (Stamp & {
      readonly kind: 'sealed'
      readonly subtask: Subtask
      readonly checkpoint: CheckpointNumber
      readonly positions: readonly Position[]
      readonly handles: readonly Handle[]
      readonly contexts: readonly SinkContextState[]
      readonly records: number
      readonly rows: number
      readonly sealMs: number
    })
  | (Stamp & {
      readonly kind: 'committed'
      readonly subtask: Subtask
      readonly checkpoint: CheckpointNumber
      readonly outcome: ResolveOutcome
      readonly commitMs: number
    })
  | (Stamp & {
      readonly kind: 'barrier-wanted'
      readonly subtask: Subtask
      readonly reason: string
    })
  | (Stamp & {
      readonly kind: 'partitions-found'
      readonly partitions: readonly SourcePartition[]
    })
  /** SIGTERM was received: hand my tasks over, then say drained (R14). */
  | { readonly kind: 'draining'; readonly leaderEpoch: LeaderEpoch }
  /** Answer to a message that is lower than what the worker knows (R5). */
  | {
      readonly kind: 'stale'
      readonly leaderEpoch: LeaderEpoch
      readonly pipeline: PipelineUid | undefined
      readonly attempt: Attempt | undefined
    }
