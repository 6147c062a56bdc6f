import type {
  CheckpointNumber,
  ClusterUid,
  Failure,
  LeaderEpoch,
  Position,
  Revision,
  Subtask,
} from '@onceflow/model'
import type { InspectedOk, TxnRequest, WorkerMessage } from '@onceflow/ports'
import type { CheckpointRecord, StoredRecord } from './record.ts'
import type { AssignmentDoc, AttemptDoc, PipelineDoc, ResolvedDoc, StatusDoc } from './stored.ts'

/**
 * The life of one pipeline as its leader sees it. What is stored stands in `core`, as read back or
 * as confirmed by a Txn; `phase` is what the leader is waiting for. Invariants:
 * - core.records holds every record above the retire mark, ascending, none of them invented;
 * - at most one Txn that moves the pipeline is under way, and it stands in the phase;
 * - no task runs before RESOLVE of its attempt is done (phases before `starting` have no tasks).
 */
export interface PipelineState {
  readonly core: PipelineCore
  readonly phase: Phase
}

/** A worker process by id and incarnation: `id#incarnation`. */
export type WorkerKey = string

export interface LiveWorker {
  readonly key: WorkerKey
  readonly tasksMax: number
  /** Tasks of all pipelines that it runs now; placement fills the least loaded first. */
  readonly load: number
  readonly state: 'active' | 'draining'
}

export interface IdBlock {
  /** Next number to use. */
  readonly next: bigint
  /** First number that is not ours. */
  readonly end: bigint
  /** Revision of the ids key; undefined: not there yet. */
  readonly seen: Revision | undefined
}

/** Limits and times of the control loop; process settings of the coordinator. */
export interface CheckpointSettings {
  /** N: newest decisions kept whole. */
  readonly recordsKept: number
  /** Records younger than this are kept too: the tolerated lag of a database replica. */
  readonly retentionMs: number
  /** Consecutive failures without a completed checkpoint before the pipeline stops. */
  readonly restartsMax: number
  /** Before the second attempt after a failure; the first one waits for nothing. */
  readonly backOffMinMs: number
  readonly backOffMaxMs: number
  /** How long tasks of the old attempt may take to end before RESOLVE goes on without them. */
  readonly quiesceMs: number
  /** How long tasks may take to start. */
  readonly startMs: number
  /** How long an inspection or one RESOLVE order may take before another worker is asked. */
  readonly orderMs: number
  /** Blocks of history kept; each holds about retireBatch summaries. */
  readonly historyBlocks: number
  /** Records are retired in batches of this many. */
  readonly retireBatch: number
}

export const defaultSettings: CheckpointSettings = {
  recordsKept: 10,
  retentionMs: 60_000,
  restartsMax: 20,
  backOffMinMs: 100,
  backOffMaxMs: 5_000,
  quiesceMs: 2_000,
  startMs: 30_000,
  orderMs: 60_000,
  historyBlocks: 40,
  retireBatch: 50,
}

export interface Restarts {
  /** Failures since the last completed checkpoint. */
  readonly consecutive: number
  readonly notBeforeMs: number
  readonly last: Failure | undefined
}

/** Partitions found after the start, read only when the old ones are past `mustPass` (kafka.md). */
export interface Growth {
  readonly joining: readonly Position[]
  /** Ends of the old partitions of the same topics when the new ones were found. */
  readonly mustPass: readonly Position[]
}

export interface PipelineCore {
  readonly cluster: ClusterUid
  readonly leaderEpoch: LeaderEpoch
  readonly settings: CheckpointSettings
  readonly doc: PipelineDoc
  readonly docRevision: Revision
  readonly attempt: AttemptDoc
  readonly attemptRevision: Revision
  readonly assignment: AssignmentDoc | undefined
  readonly resolved: ResolvedDoc | undefined
  readonly status: StatusDoc | undefined
  /** A status that no Txn could carry so far; the next attempt does. */
  readonly statusStored: 'yes' | 'no'
  readonly records: readonly StoredRecord[]
  readonly retireMark: CheckpointNumber
  /** Revision of the mark's key; undefined: not there yet. */
  readonly retireSeen: Revision | undefined
  /** Keys of history blocks, oldest first. */
  readonly history: readonly string[]
  readonly ids: IdBlock
  readonly workers: readonly LiveWorker[]
  readonly inspected: Inspected | undefined
  readonly restarts: Restarts
  readonly growth: Growth | undefined
  /** Injected, not decided and given up: the next attempt says so (R3), whenever it is stored. */
  readonly givenUp: CheckpointNumber | undefined
  /** COMPLETED of the newest record, confirmed by all tasks and not stored yet (P9). */
  readonly confirmed: CheckpointRecord | undefined
  /** A background Txn (reserve, retire, complete when idle) under way. */
  readonly background: 'none' | 'reserve' | 'retire' | 'complete'
  /** After an outcome that is not known: no background Txn goes out before this. */
  readonly backgroundFromMs: number
  /** The checkpoint of which a background Txn stores COMPLETED. */
  readonly completing: CheckpointNumber | undefined
}

/** What an inspection found, and the generation of the spec that it was made for. */
export interface Inspected extends Omit<InspectedOk, 'kind'> {
  readonly generation: number
}

/** A Txn that moves the pipeline; sent again, unchanged, until its outcome is definite. */
export interface PendingTxn {
  readonly request: TxnRequest
  readonly unique: string
  readonly tries: number
  /** undefined: in flight. */
  readonly retryAtMs: number | undefined
}

