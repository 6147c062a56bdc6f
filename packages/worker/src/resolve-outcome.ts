import { type Failure, failure, type LedgerHead, type SinkName } from '@onceflow/model'
import type {
  FinishResult,
  RecoverAbortResult,
  RecoverCommitResult,
  ResolveOutcome,
} from '@onceflow/ports'

/** fence: somebody newer works, so nothing else counts; fatal before retry. */
const ranks = { fence: 0, fatal: 1, retry: 2 } as const

/** One answer for all sinks of a phase: the gravest failure, else every loss, else done. */
export function combined(outcomes: readonly ResolveOutcome[]): ResolveOutcome {
  const failures = outcomes.flatMap((each) => (each.kind === 'failed' ? [each.failure] : []))
  const [gravest] = failures.sort((x, y) => ranks[x.class] - ranks[y.class])
  if (gravest !== undefined) return { kind: 'failed', failure: gravest }
  const lost = outcomes.flatMap((each) => (each.kind === 'lost' ? each.lost : []))
  return lost.length === 0 ? { kind: 'done' } : { kind: 'lost', lost }
}

export function committedOutcome(sink: SinkName, result: RecoverCommitResult): ResolveOutcome {
  if (result.kind === 'stopped') return failed(result.failure)
  if (result.lost.length === 0) return { kind: 'done' }
  return { kind: 'lost', lost: result.lost.map((each) => ({ sink, ...each })) }
}

export function abortedOutcome(result: RecoverAbortResult): ResolveOutcome {
  return result.kind === 'stopped' ? failed(result.failure) : { kind: 'done' }
}

export function finishedOutcome(result: FinishResult): ResolveOutcome {
  switch (result.kind) {
    case 'done':
      return { kind: 'done' }
    case 'stale':
      return failed({ ...result.failure, class: 'fence' })
    case 'ahead':
      return failed(result.failure)
    case 'missing':
      return {
        kind: 'lost',
        lost: result.heads.map((head) => lostHead(head, result.failure)),
      }
  }
}

/** A ledger row that a decided record names is not in the target (R4, R11). */
function lostHead({ sink, subtask, checkpoint }: LedgerHead, cause: Failure) {
  const { detail } = cause
  return { sink, subtask, checkpoint, failure: failure('DATA_LOSS', { detail }) }
}

export const failed = (cause: Failure): ResolveOutcome => ({ kind: 'failed', failure: cause })
