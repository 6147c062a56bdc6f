import type { Failure, Revision } from '@onceflow/model'
import type {
  JournalFields,
  JournalLevel,
  LeaderMessage,
  Stamp,
  TaskReport,
  TxnOutcome,
  TxnRequest,
  WorkerMessage,
} from '@onceflow/ports'
import type { LiveWorker, WorkerKey } from './state.ts'
import type { CheckpointSummary, PipelineDoc, StatusDoc } from './stored.ts'

/** What the pipeline's own messages are: those with a stamp. */
export type PipelineMessage = Extract<WorkerMessage, Stamp>

/** move: the Txn of the phase. The others run in the background. */
export type TxnTag = 'move' | 'reserve' | 'retire' | 'complete'

export type PipelineEvent =
  | { readonly kind: 'tick' }
  /** The set of live workers changed. */
  | { readonly kind: 'workers'; readonly workers: readonly LiveWorker[] }
  | { readonly kind: 'message'; readonly from: WorkerKey; readonly message: PipelineMessage }
  /** The same incarnation is back on a new stream: what was in flight may be lost. */
  | {
      readonly kind: 'reconnected'
      readonly worker: WorkerKey
      readonly tasks: readonly TaskReport[]
    }
  | { readonly kind: 'txn'; readonly tag: TxnTag; readonly outcome: TxnOutcome }
  /** The operator changed the document or the status; it is stored already. */
  | {
      readonly kind: 'document'
      readonly doc: PipelineDoc
      readonly revision: Revision
      readonly status: StatusDoc | undefined
    }
  /** The operator or a shutdown asks for a checkpoint now. */
  | { readonly kind: 'checkpoint-wanted' }

/** Time and randomness arrive with the event: the reducer has none of its own. */
export interface Stimulus {
  /** Monotonic. */
  readonly nowMs: number
  /** For display. */
  readonly wallMs: number
  /** Unique; becomes the unique value of a Txn that this event leads to. */
  readonly token: string
  readonly event: PipelineEvent
}

export type PipelineEffect =
  | { readonly kind: 'send'; readonly to: WorkerKey; readonly message: LeaderMessage }
  | { readonly kind: 'txn'; readonly tag: TxnTag; readonly request: TxnRequest }
  /** For the log, the metrics and the API; carries no decision. */
  | {
      readonly kind: 'note'
      readonly level: JournalLevel
      readonly text: string
      readonly fields: JournalFields
    }
  /** A checkpoint ended: completed, or given up with its cause. */
  | {
      readonly kind: 'checkpoint-ended'
      readonly summary: CheckpointSummary
      readonly cause: Failure | undefined
    }
  | { readonly kind: 'recovery-started'; readonly cause: Failure }
  /** This process must not lead any more. */
  | { readonly kind: 'stand-down'; readonly cause: string }
  /** The pipeline is deleted: sweep its keys and forget it. */
  | { readonly kind: 'sweep' }

export interface Step<State> {
  readonly state: State
  readonly effects: readonly PipelineEffect[]
}
