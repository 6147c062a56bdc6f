import type { LeaderMessage, TxnOutcome, TxnRequest } from '@onceflow/ports'
import { expect } from 'vitest'
import {
  type CheckpointRecord,
  keys,
  type PipelineEffect,
  type PipelineEvent,
  type PipelineState,
  type PipelineTerm,
} from '../src/index.ts'
import {
  applied,
  committed,
  created,
  epoch,
  inspected,
  live,
  partition,
  play,
  position,
  r,
  resolveAborted,
  resolveCommitted,
  said,
  sealed,
  started,
  txn,
  uid,
  wanted,
  workers,
} from './pipeline-fixture.ts'

// Executions that must fail safely. Two partitions, two tasks: subtask 0 on w1, subtask 1 on w2.

export const both = workers(live('w1'), live('w2'))
export const only2 = workers(live('w2'))
export const twoPartitions = inspected(partition(0), partition(1))

/** RESOLVE of an attempt, answered by `from`, from the applied Txn of R3 to its stored end. */
export const resolved = (attempt: number, from: string, at: number): readonly PipelineEvent[] => [
  said(from, resolveCommitted, { attempt }),
  said(from, resolveAborted, { attempt }),
  txn(applied(at)),
]

export const running = play(
  created(),
  both,
  said('w1', twoPartitions, { attempt: 0 }),
  txn(applied(20)),
  ...resolved(1, 'w1', 21),
  said('w1', started(0)),
  said('w2', started(1)),
  txn(applied(22), 'reserve'),
).state
export const sealing = play(running, { nowMs: 100, event: said('w1', wanted()) }).state
export const seal = (of: number, at: number, checkpoint = 1) =>
  said(of === 0 ? 'w1' : 'w2', sealed(checkpoint, of, { positions: [position(at, of)] }))
export const deciding = play(sealing, seal(0, 5), seal(1, 6)).state
export const committing = play(deciding, txn(applied(23))).state
export const completed = play(
  committing,
  said('w1', committed(1, 0)),
  said('w2', committed(1, 1)),
).state

export const sends = (effects: readonly PipelineEffect[]): readonly LeaderMessage[] =>
  effects.flatMap((effect) => (effect.kind === 'send' ? [effect.message] : []))
export const sent = <Kind extends LeaderMessage['kind']>(
  effects: readonly PipelineEffect[],
  kind: Kind,
): Extract<LeaderMessage, { kind: Kind }> => {
  const found = sends(effects).find((message) => message.kind === kind)
  if (found?.kind !== kind) expect.fail(`${kind} is sent`)
  return found as Extract<LeaderMessage, { kind: Kind }>
}
export const request = (effects: readonly PipelineEffect[]): TxnRequest => {
  const found = effects.find((effect) => effect.kind === 'txn')
  return found?.kind === 'txn' ? found.request : expect.fail('a txn is sent')
}
export const refused = (...reads: Extract<TxnOutcome, { kind: 'refused' }>['reads']) =>
  txn({ kind: 'refused', revision: r(60), reads })
export const ours = { key: keys.leaderKey, value: '', created: r(7), modified: r(7) }
export const theirs = { ...ours, created: r(8), modified: r(8) }
export const recordOf = (state: PipelineState): CheckpointRecord => {
  const { phase } = state
  return phase.kind === 'running' && phase.checkpoint.kind === 'deciding'
    ? phase.checkpoint.record
    : expect.fail('a decision is under way')
}
export const putOf = (sentTxn: TxnRequest, key: string): string => {
  const write = sentTxn.writes.find((item) => item.key === key)
  return write?.kind === 'put' ? write.value : expect.fail(`${key} is put`)
}
export const term: PipelineTerm = { pipeline: uid, leaderEpoch: epoch, attemptRevision: r(20) }
