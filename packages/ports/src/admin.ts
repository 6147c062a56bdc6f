import type {
  Attempt,
  CheckpointNumber,
  ClusterUid,
  Failure,
  Incarnation,
  LeaderEpoch,
  PipelineName,
  PipelineSpec,
  PipelineUid,
  Position,
  Revision,
  SinkName,
  Subtask,
  WorkerId,
} from '@onceflow/model'

/**
 * What the admin API asks of the leader. The adapter has checked the shape of a request (names,
 * page sizes, tokens, the spec's own rules) and turns what is thrown into a status: an
 * OnceflowError by its code, anything else into an internal error that tells nothing.
 *
 * Every time here is wall-clock milliseconds since 1970 or a length in milliseconds, for people to
 * look at. Views hold the whole spec; the adapter redacts it.
 */
export interface AdminHandler {
  /** ALREADY_EXISTS when the name is taken. */
  createPipeline(request: CreatePipeline): Promise<PipelineView>
  /** NOT_FOUND. */
  getPipeline(name: PipelineName): Promise<PipelineView>
  /** In order of name. */
  listPipelines(page: Page): Promise<PageOf<PipelineView>>
  /** NOT_FOUND unless missing says create; ETAG_MISMATCH; PRECONDITION_FAILED. */
  updatePipeline(request: UpdatePipeline): Promise<PipelineView>
  /**
   * Stops the tasks, completes RESOLVE and removes the pipeline's records. Resolves when the
   * deletion is stored: the view's state is 'deleting' until its sinks are clean.
   */
  deletePipeline(request: ChangePipeline): Promise<PipelineView>
  /** Ends with a committed checkpoint; afterwards nothing is prepared. Idempotent. */
  pausePipeline(request: ChangePipeline): Promise<PipelineView>
  /** Starts a new attempt of a paused or stopped pipeline. Idempotent. */
  resumePipeline(request: ChangePipeline): Promise<PipelineView>
  /** Newest first. */
  listCheckpoints(pipeline: PipelineName, page: Page): Promise<PageOf<CheckpointView>>
  getCheckpoint(pipeline: PipelineName, checkpoint: CheckpointNumber): Promise<CheckpointView>
  /** Sealed transactions that are not confirmed yet; of all pipelines when none is named. */
  listTransactions(pipeline: PipelineName | undefined, page: Page): Promise<PageOf<TransactionView>>
  listWorkers(page: Page): Promise<PageOf<WorkerView>>
  getWorker(worker: WorkerId): Promise<WorkerView>
  getStatus(): Promise<ClusterView>
}

export interface Page {
  /** 1 and up; the adapter has put in the default and the cap. */
  readonly size: number
  /** The `next` of the page before; undefined for the first page. */
  readonly after: string | undefined
}

export interface PageOf<T> {
  readonly items: readonly T[]
  /** Where the next page begins, in the handler's own words; undefined when this is the last. */
  readonly next: string | undefined
}

/** What every change of a resource carries. */
export interface ChangeOptions {
  /** only: do every check, change nothing, and give the resource as it would be. */
  readonly validate: 'only' | 'no'
  /** A repeated id may be answered with the first result; '' when none was given. */
  readonly requestId: string
}

export interface CreatePipeline extends ChangeOptions {
  readonly spec: PipelineSpec
}

export interface UpdatePipeline extends ChangeOptions {
  readonly spec: PipelineSpec
  /** Of the resource as the caller read it; undefined: whatever it is now. */
  readonly etag: string | undefined
  readonly missing: 'create' | 'refuse'
}

export interface ChangePipeline extends ChangeOptions {
  readonly name: PipelineName
  readonly etag: string | undefined
}

/**
 * starting: RESOLVE or the start of tasks is under way; waiting: no worker has room; running:
 * records flow; pausing and paused: asked for by a user; stopped: a fatal failure, an operator has
 * to act; deleting: RESOLVE before removal.
 */
export type PipelineState =
  | 'waiting'
  | 'starting'
  | 'running'
  | 'pausing'
  | 'paused'
  | 'stopped'
  | 'deleting'

/** Figures of the moment, summed over tasks; since the tasks started where they count. */
export interface FlowFigures {
  readonly recordsPerSecond: number
  readonly rowsPerSecond: number
  readonly lagRecords: number
  /** Now less the source commit time of the newest visible row; undefined when none is visible. */
  readonly freshnessMs: number | undefined
}

