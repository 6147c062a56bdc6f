import type {
  Attempt,
  Brand,
  Change,
  CheckpointNumber,
  ClusterUid,
  Failure,
  Json,
  LeaderEpoch,
  LedgerHead,
  PipelineUid,
  Position,
  Revision,
  SinkName,
  SinkSpec,
  SourceTable,
  Subtask,
  TableShape,
  TableSpec,
} from '@onceflow/model'
import type { RecordBatch } from './source-log.ts'

/** Turns a value into JSON and back; the version travels beside it and is checked. */
export interface VersionedSerializer<T> {
  readonly version: number
  serialize(value: T): Json
  /** Throws METADATA_FORMAT for a version or shape it does not know. */
  deserialize(version: number, json: Json): T
}

/** Who writes: every name that a sink leaves in an outside system is made of these. */
export interface SinkScope {
  readonly cluster: ClusterUid
  readonly pipeline: PipelineUid
  readonly sink: SinkName
  readonly attempt: Attempt
  readonly leaderEpoch: LeaderEpoch
}

export interface TaskSinkScope extends SinkScope {
  readonly subtask: Subtask
  /** Heads of all subtasks ever, for this sink: what the first ledger row of the attempt needs. */
  readonly heads: readonly LedgerHead[]
}

/** The right to commit: made from a Commit message that carries the decision's revision (R1). */
export type CommitPermit = Brand<
  {
    readonly checkpoint: CheckpointNumber
    readonly attempt: Attempt
    readonly leaderEpoch: LeaderEpoch
    readonly decision: Revision
  },
  'CommitPermit'
>

/** What preCommit is told: the checkpoint and the positions between which its records lie. */
export interface SealOrder {
  readonly checkpoint: CheckpointNumber
  readonly from: readonly Position[]
  readonly to: readonly Position[]
}

export type SealResult =
  /** Durable and invisible; the transaction's serialised form finishes it anywhere. */
  | { readonly kind: 'sealed'; readonly rowsUpserted: number; readonly rowsDeleted: number }
  /** Nothing was written: no transaction exists, nothing is to commit. */
  | { readonly kind: 'empty' }

export type CommitOutcome =
  | { readonly kind: 'committed' }
  /** Not settled: call again (R7). */
  | { readonly kind: 'unknown'; readonly failure: Failure }
  /** Proved gone: the pipeline stops with DATA_LOSS. */
  | { readonly kind: 'lost'; readonly failure: Failure }

/** accepted: go on; full: the buffer's limit is near, ask for an early barrier and pause. */
export type InvokeResult = 'accepted' | 'full'

/**
 * A sink whose effects follow checkpoints. One instance serves one task of one attempt (opened with
 * openTask), or one RESOLVE (opened with openRecovery); calls never overlap on one instance, except
 * that preCommit and commit may run beside beginTransaction and invoke of the next epoch, and
 * commit beside its resolveTable: records are taken while the epoch before is sealed.
 *
 * In: RecordBatch for input 'raw', Change[] for input 'decoded'. Txn: a transaction; after
 * preCommit its serialised form alone must let any worker commit or abort it. Context: what the
 * sink keeps for the life of a task (serialised into the checkpoint when it is not undefined).
 */
export interface TwoPhaseCommitSink<In, Txn, Context> {
  readonly input: 'raw' | 'decoded'
  readonly transactionSerializer: VersionedSerializer<Txn>
  readonly contextSerializer: VersionedSerializer<Context>

  /** Connects, checks the server, reads the fence; `restored` is the context of the checkpoint. */
  openTask(scope: TaskSinkScope, restored: Context | undefined): Promise<Context>
  /**
   * For decoded input: the shape in which changes of a table must come. `declared` is the shape of
   * a record with schema. May create the target table. Throws TARGET_TABLE_MISSING and the like.
   */
  resolveTable(source: SourceTable, declared: TableShape | undefined): Promise<TableShape>
  beginTransaction(context: Context): Promise<Txn>
  invoke(txn: Txn, batch: In, context: Context): Promise<InvokeResult>
  /** Called after the commit of the subtask's previous checkpoint was confirmed. */
  preCommit(txn: Txn, order: SealOrder): Promise<SealResult>
  commit(txn: Txn, permit: CommitPermit): Promise<CommitOutcome>
  /** Of a transaction that is not decided; idempotent. */
  abort(txn: Txn): Promise<void>