export type SealedMessage = Extract<WorkerMessage, { kind: 'sealed' }>

/** Why tasks are to stop at a checkpoint, cleanly. */
export type StopReason = 'pause' | 'delete' | 'spec' | 'rebalance' | 'growth' | 'shutdown'

export type CheckpointPhase =
  /** Nothing between P1 and P9. */
  | {
      readonly kind: 'idle'
      /** The next barrier is not injected before this. */
      readonly dueMs: number
      /** data: records wait; full: a buffer is full, inject now. */
      readonly wanted: 'no' | 'data' | 'full'
    }
  /** Barrier n is out; Sealed(n) is awaited from every task. */
  | {
      readonly kind: 'sealing'
      readonly checkpoint: CheckpointNumber
      readonly stop: StopReason | undefined
      readonly injectedMs: number
      readonly sealed: ReadonlyMap<Subtask, SealedMessage>
      readonly wanted: 'no' | 'data' | 'full'
    }
  /** P6 is under way; nothing else may happen to the attempt before its outcome is definite. */
  | {
      readonly kind: 'deciding'
      readonly record: CheckpointRecord
      readonly stop: StopReason | undefined
      readonly injectedMs: number
      readonly sealedMs: number
      readonly pending: PendingTxn
      readonly wanted: 'no' | 'data' | 'full'
      /** A failure that arrived meanwhile; acted upon after the outcome. */
      readonly failed: Failure | undefined
    }
  /** Decided; Committed(n) is awaited from every task (never given up, R7). */
  | {
      readonly kind: 'committing'
      readonly record: CheckpointRecord
      readonly revision: Revision
      readonly stop: StopReason | undefined
      readonly injectedMs: number
      readonly decidedMs: number
      readonly confirmed: ReadonlySet<Subtask>
      readonly wanted: 'no' | 'data' | 'full'
    }

export type Phase =
  /** No worker, or the back-off runs. */
  | { readonly kind: 'waiting'; readonly reason: 'workers' | 'back-off' }
  /** generation: of the spec that is inspected; the answer to an older one is not taken. */
  | {
      readonly kind: 'inspecting'
      readonly worker: WorkerKey
      readonly untilMs: number
      readonly generation: number
    }
  | {
      readonly kind: 'storing-attempt'
      readonly pending: PendingTxn
      readonly attempt: AttemptDoc
      readonly assignment: AssignmentDoc
      readonly givesUp: CheckpointNumber | undefined
      readonly completes: readonly CheckpointRecord[]
      readonly stops: StatusDoc | undefined
      /** Workers that may still run tasks of a lower attempt. */
      readonly holders: readonly WorkerKey[]
    }
  /** Abort is sent; old tasks are ending. */
  | {
      readonly kind: 'quiescing'
      readonly waitingFor: readonly WorkerKey[]
      readonly untilMs: number
    }
  /** worker undefined: no order is out; one goes out at untilMs. */
  | {
      readonly kind: 'resolving-commit'
      readonly worker: WorkerKey | undefined
      readonly untilMs: number
      readonly tries: number
    }
  | {
      readonly kind: 'storing-completed'
      readonly pending: PendingTxn
      readonly records: readonly CheckpointRecord[]
      readonly stops: StatusDoc | undefined
    }
  | {
      readonly kind: 'resolving-abort'
      readonly worker: WorkerKey | undefined
      readonly untilMs: number
      readonly tries: number
      /** Revision that the order carries. */
      readonly revision: Revision
    }
  | {
      readonly kind: 'storing-resolved'
      readonly pending: PendingTxn
      readonly resolved: ResolvedDoc
      readonly initial: CheckpointRecord | undefined
    }
  | {
      readonly kind: 'starting'
      readonly waitingFor: readonly Subtask[]
      readonly untilMs: number
      readonly sinceMs: number
      /** What tasks that run already asked for; each asks once for an epoch. */
      readonly wanted: 'no' | 'data' | 'full'
    }
  | {
      readonly kind: 'running'
      readonly checkpoint: CheckpointPhase
      /** A clean stop is wanted at the next barrier. */
      readonly stopWanted: StopReason | undefined
    }
  /** All tasks stand at a committed checkpoint; stop-tasks is sent. */
  | {
      readonly kind: 'ending'
      readonly waitingFor: readonly WorkerKey[]
      readonly untilMs: number
      readonly stop: StopReason
    }
  /** seen: revision of the document when the status was made. */
  | {
      readonly kind: 'storing-status'
      readonly pending: PendingTxn
      readonly status: StatusDoc
      readonly seen: Revision
    }
  /** Nothing of the pipeline runs and nothing of it is left prepared. */
  | { readonly kind: 'parked'; readonly reason: 'paused' | 'stopped' }
  | { readonly kind: 'storing-gone'; readonly pending: PendingTxn }
  /** Deleted; the loop sweeps its keys and forgets it. */
  | { readonly kind: 'gone' }
  /** Another leader moved the keys: nothing is decided here any more. */
  | { readonly kind: 'deposed'; readonly cause: string }

/** The newest decided record, undone ones left out; undefined before checkpoint 0. */
export const newestRecord = (core: PipelineCore): StoredRecord | undefined =>
  core.records.findLast((stored) => stored.record.state !== 'undone')