export interface PipelineView {
  readonly name: PipelineName
  readonly uid: PipelineUid
  readonly spec: PipelineSpec
  readonly etag: string
  readonly state: PipelineState
  /** Why the state is what it is, where there is a reason. */
  readonly failure: Failure | undefined
  readonly attempt: Attempt
  /** Attempts that failed in a row. */
  readonly restarts: number
  /** Tasks of the attempt; 0 before its first start. */
  readonly tasks: number
  readonly flow: FlowFigures
  readonly lastCheckpoint: CheckpointGlance | undefined
  /** What each sink gives, with the reason (R12). */
  readonly claims: readonly SinkClaimView[]
  readonly createdMs: number
  readonly updatedMs: number
}

export interface SinkClaimView {
  readonly sink: SinkName
  readonly guarantee: string
  readonly reason: string
}

export interface CheckpointGlance {
  readonly checkpoint: CheckpointNumber
  /** When its decision was stored. */
  readonly decidedMs: number
  readonly durationMs: number
}

export type CheckpointKind = 'start' | 'regular' | 'rewind'

/** sealing: not decided; committed: decided, not confirmed by all; the others are final. */
export type CheckpointState = 'sealing' | 'committed' | 'completed' | 'aborted' | 'undone' | 'lost'

export interface CheckpointView {
  readonly pipeline: PipelineName
  readonly checkpoint: CheckpointNumber
  readonly attempt: Attempt
  readonly leaderEpoch: LeaderEpoch
  readonly kind: CheckpointKind
  readonly state: CheckpointState
  /** Of the decision; undefined when not decided. */
  readonly revision: Revision | undefined
  readonly startedMs: number
  readonly decidedMs: number | undefined
  readonly completedMs: number | undefined
  readonly records: number
  readonly rows: number
  /** Slowest task. */
  readonly sealMs: number
  readonly decideMs: number
  readonly commitMs: number
  /** Empty in lists. */
  readonly positions: readonly Position[]
  /** Empty in lists. */
  readonly transactions: readonly SealedView[]
}

export interface SealedView {
  readonly sink: SinkName
  readonly subtask: Subtask
  readonly kind: 'sealed' | 'empty'
}

export interface TransactionView {
  readonly pipeline: PipelineName
  readonly sink: SinkName
  readonly subtask: Subtask
  readonly checkpoint: CheckpointNumber
  readonly attempt: Attempt
  /** Its name in the outside system (PostgreSQL: the gid). */
  readonly id: string
  /** undecided: may be rolled back; commit: it will be committed, whatever happens. */
  readonly decision: 'undecided' | 'commit' | 'abort'
  readonly worker: WorkerId | undefined
  readonly ageMs: number
}

export type WorkerState = 'live' | 'silent' | 'draining' | 'lost'

export interface WorkerView {
  readonly worker: WorkerId
  readonly incarnation: Incarnation
  readonly version: string
  readonly state: WorkerState
  /** The far end of its control stream. */
  readonly peer: string
  readonly connectedMs: number
  readonly heartbeatAgeMs: number
  readonly tasksMax: number
  readonly tasks: readonly WorkerTaskView[]
  readonly rssBytes: number
  readonly eventLoopLagMs: number
}

export interface WorkerTaskView {
  readonly pipeline: PipelineName
  readonly subtask: Subtask
  readonly attempt: Attempt
  readonly lastCommitted: CheckpointNumber | undefined
  readonly lagRecords: number
  readonly recordsIn: number
  /** What the task waits for: no, source, sink, commit or stopped. */
  readonly waiting: string
}

/** One screen: is data flowing, how far behind, what is committed, who leads. */
export interface ClusterView {
  readonly cluster: ClusterUid
  readonly version: string
  readonly leader: {
    readonly id: string
    readonly address: string
    readonly leaderEpoch: LeaderEpoch
    readonly sinceMs: number
  }
  readonly coordinators: readonly CoordinatorView[]
  readonly workersLive: number
  readonly workersLost: number
  readonly pipelines: readonly PipelineGlance[]
  readonly flow: FlowFigures
}

export interface CoordinatorView {
  readonly id: string
  readonly address: string
  readonly role: 'leader' | 'follower'
}

export interface PipelineGlance {
  readonly name: PipelineName
  readonly state: PipelineState
  readonly failure: Failure | undefined
  readonly flow: FlowFigures
  readonly lastCheckpoint: CheckpointGlance | undefined
}
