import {
  attempt,
  type CheckpointNumber,
  checkpointNumber,
  clusterUid,
  type FailureCode,
  failure,
  leaderEpoch,
  offset,
  type PipelineSpec,
  type Position,
  pipelineName,
  pipelineUid,
  revision,
  sinkName,
  subtask,
} from '@onceflow/model'
import type { Handle, PartitionInfo, TxnOutcome } from '@onceflow/ports'
import {
  createTxn,
  defaultSettings,
  type LiveWorker,
  loadPipeline,
  type PipelineDoc,
  type PipelineEffect,
  type PipelineEvent,
  type PipelineMessage,
  type PipelineState,
  reduce,
  type Stimulus,
} from '../src/index.ts'

export const cluster = clusterUid('cluster0')
export const uid = pipelineUid('pipeline0')
export const pipeline = pipelineName('orders')
export const sink = sinkName('target')
export const epoch = leaderEpoch(7n)
export const n = (value: number): CheckpointNumber => checkpointNumber(BigInt(value))
export const a = (value: number) => attempt(BigInt(value))
export const r = (value: number) => revision(BigInt(value))

export function specOf(change: Partial<PipelineSpec> = {}): PipelineSpec {
  return {
    version: 1,
    name: pipeline,
    source: {
      kind: 'file',
      directory: 'x',
      topics: { kind: 'list', topics: ['t'] },
      format: 'debezium-json',
      start: { kind: 'earliest' },
    },
    tables: [],
    otherTables: 'pass',
    sinks: [{ kind: 'custom', name: sink, type: 'memory', options: {} }],
    guarantee: 'exactly-once',
    checkpoint: { intervalMs: 100, timeoutMs: 10_000 },
    parallelism: undefined,
    ...change,
  }
}

export const docOf = (change: Partial<PipelineDoc> = {}): PipelineDoc => ({
  uid,
  name: pipeline,
  spec: specOf(),
  desired: 'running',
  generation: 1,
  createdAtMs: 0,
  ...change,
})

export const settings = { ...defaultSettings, recordsKept: 3, retentionMs: 0, retireBatch: 2 }

export function position(at: number, partition = 0, topic = 't'): Position {
  return { topic, topicId: '', partition, offset: offset(BigInt(at)), leaderEpoch: -1 }
}
export const partition = (index: number, end = 0, topic = 't'): PartitionInfo => ({
  topic,
  topicId: '',
  partition: index,
  earliest: 0n,
  end: BigInt(end),
  start: 0n,
})

export const live = (key: string, state: LiveWorker['state'] = 'active'): LiveWorker => ({
  key,
  tasksMax: 16,
  load: 0,
  state,
})

/** A pipeline that was just created, as its leader holds it. */
export function created(doc = docOf()): PipelineState {
  const values = createTxn(epoch, doc, 'first').writes.flatMap((write) =>
    write.kind === 'put'
      ? [{ key: write.key, value: write.value, created: r(10), modified: r(10) }]
      : [],
  )
  const state = loadPipeline(
    { values, ids: undefined, historyKeys: [] },
    { cluster, leaderEpoch: epoch, settings, nowMs: 0 },
  )
  if (state === undefined) throw new Error('the pipeline is not loaded')
  return state
}

export interface Played {
  readonly state: PipelineState
  /** Of the last event. */
  readonly effects: readonly PipelineEffect[]
  /** Of all events. */
  readonly all: readonly PipelineEffect[]
}

export const stimulus = (event: PipelineEvent, nowMs = 0, token = 'token'): Stimulus => ({
  nowMs,
  wallMs: nowMs,
  token,
  event,
})

export type At = PipelineEvent | { readonly nowMs: number; readonly event: PipelineEvent }

