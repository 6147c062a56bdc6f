// One effect is one statement (or one small transaction) in the target, or a pause. The adapter
// carries it out on a connection of its own choosing, connecting again where it must, and answers
// with exactly one event. Nothing here knows how a statement is written.
import type {
  Attempt,
  CheckpointNumber,
  FailureCode,
  LeaderEpoch,
  LedgerHead,
  Subtask,
} from '@onceflow/model'

export interface LedgerRow {
  readonly subtask: Subtask
  readonly checkpoint: CheckpointNumber
  readonly attempt: Attempt
}

export type Effect =
  /** done */
  | { readonly kind: 'commit-prepared'; readonly gid: string }
  /** done */
  | { readonly kind: 'rollback-prepared'; readonly gid: string }
  /** presence */
  | { readonly kind: 'find-prepared'; readonly gid: string }
  /** presence */
  | { readonly kind: 'find-ledger'; readonly row: LedgerRow }
  /** prepared: of this database, whose gid starts with the prefix */
  | { readonly kind: 'list-prepared'; readonly prefix: string }
  /** fence */
  | { readonly kind: 'read-fence' }
  /** raise: INSERT .. ON CONFLICT DO UPDATE .. WHERE fence.attempt < attempt, with lock_timeout */
  | {
      readonly kind: 'raise-fence'
      readonly attempt: Attempt
      readonly leaderEpoch: LeaderEpoch
    }
  /** done: ends live sessions of our role and application name whose attempt is lower */
  | { readonly kind: 'terminate-writers'; readonly below: Attempt }
  /** done: drops staging tables of lower attempts; a locked one may stay */
  | { readonly kind: 'drop-staging'; readonly below: Attempt }
  /** ledger */
  | { readonly kind: 'read-ledger'; readonly heads: readonly LedgerHead[] }
  /** done */
  | { readonly kind: 'wait'; readonly delayMs: number }

export interface LedgerFacts {
  /** Rows whose subtask and checkpoint are those of a head. */
  readonly found: readonly LedgerRow[]
  /** The row with the greatest checkpoint of the sink. */
  readonly newest: LedgerRow | undefined
  /** The greatest attempt of any row of the sink. */
  readonly attemptMax: Attempt | undefined
}

export type Answer =
  | { readonly kind: 'done' }
  | { readonly kind: 'presence'; readonly value: 'present' | 'absent' }
  | { readonly kind: 'prepared'; readonly gids: readonly string[] }
  /** undefined: no row. */
  | { readonly kind: 'fence'; readonly attempt: Attempt | undefined }
  | { readonly kind: 'raise'; readonly outcome: 'raised' | 'kept' }
  | { readonly kind: 'ledger'; readonly facts: LedgerFacts }
  /** The server said no, and the session goes on. */
  | { readonly kind: 'refused'; readonly sqlstate: string; readonly detail: string }
  /**
   * No answer, or no usable server: what was sent may have been done. code: SINK_UNREACHABLE, or
   * SINK_UNSUITABLE for a server that answers but must not be used.
   */
  | { readonly kind: 'broken'; readonly code: FailureCode; readonly detail: string }

export interface StatementEvent {
  readonly answer: Answer
  /** Monotonic time of the answer. */
  readonly nowMs: number
  /** Which session answered: two answers of one session saw the same server. */
  readonly session: number
}

/** Statement level: the server ends the session or never took the statement. */
export function breaksSession(sqlstate: string): boolean {
  return /^08/.test(sqlstate) || /^57P0[1-5]$/.test(sqlstate)
}

/** A refusal that is in truth a lost session, told as one. */
export function settled(answer: Answer): Answer {
  if (answer.kind !== 'refused' || !breaksSession(answer.sqlstate)) return answer
  return { kind: 'broken', code: 'SINK_UNREACHABLE', detail: answer.detail }
}
