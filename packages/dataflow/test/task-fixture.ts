import {
  attempt,
  type CheckpointNumber,
  checkpointNumber,
  failure,
  leaderEpoch,
  offset,
  type Position,
  pipelineUid,
  revision,
  type SinkName,
  sinkName,
  subtask,
} from '@onceflow/model'
import type { Handle, RecordBatch } from '@onceflow/ports'
import {
  openingTask,
  permitOf,
  reduceTask,
  type SealFacts,
  type Step,
  type TaskEffect,
  type TaskEvent,
  type TaskState,
} from '../src/index.ts'

export const pipeline = pipelineUid('pipeline1')
export const sinks: readonly SinkName[] = [sinkName('one'), sinkName('two')]
export const n = (value: number): CheckpointNumber => checkpointNumber(BigInt(value))
export const a = (value: number) => attempt(BigInt(value))
export const e = (value: number) => leaderEpoch(BigInt(value))
export const stamp = { attempt: a(3), leaderEpoch: e(7) }

export function position(next: number, partition = 0): Position {
  return { topic: 't', topicId: '', partition, offset: offset(BigInt(next)), leaderEpoch: -1 }
}

/** A batch of `count` records that ends before offset `next`. */
export function batch(next: number, count = 1, partition = 0): RecordBatch {
  const records = Array.from({ length: count }, (_, index) => ({
    offset: BigInt(next - count + index),
    timestampMs: 0,
    key: null,
    value: null,
    headers: [],
  }))
  const at = position(next, partition)
  return { topic: 't', topicId: '', partition, records, next: at, bytes: 10 * count }
}

export const opening: TaskState = openingTask({
  task: { pipeline, attempt: a(3), subtask: subtask(0), sinks, restored: n(10) },
  leaderEpoch: e(7),
  positions: [position(0, 0), position(0, 1)],
})

export const handles = (kind: Handle['kind'] = 'sealed'): readonly Handle[] =>
  sinks.map((sink) => ({ sink, subtask: subtask(0), kind, version: 1, data: null }))
export const facts = (kind: Handle['kind'] = 'sealed'): SealFacts => ({
  handles: handles(kind),
  contexts: [],
  rows: 1,
  sealMs: 2,
})

export const broke = failure('SINK_UNREACHABLE', { detail: 'the connection broke' })
export const gone = failure('DATA_LOSS', { detail: 'the transaction is gone' })

type Make<Kind extends TaskEvent['kind']> = Extract<TaskEvent, { kind: Kind }>
export const barrier = (value: number, stop: 'yes' | 'no' = 'no'): TaskEvent => ({
  ...stamp,
  kind: 'barrier',
  checkpoint: n(value),
  stop,
})
export const commit = (value: number, at = stamp): Make<'commit'> => ({
  ...at,
  kind: 'commit',
  permit: permitOf({
    ...at,
    kind: 'commit',
    pipeline,
    checkpoint: n(value),
    revision: revision(99n),
  }),
})
export const abort = (value: number | undefined, at = stamp, next = a(4)): TaskEvent => ({
  ...at,
  kind: 'abort',
  next,
  checkpoint: value === undefined ? undefined : n(value),
})
export const stopTasks: TaskEvent = { ...stamp, kind: 'stop-tasks' }
export const sealed = (value: number, kind: Handle['kind'] = 'sealed'): TaskEvent => ({
  ...facts(kind),
  kind: 'sealed',
  checkpoint: n(value),
})
export const outcome = (
  value: number,
  sink: number,
  kind: 'committed' | 'unknown' | 'lost',
): TaskEvent => ({
  kind: 'commit-outcome',
  sink: sinks[sink] ?? sinkName('none'),
  checkpoint: n(value),
  outcome: kind === 'committed' ? { kind } : { kind, failure: kind === 'lost' ? gone : broke },
  commitMs: 1,
})
export const invoked = (result: 'accepted' | 'full' = 'accepted'): TaskEvent => ({
  kind: 'invoked',
  result,
  newestMs: 0,
})
export const polled = (...batches: readonly RecordBatch[]): TaskEvent => ({
  kind: 'polled',
  batches,
})
export const stepFailed = (step: Make<'step-failed'>['step']): TaskEvent => ({
  kind: 'step-failed',
  step,
  failure: broke,
})
export const linkUp: TaskEvent = { kind: 'link-up', leaderEpoch: e(7) }
export const superseded: TaskEvent = { kind: 'superseded' }

/** Runs events one after the other and collects every effect. */
export function play(from: TaskState, ...events: readonly TaskEvent[]): Step {
  let state = from
  const effects: TaskEffect[] = []
  for (const event of events) {
    const step = reduceTask(state, event)
    state = step.state
    effects.push(...step.effects)
  }
  return { state, effects }
}

/** The state after events. */
export const at = (...events: readonly TaskEvent[]): TaskState => play(opening, ...events).state

/** Effects as short words: `seal 11`, `commit one`, `send sealed`. */
export const words = (effects: readonly TaskEffect[]): readonly string[] => effects.map(word)

function word(effect: TaskEffect): string {
  switch (effect.kind) {
    case 'send':
      return `send ${effect.message.kind}`
    case 'seal':
      return `seal ${effect.cut.checkpoint}`
    case 'commit':
      return `commit ${effect.sink}`
    case 'wait':
      return `wait ${effect.timer.kind} ${effect.delayMs}`
    case 'close':
      return effect.rollBack === undefined ? 'close' : `close and roll back ${effect.rollBack}`
    case 'poll':
    case 'invoke':
    case 'publish':
    case 'close-reader':
      return effect.kind
  }
}