  openRecovery(scope: SinkScope): Promise<void>
  /** RESOLVE, phase one: commit what is decided. */
  recoverAndCommit(decided: DecidedSet<Txn>): Promise<RecoverCommitResult>
  /** RESOLVE, phase two (2): roll back strays of attempts lower than the scope's. */
  recoverAndAbort(decided: DecidedSet<Txn>): Promise<RecoverAbortResult>
  /** RESOLVE, phase two (3) and (4): raise the fence, then compare the ledger with the heads. */
  finishRecovery(expectation: LedgerExpectation): Promise<FinishResult>
  close(): Promise<void>
}

/** The decided set, read at or after the revision that stored the attempt (R4). */
export interface DecidedSet<Txn> {
  /** Handles of this sink in records that are not COMPLETED: to be committed now. */
  readonly open: readonly DecidedTransaction<Txn>[]
  /** Every record above the retire mark, for what is found prepared without being asked for. */
  readonly known: readonly KnownCheckpoint[]
  /** Nothing at or below this number is rolled back by absence. */
  readonly retireMark: CheckpointNumber
}

export interface DecidedTransaction<Txn> {
  readonly checkpoint: CheckpointNumber
  readonly attempt: Attempt
  readonly subtask: Subtask
  readonly txn: Txn
}

export interface KnownCheckpoint {
  readonly checkpoint: CheckpointNumber
  readonly attempt: Attempt
  readonly state: 'committed' | 'completed' | 'undone'
}

export type RecoverCommitResult =
  | { readonly kind: 'done'; readonly lost: readonly LostTransaction[] }
  /** A transaction at or below the retire mark, or one of a higher attempt, was found. */
  | { readonly kind: 'stopped'; readonly failure: Failure }

export interface LostTransaction {
  readonly subtask: Subtask
  readonly checkpoint: CheckpointNumber
  readonly failure: Failure
}

export type RecoverAbortResult =
  | { readonly kind: 'done'; readonly rolledBack: number }
  | { readonly kind: 'stopped'; readonly failure: Failure }

export interface LedgerExpectation {
  readonly heads: readonly LedgerHead[]
  /** Newest decided checkpoint; a ledger row above it means SINK_AHEAD. */
  readonly newestDecided: CheckpointNumber
}

export type FinishResult =
  | { readonly kind: 'done' }
  /** The resolver is stale: a higher fence or attempt exists. */
  | { readonly kind: 'stale'; readonly failure: Failure }
  | { readonly kind: 'ahead'; readonly failure: Failure }
  | { readonly kind: 'missing'; readonly heads: readonly LedgerHead[]; readonly failure: Failure }

/** What a sink promises under a guarantee, printed at start (R12). */
export interface SinkClaim {
  readonly guarantee: 'exactly-once' | 'at-least-once' | 'at-most-once'
  readonly reason: string
}

export interface PreflightProblem {
  readonly severity: 'error' | 'warning'
  readonly failure: Failure
}

/** A sink of any types, as the worker holds it: it never looks inside a transaction or context. */
// biome-ignore lint/suspicious/noExplicitAny: the worker is generic over every sink's own types.
export type AnySink = TwoPhaseCommitSink<any, any, any>

export interface SinkFactory {
  /** SinkSpec.kind, or for a custom sink its type. */
  readonly kind: string
  create(request: SinkRequest): AnySink
  claim(request: SinkRequest): SinkClaim
  /** Checks before the start; every problem at once. */
  preflight(request: SinkRequest, tasks: number): Promise<readonly PreflightProblem[]>
}

export interface SinkRequest {
  readonly spec: SinkSpec
  readonly tables: readonly TableSpec[]
  readonly otherTables: 'pass' | 'ignore' | 'refuse'
}

/** The batch types of the two inputs. */
export type RawInput = RecordBatch
export type DecodedInput = readonly Change[]
