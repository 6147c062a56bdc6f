// The life of one task of one attempt. Invariants (SPEC.md gives their numbers and tests):
//
// - a transaction that may be sealed is rolled back only for an Abort of this very checkpoint and
//   attempt (DF-1), and commits only with a permit (DF-2);
// - at most one checkpoint lies between its cut and its confirmed commit (DF-3);
// - `positions` are the next positions of everything that sinks have taken, and only grow (DF-4).

import type {
  Attempt,
  CheckpointNumber,
  Failure,
  LeaderEpoch,
  PipelineUid,
  Position,
  SinkName,
  Subtask,
} from '@onceflow/model'
import type {
  CommitOutcome,
  CommitPermit,
  Handle,
  RecordBatch,
  ResolveOutcome,
  SinkContextState,
  WorkerMessage,
} from '@onceflow/ports'

/** Who the task is; never changes. */
export interface TaskIdentity {
  readonly pipeline: PipelineUid
  readonly attempt: Attempt
  readonly subtask: Subtask
  /** In the order of the spec. */
  readonly sinks: readonly SinkName[]
  /** The checkpoint from which the attempt starts: committed before this task began. */
  readonly restored: CheckpointNumber
}

/** What the sinks took since the last cut. */
export interface OpenEpoch {
  readonly from: readonly Position[]
  readonly records: number
  readonly bytes: number
  /** Source commit time of the newest change, ms since 1970; 0 when none. */
  readonly newestMs: number
  /** full: a sink is near its limit; nothing more is taken until the next cut. */
  readonly room: 'free' | 'full'
  /** The strongest reason for a barrier that the leader was told for this epoch. */
  readonly asked: BarrierReason | 'nothing'
}

/** data: the epoch holds records, cut it when the interval is over; full: cut it now. */
export type BarrierReason = 'data' | 'full'

/** The frozen epoch of a checkpoint (P2). */
export interface Cut {
  readonly checkpoint: CheckpointNumber
  readonly from: readonly Position[]
  readonly to: readonly Position[]
  readonly records: number
  readonly newestMs: number
}

export interface Barrier {
  readonly checkpoint: CheckpointNumber
  readonly stop: 'yes' | 'no'
}

export type SinkCommit = 'in-flight' | 'waiting' | 'committed' | 'lost'
export interface SinkProgress {
  readonly sink: SinkName
  readonly state: SinkCommit
  /** Attempts to commit so far: the back-off grows with it. */
  readonly tries: number
  readonly failure: Failure | undefined
  readonly commitMs: number
}

export interface SealFacts {
  readonly handles: readonly Handle[]
  readonly contexts: readonly SinkContextState[]
  readonly rows: number
  readonly sealMs: number
}

/** The checkpoint that was cut and is not confirmed yet. */
export type Previous =
  /** Every cut so far is confirmed (or none was made). */
  | { readonly kind: 'none' }
  /** preCommit runs on every sink. */
  | { readonly kind: 'sealing'; readonly cut: Cut }
  /** preCommit failed on a sink; others may hold a sealed transaction. */
  | { readonly kind: 'broken'; readonly cut: Cut }
  /** Durable and invisible everywhere; waits for Commit or Abort, however long (R3). */
  | { readonly kind: 'sealed'; readonly cut: Cut; readonly facts: SealFacts }
  /** A permit is held; every sink commits until it has or until it proves a loss (R7). */
  | {
      readonly kind: 'committing'
      readonly cut: Cut
      readonly permit: CommitPermit
      readonly sinks: readonly SinkProgress[]
    }
  /** A sink proved its transaction gone: nothing is ever sealed again in this attempt. */
  | { readonly kind: 'lost'; readonly cut: Cut; readonly outcome: ResolveOutcome }

export interface TaskCore {
  readonly task: TaskIdentity
  /** Greatest leader epoch seen by this task; stands in every message it sends. */
  readonly leaderEpoch: LeaderEpoch
  readonly positions: readonly Position[]
  readonly previous: Previous
  /** Arrived and not cut yet: an invoke is running, or the previous checkpoint is not confirmed. */
  readonly pending: Barrier | undefined
  readonly lastBarrier: CheckpointNumber | undefined
  readonly lastCommitted: CheckpointNumber | undefined
  readonly lastCommitMs: number
  /** A batch is with the sinks: no cut may be made now. */
  readonly invoking: RecordBatch | undefined
  readonly polling: 'yes' | 'no'
  /** Source commit time of the newest visible change. */
  readonly newestVisibleMs: number
}

