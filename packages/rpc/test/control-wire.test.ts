import { incarnation, type PipelineSpec, workerId } from '@onceflow/model'
import type { LeaderMessage, Stamp, WorkerMessage } from '@onceflow/ports'
import { parsePipelineSpec } from '@onceflow/spec'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decodeLeaderMessage,
  decodeWorkerMessage,
  encodeLeaderMessage,
  encodeWorkerMessage,
} from '../src/control-service.ts'
import {
  anyAttempt,
  anyCheckpoint,
  anyCluster,
  anyContext,
  anyCount,
  anyEpoch,
  anyFailure,
  anyHandle,
  anyHead,
  anyKnown,
  anyMs,
  anyOptionalAttempt,
  anyOptionalCheckpoint,
  anyOptionalUid,
  anyOutcome,
  anyPartition,
  anyPartitionInfo,
  anyPosition,
  anyRecord,
  anyRevision,
  anySink,
  anyStamp,
  anySubtask,
  anyText,
  anyUid,
  anyYesNo,
} from './arbitrary-parts.ts'

// One generator for each kind of message: a kind without one does not compile.

const spec = specOf(`
name: shop
source:
  kind: kafka
  brokers: [localhost:9092]
  topics: [shop.public.orders]
  sasl: {mechanism: plain, username: app, password: letmein}
sinks:
  - {kind: postgres, name: main, host: localhost, database: shop, user: app, password: hush}
`)

function specOf(text: string): PipelineSpec {
  const result = parsePipelineSpec(text)
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems))
  return result.spec
}

type Body<M> = M extends unknown ? Omit<M, keyof Stamp> : never
const stamped = <M extends Stamp & { kind: string }>(body: fc.Arbitrary<Body<M>>) =>
  fc.tuple(anyStamp, body).map(([stamp, rest]) => ({ ...stamp, ...rest }) as unknown as M)
const few = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 3 })

type WorkerOf<K extends WorkerMessage['kind']> = Extract<WorkerMessage, { kind: K }>
type LeaderOf<K extends LeaderMessage['kind']> = Extract<LeaderMessage, { kind: K }>
type WorkerGenerators = { [K in WorkerMessage['kind']]: fc.Arbitrary<WorkerOf<K>> }
type LeaderGenerators = { [K in LeaderMessage['kind']]: fc.Arbitrary<LeaderOf<K>> }

const report = {
  pipeline: anyUid,
  attempt: anyAttempt,
  subtask: anySubtask,
  lastBarrier: anyOptionalCheckpoint,
  lastCommitted: anyOptionalCheckpoint,
  sealing: anyYesNo,
}
const stats = fc.record({
  ...report,
  recordsIn: anyCount,
  bytesIn: anyCount,
  rowsUpserted: anyCount,
  rowsDeleted: anyCount,
  ignored: anyCount,
  lagRecords: anyCount,
  newestVisibleMs: anyCount,
  bufferedRecords: anyCount,
  waiting: fc.constantFrom(
    'no' as const,
    'source' as const,
    'sink' as const,
    'commit' as const,
    'stopped' as const,
  ),
})
const kind = <K extends string>(word: K) => fc.constant(word)

const inspectedResult = fc.oneof(
  fc.record({
    kind: kind('ok'),
    partitions: few(anyPartitionInfo),
    claims: few(fc.record({ sink: anySink, guarantee: anyText, reason: anyText })),
    warnings: few(anyFailure),
  }),
  fc.record({ kind: kind('failed'), failures: few(anyFailure) }),
)

const workerMessages: WorkerGenerators = {
  hello: fc.record({
    kind: kind('hello'),
    worker: fc.string({ minLength: 1, maxLength: 128 }).map(workerId),
    incarnation: fc.string({ minLength: 1, maxLength: 64 }).map(incarnation),
    version: anyText,
    seen: anyEpoch,
    tasksMax: fc.nat({ max: 1000 }),
    tasks: few(fc.record(report)),
  }),
  heartbeat: fc.record({
    kind: kind('heartbeat'),
    leaderEpoch: anyEpoch,
    tasks: few(stats),
    rssBytes: anyCount,
    eventLoopLagMs: anyMs,
  }),
  inspected: stamped(fc.record({ kind: kind('inspected'), result: inspectedResult })),
  'resolve-committed': stamped(fc.record({ kind: kind('resolve-committed'), outcome: anyOutcome })),
  'resolve-aborted': stamped(fc.record({ kind: kind('resolve-aborted'), outcome: anyOutcome })),
  'task-started': stamped(fc.record({ kind: kind('task-started'), subtask: anySubtask })),
  'task-failed': stamped(
    fc.record({ kind: kind('task-failed'), subtask: anySubtask, failure: anyFailure }),
  ),
  'tasks-ended': stamped(fc.record({ kind: kind('tasks-ended') })),
  sealed: stamped(
    fc.record({
      kind: kind('sealed'),
      subtask: anySubtask,
      checkpoint: anyCheckpoint,
      positions: few(anyPosition),
      handles: few(anyHandle),
      contexts: few(anyContext),
      records: anyCount,
      rows: anyCount,
      sealMs: anyMs,
    }),
  ),
  committed: stamped(
    fc.record({
      kind: kind('committed'),
      subtask: anySubtask,
      checkpoint: anyCheckpoint,
      outcome: anyOutcome,
      commitMs: anyMs,
    }),
  ),
  'barrier-wanted': stamped(
    fc.record({ kind: kind('barrier-wanted'), subtask: anySubtask, reason: anyText }),
  ),
  'partitions-found': stamped(
    fc.record({ kind: kind('partitions-found'), partitions: few(anyPartition) }),
  ),
  draining: fc.record({ kind: kind('draining'), leaderEpoch: anyEpoch }),
  stale: fc.record({
    kind: kind('stale'),
    leaderEpoch: anyEpoch,
    pipeline: anyOptionalUid,
    attempt: anyOptionalAttempt,
  }),
}

