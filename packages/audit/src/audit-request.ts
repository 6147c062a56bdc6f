import type { ClusterUid, PipelineSpec, PipelineUid, Secret } from '@onceflow/model'
import type { CheckpointView, Clock, SourceLogFactory } from '@onceflow/ports'

/**
 * A checkpoint as the admin API shows it. Positions and transactions are empty where they are not
 * known (lists leave them out, old ones are kept as summaries): what needs them is skipped.
 */
export type AuditCheckpoint = Pick<
  CheckpointView,
  'checkpoint' | 'attempt' | 'kind' | 'state' | 'positions' | 'transactions'
>

/**
 * The newest checkpoints without a hole between them, in any order, and checkpoint 0 where it is
 * still known. It is asked twice: before the target is read and after it, since a decision may come
 * in between.
 */
export type ReadCheckpoints = () => Promise<readonly AuditCheckpoint[]>

export interface AuditRequest {
  readonly spec: PipelineSpec
  readonly cluster: ClusterUid
  readonly pipelineUid: PipelineUid
  /** undefined: what compares the ledger with the decisions is skipped, and the report says so. */
  readonly checkpoints?: ReadCheckpoints | undefined
  /** One for each kind of source that a spec may name. */
  readonly sources: readonly SourceLogFactory[]
  readonly resolveSecret: (secret: Secret) => Promise<string> | string
  /** URL of the source's own database; undefined: only the log is compared. */
  readonly sourceDatabase?: string | undefined
  /** Every pipeline of the cluster; undefined: transactions of other pipelines are not judged. */
  readonly knownPipelines?: readonly PipelineUid[] | undefined
  readonly clock: Clock
  readonly progress?: ((event: AuditProgress) => void) | undefined
  readonly options?: Partial<AuditOptions> | undefined
}

export interface AuditProgress {
  readonly phase: 'snapshot' | 'read' | 'compare' | 'source-database' | 'done'
  /** One lower-case sentence for people. */
  readonly text: string
}

export interface AuditOptions {
  /** Findings of one kind that are listed for one table; all are counted. */
  readonly findingsMax: number
  /** yes: the values of differing columns stand in the findings. */
  readonly showValues: 'yes' | 'no'
  /**
   * ours: nobody but the pipeline writes the target tables, so a row that no record speaks of is a
   * phantom; shared: it may have been there before, and is reported as of unknown origin.
   */
  readonly targetTables: 'ours' | 'shared'
  /** How long a decided transaction may stay prepared before it counts as left open. */
  readonly graceMs: number
  /** Of all folded tables together: the fold is held in memory. */
  readonly rowsMax: number
  readonly textBytesMax: number
  /** The log gave nothing for this long before the position to be reached. */
  readonly silenceMs: number
}

export const defaultAuditOptions: AuditOptions = {
  findingsMax: 20,
  showValues: 'no',
  targetTables: 'shared',
  graceMs: 60_000,
  rowsMax: 3_000_000,
  textBytesMax: 512 * 1024 * 1024,
  silenceMs: 60_000,
}