export function play(from: PipelineState, ...events: readonly At[]): Played {
  let state = from
  let effects: readonly PipelineEffect[] = []
  const all: PipelineEffect[] = []
  for (const item of events) {
    const { nowMs, event } = 'event' in item ? item : { nowMs: 0, event: item }
    const step = reduce(state, stimulus(event, nowMs))
    state = step.state
    effects = step.effects
    all.push(...effects)
  }
  return { state, effects, all }
}

// Events

export const tick: PipelineEvent = { kind: 'tick' }
export const workers = (...list: readonly LiveWorker[]): PipelineEvent => ({
  kind: 'workers',
  workers: list,
})
export const txn = (outcome: TxnOutcome, tag: 'move' | 'reserve' | 'retire' = 'move') =>
  ({ kind: 'txn', tag, outcome }) satisfies PipelineEvent
export const applied = (at: number): TxnOutcome => ({ kind: 'applied', revision: r(at) })
export const unknown: TxnOutcome = { kind: 'unknown', cause: 'no answer' }
export const document = (doc: PipelineDoc, at = 90): PipelineEvent => ({
  kind: 'document',
  doc,
  revision: r(at),
  status: undefined,
})

/** What each kind of message holds beside its stamp. */
export type Said<M = PipelineMessage> = M extends PipelineMessage
  ? Omit<M, 'pipeline' | 'attempt' | 'leaderEpoch'>
  : never

export function said(
  from: string,
  message: Said,
  stamp: { readonly attempt: number; readonly epoch?: number } = { attempt: 1 },
): PipelineEvent {
  const full = {
    ...message,
    pipeline: uid,
    attempt: a(stamp.attempt),
    leaderEpoch: leaderEpoch(BigInt(stamp.epoch ?? 7)),
  } as PipelineMessage
  return { kind: 'message', from, message: full }
}

export const broke = (code: FailureCode = 'SINK_UNREACHABLE') =>
  failure(code, { detail: 'it broke' })

export const inspected = (...partitions: readonly PartitionInfo[]): Said => ({
  kind: 'inspected',
  result: { kind: 'ok', partitions, claims: [], warnings: [] },
})
export const handle = (of: number, kind: Handle['kind'] = 'sealed'): Handle => ({
  sink,
  subtask: subtask(of),
  kind,
  version: 1,
  data: null,
})
export const sealed = (
  checkpoint: number,
  of: number,
  cut: { readonly positions: readonly Position[]; readonly handles?: readonly Handle[] },
): Said => ({
  kind: 'sealed',
  subtask: subtask(of),
  checkpoint: n(checkpoint),
  positions: cut.positions,
  handles: cut.handles ?? [handle(of)],
  contexts: [],
  records: 1,
  rows: 1,
  sealMs: 1,
})
export const committed = (checkpoint: number, of: number): Said => ({
  kind: 'committed',
  subtask: subtask(of),
  checkpoint: n(checkpoint),
  outcome: { kind: 'done' },
  commitMs: 1,
})
export const resolveCommitted: Said = { kind: 'resolve-committed', outcome: { kind: 'done' } }
export const resolveAborted: Said = { kind: 'resolve-aborted', outcome: { kind: 'done' } }
export const started = (of: number): Said => ({ kind: 'task-started', subtask: subtask(of) })
export const wanted = (reason: 'data' | 'full' = 'data'): Said => ({
  kind: 'barrier-wanted',
  subtask: subtask(0),
  reason,
})
export const ended: Said = { kind: 'tasks-ended' }

/** The effects in short words, notes left out. */
export const words = (effects: readonly PipelineEffect[]): readonly string[] =>
  effects.map(wordOf).filter((word) => word !== '')

function wordOf(effect: PipelineEffect): string {
  switch (effect.kind) {
    case 'note':
      return ''
    case 'send':
      return `${effect.message.kind} to ${effect.to}`
    case 'txn':
      return effect.tag === 'move' ? 'txn' : `txn ${effect.tag}`
    case 'checkpoint-ended':
      return effect.summary.state
    case 'recovery-started':
    case 'stand-down':
    case 'sweep':
      return effect.kind
  }
}
