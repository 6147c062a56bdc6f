import type { Attempt, CheckpointNumber, Failure } from '@onceflow/model'
import { failure } from '@onceflow/model'
import type { KnownCheckpoint } from '@onceflow/ports'
import { type GidFields, isOfSink, parseGid, type SinkIdentity } from './gid.ts'
import type { CommitGoal } from './prepared-commit.ts'

export interface ResolveScope extends SinkIdentity {
  readonly attempt: Attempt
}

/** The decided set as RESOLVE was given it, read at or after the storing of the attempt (R4). */
export interface Decisions {
  readonly known: readonly KnownCheckpoint[]
  readonly retireMark: CheckpointNumber
}

/** What a prepared transaction that was found is to us. */
export type Finding =
  /** Its decision is stored: it is committed, never rolled back. */
  | { readonly kind: 'decided'; readonly goal: CommitGoal }
  /** Of a lower attempt and not decided: it is rolled back. */
  | { readonly kind: 'stray'; readonly gid: string }
  /** Not ours, or damaged: reported, never touched. */
  | { readonly kind: 'foreign'; readonly gid: string }
  /** RESOLVE must not go on. */
  | { readonly kind: 'stop'; readonly failure: Failure }

export function judge(gid: string, scope: ResolveScope, decisions: Decisions): Finding {
  const fields = parseGid(gid)
  if (fields === undefined || !isOfSink(fields, scope)) return { kind: 'foreign', gid }
  if (fields.attempt >= scope.attempt) return { kind: 'stop', failure: staleBy(gid, scope) }
  const record = decisions.known.find((known) => known.checkpoint === fields.checkpoint)
  if (record === undefined) {
    if (fields.checkpoint <= decisions.retireMark) {
      return { kind: 'stop', failure: orphan(gid, decisions.retireMark) }
    }
    return { kind: 'stray', gid }
  }
  // A number is never issued twice: one decided in another attempt says that this seal is void.
  if (record.state === 'undone' || record.attempt !== fields.attempt) return { kind: 'stray', gid }
  return { kind: 'decided', goal: goalOf(gid, fields) }
}

export const goalOf = (gid: string, fields: GidFields): CommitGoal => ({
  gid,
  row: { subtask: fields.subtask, checkpoint: fields.checkpoint, attempt: fields.attempt },
})

function staleBy(gid: string, scope: ResolveScope): Failure {
  return failure('FENCED', {
    detail: `RESOLVE of attempt ${scope.attempt} found ${gid}, which is not of a lower attempt`,
  })
}

function orphan(gid: string, retireMark: CheckpointNumber): Failure {
  return failure('ORPHAN_BELOW_MARK', {
    detail: `prepared transaction ${gid} is at or below the retire mark ${retireMark}`,
  })
}

export interface Survey {
  readonly decided: readonly CommitGoal[]
  readonly strays: readonly string[]
  readonly foreign: readonly string[]
  readonly stop: Failure | undefined
}

/** Judges all at once: when one of them stops RESOLVE, nothing is done about the others. */
export function survey(gids: readonly string[], scope: ResolveScope, decisions: Decisions): Survey {
  const decided: CommitGoal[] = []
  const strays: string[] = []
  const foreign: string[] = []
  let stop: Failure | undefined
  for (const gid of gids) {
    const finding = judge(gid, scope, decisions)
    if (finding.kind === 'decided') decided.push(finding.goal)
    else if (finding.kind === 'stray') strays.push(finding.gid)
    else if (finding.kind === 'foreign') foreign.push(finding.gid)
    else stop ??= finding.failure
  }
  return { decided, strays, foreign, stop }
}