const anySpec = fc.constant(spec)

const leaderMessages: LeaderGenerators = {
  welcome: fc.record({
    kind: kind('welcome'),
    leaderEpoch: anyEpoch,
    cluster: anyCluster,
    heartbeatIntervalMs: fc.nat({ max: 60_000 }),
  }),
  heartbeat: fc.record({ kind: kind('heartbeat'), leaderEpoch: anyEpoch }),
  inspect: stamped(fc.record({ kind: kind('inspect'), spec: anySpec })),
  'resolve-commit': stamped(
    fc.record({
      kind: kind('resolve-commit'),
      spec: anySpec,
      revision: anyRevision,
      open: few(anyRecord),
      known: few(anyKnown),
      retireMark: anyCheckpoint,
    }),
  ),
  'resolve-abort': stamped(
    fc.record({
      kind: kind('resolve-abort'),
      spec: anySpec,
      revision: anyRevision,
      known: few(anyKnown),
      retireMark: anyCheckpoint,
      heads: few(anyHead),
      newestDecided: anyCheckpoint,
    }),
  ),
  'start-task': stamped(
    fc.record({
      kind: kind('start-task'),
      spec: anySpec,
      subtask: anySubtask,
      restored: anyCheckpoint,
      positions: few(anyPosition),
      heads: few(anyHead),
      contexts: few(anyContext),
    }),
  ),
  'inject-barrier': stamped(
    fc.record({ kind: kind('inject-barrier'), checkpoint: anyCheckpoint, stop: anyYesNo }),
  ),
  commit: stamped(
    fc.record({ kind: kind('commit'), checkpoint: anyCheckpoint, revision: anyRevision }),
  ),
  abort: stamped(
    fc.record({
      kind: kind('abort'),
      next: anyAttempt,
      checkpoint: anyOptionalCheckpoint,
      revision: anyRevision,
    }),
  ),
  'stop-tasks': stamped(fc.record({ kind: kind('stop-tasks') })),
  drained: fc.record({ kind: kind('drained'), leaderEpoch: anyEpoch }),
}

describe('a worker message survives the wire', () => {
  test.each(Object.entries(workerMessages))('%s', (_kind, anyMessage) => {
    fc.assert(
      fc.property(anyMessage as fc.Arbitrary<WorkerMessage>, (message) => {
        expect(decodeWorkerMessage(encodeWorkerMessage(message))).toEqual(message)
      }),
    )
  })
})

describe('a leader message survives the wire', () => {
  test.each(Object.entries(leaderMessages))('%s', (_kind, anyMessage) => {
    fc.assert(
      fc.property(anyMessage as fc.Arbitrary<LeaderMessage>, (message) => {
        expect(decodeLeaderMessage(encodeLeaderMessage(message))).toEqual(message)
      }),
    )
  })
})

describe('what is no message of ours is refused by name', () => {
  test.each([
    ['nothing', Buffer.alloc(0), /empty or of a kind/],
    ['an unknown kind', Buffer.from([0xfa, 0x07, 0x00]), /empty or of a kind/],
    ['bytes that end too early', Buffer.from([0x0a, 0x05, 0x01]), /cannot be read/],
  ])('%s', (_name, bytes, text) => {
    expect(() => decodeWorkerMessage(bytes)).toThrow(text)
    expect(() => decodeLeaderMessage(bytes)).toThrow(text)
  })

  test('random bytes never throw anything but a failure of ours', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          decodeWorkerMessage(Buffer.from(bytes))
        } catch (thrown) {
          expect(thrown).toMatchObject({ name: 'OnceflowError' })
        }
      }),
    )
  })
})
