import { type Attempt, type CheckpointNumber, invariant, type LeaderEpoch } from '@onceflow/model'
import type { CommitPermit, LeaderMessage } from '@onceflow/ports'

type Commit = Extract<LeaderMessage, { kind: 'commit' }>

/**
 * The only place where the right to commit is made (R1): out of a Commit message, which carries the
 * revision at which the decision was stored.
 */
export function permitOf(message: Commit): CommitPermit {
  invariant(message.revision > 0n, 'a decision is stored at a revision above 0')
  const permit: {
    readonly checkpoint: CheckpointNumber
    readonly attempt: Attempt
    readonly leaderEpoch: LeaderEpoch
    readonly decision: Commit['revision']
  } = {
    checkpoint: message.checkpoint,
    attempt: message.attempt,
    leaderEpoch: message.leaderEpoch,
    decision: message.revision,
  }
  return permit as CommitPermit
}
