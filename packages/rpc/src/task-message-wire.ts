import { attempt, checkpointNumber, leaderEpoch, pipelineUid, subtask } from '@onceflow/model'
import type { ResolveOutcome, Stamp, WorkerMessage } from '@onceflow/ports'
import {
  contextFromWire,
  contextToWire,
  handleFromWire,
  handleToWire,
  partitionFromWire,
  partitionToWire,
  positionFromWire,
  positionToWire,
  stampFromWire,
  stampToWire,
} from './control-parts.ts'
import { failureFromWire, failureToWire } from './failure-wire.ts'
import type {
  BarrierWanted__Output,
  BarrierWanted as WireBarrierWanted,
} from './generated/onceflow/v1/BarrierWanted.ts'
import type {
  Committed__Output,
  Committed as WireCommitted,
} from './generated/onceflow/v1/Committed.ts'
import type {
  PartitionsFound__Output,
  PartitionsFound as WirePartitionsFound,
} from './generated/onceflow/v1/PartitionsFound.ts'
import type {
  ResolveCommitted__Output,
  ResolveCommitted as WireResolved,
} from './generated/onceflow/v1/ResolveCommitted.ts'
import type { Sealed__Output, Sealed as WireSealed } from './generated/onceflow/v1/Sealed.ts'
import type { Stale__Output, Stale as WireStale } from './generated/onceflow/v1/Stale.ts'
import type {
  TaskFailed__Output,
  TaskFailed as WireTaskFailed,
} from './generated/onceflow/v1/TaskFailed.ts'
import { outcomeFromWire, outcomeToWire } from './resolve-outcome-wire.ts'
import { big, count, countFrom, defined, int64, optionalBig, optionalInt64 } from './wire-values.ts'

type Of<Kind extends WorkerMessage['kind']> = Extract<WorkerMessage, { kind: Kind }>

/** Both phases of RESOLVE are answered in one shape. */
export const resolvedToWire = (
  message: Of<'resolve-committed' | 'resolve-aborted'>,
): WireResolved => ({
  stamp: stampToWire(message),
  outcome: outcomeToWire(message.outcome),
})

export const resolvedFromWire = (
  wire: ResolveCommitted__Output,
): Stamp & { readonly outcome: ResolveOutcome } => ({
  ...stampFromWire(wire.stamp),
  outcome: outcomeFromWire(wire.outcome),
})

export const taskFailedToWire = (message: Of<'task-failed'>): WireTaskFailed => ({
  stamp: stampToWire(message),
  subtask: message.subtask,
  failure: failureToWire(message.failure),
})

export const taskFailedFromWire = (wire: TaskFailed__Output): Of<'task-failed'> => ({
  kind: 'task-failed',
  ...stampFromWire(wire.stamp),
  subtask: subtask(wire.subtask),
  failure: failureFromWire(wire.failure),
})

export const sealedToWire = (message: Of<'sealed'>): WireSealed => ({
  stamp: stampToWire(message),
  subtask: message.subtask,
  checkpoint: int64(message.checkpoint),
  positions: message.positions.map(positionToWire),
  handles: message.handles.map(handleToWire),
  contexts: message.contexts.map(contextToWire),
  records: count(message.records),
  rows: count(message.rows),
  sealMs: message.sealMs,
})

export const sealedFromWire = (wire: Sealed__Output): Of<'sealed'> => ({
  kind: 'sealed',
  ...stampFromWire(wire.stamp),
  subtask: subtask(wire.subtask),
  checkpoint: checkpointNumber(big(wire.checkpoint)),
  positions: wire.positions.map(positionFromWire),
  handles: wire.handles.map(handleFromWire),
  contexts: wire.contexts.map(contextFromWire),
  records: countFrom(wire.records, 'records'),
  rows: countFrom(wire.rows, 'rows'),
  sealMs: wire.sealMs,
})

export const committedToWire = (message: Of<'committed'>): WireCommitted => ({
  stamp: stampToWire(message),
  subtask: message.subtask,
  checkpoint: int64(message.checkpoint),
  outcome: outcomeToWire(message.outcome),
  commitMs: message.commitMs,
})

export const committedFromWire = (wire: Committed__Output): Of<'committed'> => ({
  kind: 'committed',
  ...stampFromWire(wire.stamp),
  subtask: subtask(wire.subtask),
  checkpoint: checkpointNumber(big(wire.checkpoint)),
  outcome: outcomeFromWire(wire.outcome),
  commitMs: wire.commitMs,
})

export const barrierWantedToWire = (message: Of<'barrier-wanted'>): WireBarrierWanted => ({
  stamp: stampToWire(message),
  subtask: message.subtask,
  reason: message.reason,
})

export const barrierWantedFromWire = (wire: BarrierWanted__Output): Of<'barrier-wanted'> => ({
  kind: 'barrier-wanted',
  ...stampFromWire(wire.stamp),
  subtask: subtask(wire.subtask),
  reason: wire.reason,
})

export const partitionsFoundToWire = (message: Of<'partitions-found'>): WirePartitionsFound => ({
  stamp: stampToWire(message),
  partitions: message.partitions.map(partitionToWire),
})

export const partitionsFoundFromWire = (wire: PartitionsFound__Output): Of<'partitions-found'> => ({
  kind: 'partitions-found',
  ...stampFromWire(wire.stamp),
  partitions: wire.partitions.map(partitionFromWire),
})

export const staleToWire = (message: Of<'stale'>): WireStale => ({
  leaderEpoch: int64(message.leaderEpoch),
  ...defined({ pipeline: message.pipeline, attempt: optionalInt64(message.attempt) }),
})

export function staleFromWire(wire: Stale__Output): Of<'stale'> {
  const known = optionalBig(wire.attempt)
  return {
    kind: 'stale',
    leaderEpoch: leaderEpoch(big(wire.leaderEpoch)),
    pipeline: wire.pipeline === undefined ? undefined : pipelineUid(wire.pipeline),
    attempt: known === undefined ? undefined : attempt(known),
  }
}
