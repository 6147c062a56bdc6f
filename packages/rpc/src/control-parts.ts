import {
  attempt,
  checkpointNumber,
  type LedgerHead,
  leaderEpoch,
  offset,
  type PipelineSpec,
  type Position,
  pipelineUid,
  type SourcePartition,
  sinkName,
  subtask,
} from '@onceflow/model'
import type {
  Handle,
  KnownCheckpoint,
  PartitionInfo,
  RecordOfHandles,
  SinkContextState,
  Stamp,
} from '@onceflow/ports'
import { specFromJson, specToJson } from '@onceflow/spec'
import type { Handle__Output, Handle as WireHandle } from './generated/onceflow/v1/Handle.ts'
import type {
  KnownCheckpoint__Output,
  KnownCheckpoint as WireKnown,
} from './generated/onceflow/v1/KnownCheckpoint.ts'
import type {
  LedgerHead__Output,
  LedgerHead as WireHead,
} from './generated/onceflow/v1/LedgerHead.ts'
import type {
  PartitionInfo__Output,
  PartitionInfo as WirePartitionInfo,
} from './generated/onceflow/v1/PartitionInfo.ts'
import type {
  Position__Output,
  Position as WirePosition,
} from './generated/onceflow/v1/Position.ts'
import type {
  RecordOfHandles__Output,
  RecordOfHandles as WireRecord,
} from './generated/onceflow/v1/RecordOfHandles.ts'
import type {
  SinkContextState__Output,
  SinkContextState as WireContext,
} from './generated/onceflow/v1/SinkContextState.ts'
import type {
  SourcePartition__Output,
  SourcePartition as WirePartition,
} from './generated/onceflow/v1/SourcePartition.ts'
import type { Stamp__Output, Stamp as WireStamp } from './generated/onceflow/v1/Stamp.ts'
import type { VersionedJson, VersionedJson__Output } from './generated/onceflow/v1/VersionedJson.ts'
import { big, int64, required, versionedFrom, versionedJson, vocabulary } from './wire-values.ts'

export const stampToWire = (value: Stamp): WireStamp => ({
  pipeline: value.pipeline,
  attempt: int64(value.attempt),
  leaderEpoch: int64(value.leaderEpoch),
})

export function stampFromWire(wire: Stamp__Output | null): Stamp {
  const value = required(wire, 'stamp')
  return {
    pipeline: pipelineUid(value.pipeline),
    attempt: attempt(big(value.attempt)),
    leaderEpoch: leaderEpoch(big(value.leaderEpoch)),
  }
}

export const partitionToWire = (value: SourcePartition): WirePartition => ({
  topic: value.topic,
  topicId: value.topicId,
  partition: value.partition,
})

export const partitionFromWire = (wire: SourcePartition__Output): SourcePartition => ({
  topic: wire.topic,
  topicId: wire.topicId,
  partition: wire.partition,
})

export const partitionInfoToWire = (value: PartitionInfo): WirePartitionInfo => ({
  partition: partitionToWire(value),
  earliest: int64(value.earliest),
  end: int64(value.end),
  start: int64(value.start),
})

export const partitionInfoFromWire = (wire: PartitionInfo__Output): PartitionInfo => ({
  ...partitionFromWire(required(wire.partition, 'partition')),
  earliest: big(wire.earliest),
  end: big(wire.end),
  start: big(wire.start),
})

export const positionToWire = (value: Position): WirePosition => ({
  ...partitionToWire(value),
  offset: int64(value.offset),
  leaderEpoch: value.leaderEpoch,
})

export const positionFromWire = (wire: Position__Output): Position => ({
  ...partitionFromWire(wire),
  offset: offset(big(wire.offset)),
  leaderEpoch: wire.leaderEpoch,
})

export const headToWire = (value: LedgerHead): WireHead => ({
  sink: value.sink,
  subtask: value.subtask,
  checkpoint: int64(value.checkpoint),
  attempt: int64(value.attempt),
})

export const headFromWire = (wire: LedgerHead__Output): LedgerHead => ({
  sink: sinkName(wire.sink),
  subtask: subtask(wire.subtask),
  checkpoint: checkpointNumber(big(wire.checkpoint)),
  attempt: attempt(big(wire.attempt)),
})

const handleKinds = vocabulary({
  sealed: 'KIND_SEALED',
  empty: 'KIND_EMPTY',
} as const satisfies Record<Handle['kind'], string>)

export const handleToWire = (value: Handle): WireHandle => ({
  sink: value.sink,
  subtask: value.subtask,
  kind: handleKinds.name(value.kind),
  data: versionedJson(value.version, value.data),
})

export const handleFromWire = (wire: Handle__Output): Handle => ({
  sink: sinkName(wire.sink),
  subtask: subtask(wire.subtask),
  kind: handleKinds.word(wire.kind, 'handle.kind'),
  ...versionedFrom(wire.data, 'handle.data'),
})

export const recordToWire = (value: RecordOfHandles): WireRecord => ({
  checkpoint: int64(value.checkpoint),
  attempt: int64(value.attempt),
  handles: value.handles.map(handleToWire),
})

export const recordFromWire = (wire: RecordOfHandles__Output): RecordOfHandles => ({
  checkpoint: checkpointNumber(big(wire.checkpoint)),
  attempt: attempt(big(wire.attempt)),
  handles: wire.handles.map(handleFromWire),
})

const knownStates = vocabulary({
  committed: 'STATE_COMMITTED',
  completed: 'STATE_COMPLETED',
  undone: 'STATE_UNDONE',
} as const satisfies Record<KnownCheckpoint['state'], string>)

export const knownToWire = (value: KnownCheckpoint): WireKnown => ({
  checkpoint: int64(value.checkpoint),
  attempt: int64(value.attempt),
  state: knownStates.name(value.state),
})

export const knownFromWire = (wire: KnownCheckpoint__Output): KnownCheckpoint => ({
  checkpoint: checkpointNumber(big(wire.checkpoint)),
  attempt: attempt(big(wire.attempt)),
  state: knownStates.word(wire.state, 'known.state'),
})

export const contextToWire = (value: SinkContextState): WireContext => ({
  sink: value.sink,
  subtask: value.subtask,
  data: versionedJson(value.version, value.data),
})

export const contextFromWire = (wire: SinkContextState__Output): SinkContextState => ({
  sink: sinkName(wire.sink),
  subtask: subtask(wire.subtask),
  ...versionedFrom(wire.data, 'context.data'),
})

/** Secrets included: the worker needs them; redaction belongs to outputs for people. */
export const specToWire = (spec: PipelineSpec): VersionedJson =>
  versionedJson(spec.version, specToJson(spec))

export function specFromWire(wire: VersionedJson__Output | null): PipelineSpec {
  const { version, data } = versionedFrom(wire, 'spec')
  return specFromJson(version, data)
}
