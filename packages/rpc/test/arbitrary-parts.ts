import {
  attempt,
  checkpointNumber,
  clusterUid,
  type Failure,
  type FailureCode,
  failureCodes,
  type Json,
  leaderEpoch,
  offset,
  pipelineUid,
  revision,
  sinkName,
  subtask,
} from '@onceflow/model'
import type {
  Handle,
  KnownCheckpoint,
  PartitionInfo,
  ResolveOutcome,
  SinkContextState,
  Stamp,
} from '@onceflow/ports'
import fc from 'fast-check'

// Values of the control messages' parts. Integers reach over the whole range of 64 bits.

const int64Max = 2n ** 63n - 1n
export const anyNatural = fc.oneof(
  fc.bigInt({ min: 0n, max: int64Max }),
  fc.constantFrom(0n, 2n ** 53n + 1n, int64Max),
)
export const anyCount = fc.nat({ max: Number.MAX_SAFE_INTEGER })
export const anyText = fc.string({ unit: 'grapheme', maxLength: 20 })
export const anyUid = fc.stringMatching(/^[a-z0-9]{8,32}$/).map(pipelineUid)
export const anyCluster = fc.stringMatching(/^[a-z0-9]{8,32}$/).map(clusterUid)
export const anySink = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/).map(sinkName)
export const anySubtask = fc.nat({ max: 9999 }).map(subtask)
export const anyCheckpoint = anyNatural.map(checkpointNumber)
export const anyAttempt = anyNatural.map(attempt)
export const anyEpoch = anyNatural.map(leaderEpoch)
export const anyRevision = anyNatural.map(revision)
export const anyYesNo = fc.constantFrom('yes' as const, 'no' as const)
export const anyMs = fc.double({ min: 0, max: 1e9, noNaN: true }).map((ms) => ms + 0)

export const anyJson: fc.Arbitrary<Json> = fc
  .jsonValue()
  .map((value) => JSON.parse(JSON.stringify(value)) as Json)

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
export const anyOptionalCheckpoint = optional(anyCheckpoint)
export const anyOptionalAttempt = optional(anyAttempt)
export const anyOptionalUid = optional(anyUid)

export const anyStamp: fc.Arbitrary<Stamp> = fc.record({
  pipeline: anyUid,
  attempt: anyAttempt,
  leaderEpoch: anyEpoch,
})

export const anyPartition = fc.record({
  topic: anyText,
  topicId: anyText,
  partition: fc.nat({ max: 2 ** 31 - 1 }),
})

export const anyPartitionInfo: fc.Arbitrary<PartitionInfo> = fc
  .tuple(anyPartition, fc.record({ earliest: anyNatural, end: anyNatural, start: anyNatural }))
  .map(([partition, offsets]) => ({ ...partition, ...offsets }))

export const anyPosition = fc
  .tuple(anyPartition, anyNatural.map(offset), fc.integer({ min: -1, max: 2 ** 31 - 1 }))
  .map(([partition, next, epoch]) => ({ ...partition, offset: next, leaderEpoch: epoch }))

export const anyHead = fc.record({
  sink: anySink,
  subtask: anySubtask,
  checkpoint: anyCheckpoint,
  attempt: anyAttempt,
})

const anyVersion = fc.nat({ max: 2 ** 31 - 1 })

export const anyHandle: fc.Arbitrary<Handle> = fc.record({
  sink: anySink,
  subtask: anySubtask,
  kind: fc.constantFrom('sealed' as const, 'empty' as const),
  version: anyVersion,
  data: anyJson,
})

export const anyContext: fc.Arbitrary<SinkContextState> = fc.record({
  sink: anySink,
  subtask: anySubtask,
  version: anyVersion,
  data: anyJson,
})

export const anyRecord = fc.record({
  checkpoint: anyCheckpoint,
  attempt: anyAttempt,
  handles: fc.array(anyHandle, { maxLength: 3 }),
})

export const anyKnown: fc.Arbitrary<KnownCheckpoint> = fc.record({
  checkpoint: anyCheckpoint,
  attempt: anyAttempt,
  state: fc.constantFrom('committed' as const, 'completed' as const, 'undone' as const),
})

export const anyFailure: fc.Arbitrary<Failure> = fc.record(
  {
    code: fc.constantFrom(...(Object.keys(failureCodes) as FailureCode[])),
    class: fc.constantFrom('retry' as const, 'fence' as const, 'fatal' as const),
    detail: anyText,
    hint: anyText,
    position: fc.record({
      topic: anyText,
      partition: fc.nat({ max: 2 ** 31 - 1 }),
      offset: anyNatural,
    }),
    field: anyText,
  },
  { requiredKeys: ['code', 'class', 'detail', 'hint'] },
)

export const anyOutcome: fc.Arbitrary<ResolveOutcome> = fc.oneof(
  fc.constant({ kind: 'done' as const }),
  fc.record({ kind: fc.constant('failed' as const), failure: anyFailure }),
  fc.record({
    kind: fc.constant('lost' as const),
    lost: fc.array(
      fc.record({
        sink: anySink,
        subtask: anySubtask,
        checkpoint: anyCheckpoint,
        failure: anyFailure,
      }),
      { maxLength: 3 },
    ),
  }),
)