export interface TaskFlow extends TaskCore {
  readonly open: OpenEpoch
  /** Read and not taken yet; the batch at queueHead is next. */
  readonly queue: readonly RecordBatch[]
  readonly queueHead: number
}

/** Why the task ends: only abort may roll a sealed transaction back. */
export type EndCause = 'abort' | 'stop' | 'superseded'

export type TaskState =
  /** Sinks and reader are being opened; nothing was read. */
  | (TaskCore & { readonly kind: 'opening' })
  /** Takes batches; a cut is made as soon as one is wanted and allowed. */
  | (TaskFlow & { readonly kind: 'running' })
  /** Cut at a barrier with stop = yes: takes nothing until a barrier without, or the end. */
  | (TaskFlow & { readonly kind: 'stopped' })
  /** Reading is over; what is sealed stays, and still commits when it is decided. */
  | (TaskCore & { readonly kind: 'failed'; readonly failure: Failure })
  /** Told to end: waits for the calls in flight, since calls on a sink never overlap. */
  | (TaskCore & {
      readonly kind: 'ending'
      readonly cause: EndCause
      readonly opening: 'yes' | 'no'
      readonly rollBack: CheckpointNumber | undefined
    })
  /** Roll-back and close are being carried out. */
  | (TaskCore & { readonly kind: 'closing'; readonly cause: EndCause })
  | (TaskCore & { readonly kind: 'ended'; readonly cause: EndCause })

export interface Stamped {
  readonly attempt: Attempt
  readonly leaderEpoch: LeaderEpoch
}

export type TaskStep = 'open' | 'poll' | 'invoke' | 'seal'

export type TaskEvent =
  | { readonly kind: 'opened' }
  | { readonly kind: 'polled'; readonly batches: readonly RecordBatch[] }
  /** Every sink has taken the batch of the last invoke effect. */
  | { readonly kind: 'invoked'; readonly result: 'accepted' | 'full'; readonly newestMs: number }
  | (Stamped & Barrier & { readonly kind: 'barrier' })
  | (SealFacts & { readonly kind: 'sealed'; readonly checkpoint: CheckpointNumber })
  | (Stamped & { readonly kind: 'commit'; readonly permit: CommitPermit })
  | {
      readonly kind: 'commit-outcome'
      readonly sink: SinkName
      readonly checkpoint: CheckpointNumber
      readonly outcome: CommitOutcome
      readonly commitMs: number
    }
  | (Stamped & {
      readonly kind: 'abort'
      readonly next: Attempt
      readonly checkpoint: CheckpointNumber | undefined
    })
  | (Stamped & { readonly kind: 'stop-tasks' })
  /** A higher attempt is known, or the process stops: end, and leave what is sealed to RESOLVE. */
  | { readonly kind: 'superseded' }
  /** A new stream to a leader: what may have been lost with the old one is said again. */
  | { readonly kind: 'link-up'; readonly leaderEpoch: LeaderEpoch }
  | { readonly kind: 'step-failed'; readonly step: TaskStep; readonly failure: Failure }
  | { readonly kind: 'tick'; readonly timer: TaskTimer }
  | { readonly kind: 'closed' }

export type TaskTimer =
  | { readonly kind: 'commit'; readonly sink: SinkName; readonly checkpoint: CheckpointNumber }
  /** The calls in flight did not settle in time after the task was told to end. */
  | { readonly kind: 'end' }

export type TaskEffect =
  | { readonly kind: 'poll' }
  | { readonly kind: 'invoke'; readonly batch: RecordBatch }
  /** preCommit on every sink; the next invoke begins the next epoch's transactions. */
  | { readonly kind: 'seal'; readonly cut: Cut }
  | { readonly kind: 'commit'; readonly sink: SinkName; readonly permit: CommitPermit }
  | { readonly kind: 'wait'; readonly timer: TaskTimer; readonly delayMs: number }
  | { readonly kind: 'send'; readonly message: WorkerMessage }
  | { readonly kind: 'publish'; readonly positions: readonly Position[] }
  /** Read no more; sinks stay open. */
  | { readonly kind: 'close-reader' }
  /** Abort the open transactions and, when named, those of the checkpoint; then close all. */
  | { readonly kind: 'close'; readonly rollBack: CheckpointNumber | undefined }

export interface Step {
  readonly state: TaskState
  readonly effects: readonly TaskEffect[]
}
