// What a worker remembers of leaders and attempts (R5). Invariants: the leader epoch, and the
// attempt of a pipeline, only grow; a message below them is refused and answered.

import type { Attempt, LeaderEpoch, PipelineUid } from '@onceflow/model'
import type { LeaderMessage, Stamp, WorkerMessage } from '@onceflow/ports'

export interface StampMemory {
  readonly leaderEpoch: LeaderEpoch
  readonly attempts: ReadonlyMap<PipelineUid, Attempt>
}

export type Admission =
  | { readonly kind: 'admitted'; readonly memory: StampMemory }
  | { readonly kind: 'refused'; readonly answer: WorkerMessage }

export function freshMemory(leaderEpoch: LeaderEpoch): StampMemory {
  return { leaderEpoch, attempts: new Map() }
}

/** Admits a message and remembers what it teaches, or refuses it with the answer to its sender. */
export function admit(memory: StampMemory, message: LeaderMessage): Admission {
  if (message.leaderEpoch < memory.leaderEpoch) {
    const stamp = 'pipeline' in message ? message : undefined
    return { kind: 'refused', answer: staleAnswer(memory, stamp) }
  }
  const raised = { ...memory, leaderEpoch: message.leaderEpoch }
  // An inspection may come before the attempt that it prepares is stored: it teaches nothing.
  if (!('pipeline' in message) || message.kind === 'inspect') {
    return { kind: 'admitted', memory: raised }
  }
  const known = memory.attempts.get(message.pipeline)
  const taught = message.kind === 'abort' ? message.next : message.attempt
  if (known !== undefined && taught < known) {
    return { kind: 'refused', answer: staleAnswer(raised, message) }
  }
  if (known === taught) return { kind: 'admitted', memory: raised }
  const attempts = new Map(memory.attempts).set(message.pipeline, taught)
  return { kind: 'admitted', memory: { ...raised, attempts } }
}

/** Tells a sender what it does not know: a greater leader epoch or attempt exists. */
export function staleAnswer(memory: StampMemory, stamp: Stamp | undefined): WorkerMessage {
  const known = stamp === undefined ? undefined : memory.attempts.get(stamp.pipeline)
  return {
    kind: 'stale',
    leaderEpoch: memory.leaderEpoch,
    pipeline: stamp?.pipeline,
    attempt: known ?? stamp?.attempt,
  }
}
