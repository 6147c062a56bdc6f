import {
  type CheckpointRecord,
  type CheckpointSummary,
  newestRecord,
  type PipelineState as Reduced,
  type StoredRecord,
  stateWord,
  summaryOf,
} from '@onceflow/checkpoint'
import type { Failure, PipelineName } from '@onceflow/model'
import type {
  CheckpointGlance,
  CheckpointView,
  FlowFigures,
  PipelineState,
  PipelineView,
  TaskStats,
  TransactionView,
} from '@onceflow/ports'
import type { FlowRates } from './flow-rates.ts'
import type { EndedCheckpoint } from './pipeline-book.ts'
import type { Term } from './term.ts'

/** What people see of a pipeline: made from the reducer's state and the workers' figures alone. */
export function pipelineView(term: Term, rates: FlowRates, state: Reduced): PipelineView {
  const { core } = state
  return {
    name: core.doc.name,
    uid: core.doc.uid,
    spec: core.doc.spec,
    etag: core.docRevision.toString(),
    state: stateOf(state),
    failure: failureOf(state),
    attempt: core.attempt.attempt,
    restarts: core.restarts.consecutive,
    tasks: core.assignment?.tasks.length ?? 0,
    flow: flowOf(term, rates, state),
    lastCheckpoint: lastCheckpoint(state),
    claims: core.inspected?.claims ?? [],
    createdMs: core.doc.createdAtMs,
    updatedMs: core.doc.createdAtMs,
  }
}

const words: { readonly [word: string]: PipelineState } = {
  RUNNING: 'running',
  STOPPING: 'pausing',
  PAUSED: 'paused',
  FAILED: 'stopped',
  WAITING_FOR_WORKERS: 'waiting',
  BACKING_OFF: 'starting',
  DELETING: 'deleting',
  STARTING: 'starting',
  RECOVERING: 'starting',
  SETTLING: 'pausing',
  UNKNOWN: 'waiting',
}

function stateOf(state: Reduced): PipelineState {
  const { desired } = state.core.doc
  if (desired === 'deleted' || desired === 'gone') return 'deleting'
  if (state.core.status !== undefined) return 'stopped'
  const word = words[stateWord(state)] ?? 'waiting'
  // A stop that nobody asked for (rebalance, growth, a new spec) is a start of the next attempt.
  return word === 'pausing' && desired === 'running' ? 'starting' : word
}

const failureOf = (state: Reduced): Failure | undefined =>
  state.core.status?.failure ?? state.core.restarts.last

/** The newest checkpoint that every task confirmed, or the newest decided one. */
export function lastCheckpoint(state: Reduced): CheckpointGlance | undefined {
  const record = state.core.confirmed ?? newestRecord(state.core)?.record
  if (record === undefined) return undefined
  const { decidedAtMs, sealMs, decideMs, commitMs } = record.figures
  return {
    checkpoint: record.checkpoint,
    decidedMs: decidedAtMs,
    durationMs: sealMs + decideMs + commitMs,
  }
}

export function flowOf(term: Term, rates: FlowRates, state: Reduced): FlowFigures {
  const stats = currentStats(term, state)
  const newest = Math.max(0, ...stats.map((task) => task.newestVisibleMs))
  return {
    ...rates.of(state.core.doc.uid),
    lagRecords: stats.reduce((sum, task) => sum + task.lagRecords, 0),
    freshnessMs: newest === 0 ? undefined : Math.max(0, rates.wallMs() - newest),
  }
}

/** Figures of the current attempt's tasks only. */
export const currentStats = (term: Term, state: Reduced): readonly TaskStats[] =>
  term.membership
    .statsOf(state.core.doc.uid)
    .filter((task) => task.attempt === state.core.attempt.attempt)

export const noFlow: FlowFigures = {
  recordsPerSecond: 0,
  rowsPerSecond: 0,
  lagRecords: 0,
  freshnessMs: undefined,
}

export function sumFlow(flows: readonly FlowFigures[]): FlowFigures {
  return flows.reduce(
    (sum, flow) => ({
      recordsPerSecond: sum.recordsPerSecond + flow.recordsPerSecond,
      rowsPerSecond: sum.rowsPerSecond + flow.rowsPerSecond,
      lagRecords: sum.lagRecords + flow.lagRecords,
      freshnessMs: older(sum.freshnessMs, flow.freshnessMs),
    }),
    noFlow,
  )
}

const older = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.max(a, b)

/** A whole record, with positions and transactions. */
export function recordView(name: PipelineName, stored: StoredRecord): CheckpointView {
  const { record } = stored
  return {
    ...summaryView(name, summaryOf(stored)),
    leaderEpoch: record.leaderEpoch,
    kind: record.kind === 'initial' ? 'start' : record.kind === 'rewind' ? 'rewind' : 'regular',
    state: record.state,
    revision: stored.revision,
    positions: record.positions,
    transactions: record.handles.map(({ sink, subtask, kind }) => ({ sink, subtask, kind })),
  }
}

/** A line of history: what is kept of a retired or aborted checkpoint. */
export function summaryView(name: PipelineName, line: CheckpointSummary): CheckpointView {
  const { decidedAtMs, sealMs, decideMs, commitMs, records, rows } = line.figures
  const decided = line.state !== 'aborted'
  return {
    pipeline: name,
    checkpoint: line.checkpoint,
    attempt: line.attempt,
    leaderEpoch: 0n as CheckpointView['leaderEpoch'],
    kind: line.checkpoint === 0n ? 'start' : 'regular',
    state: line.state as CheckpointView['state'],
    revision: undefined,
    startedMs: Math.round(decidedAtMs - sealMs - decideMs),
    decidedMs: decided ? decidedAtMs : undefined,
    completedMs: line.state === 'completed' ? Math.round(decidedAtMs + commitMs) : undefined,
    records,
    rows,
    sealMs,
    decideMs,
    commitMs,
    positions: [],
    transactions: [],
  }
}

export const abortedView = (name: PipelineName, ended: EndedCheckpoint): CheckpointView =>
  summaryView(name, ended.summary)

/** Sealed transactions that are not confirmed: undecided ones of P5, and decided ones of P6. */
export function transactionViews(term: Term, state: Reduced): readonly TransactionView[] {
  const { core, phase } = state
  const nowMs = term.nowMs()
  const prefix = `onceflow:${core.cluster}:${core.doc.uid}`
  const workerOf = (subtask: number) => {
    const key = core.assignment?.tasks.find((task) => task.subtask === subtask)?.worker
    return term.membership.members().find((member) => member.key === key)?.worker
  }
  const view = (
    handle: CheckpointRecord['handles'][number],
    at: Pick<TransactionView, 'checkpoint' | 'attempt' | 'decision' | 'ageMs'>,
  ): TransactionView => ({
    pipeline: core.doc.name,
    sink: handle.sink,
    subtask: handle.subtask,
    id: `${prefix}:${handle.sink}:${handle.subtask}:${at.checkpoint}:${at.attempt}`,
    worker: workerOf(handle.subtask),
    ...at,
  })
  const confirmed = core.confirmed?.checkpoint
  const decided = core.records
    .filter(({ record }) => record.state === 'committed' && record.checkpoint !== confirmed)
    .flatMap(({ record, seenMs }) =>
      record.handles.map((handle) =>
        view(handle, {
          checkpoint: record.checkpoint,
          attempt: record.attempt,
          decision: 'commit',
          ageMs: Math.max(0, Math.round(nowMs - seenMs)),
        }),
      ),
    )
  if (phase.kind !== 'running' || phase.checkpoint.kind !== 'sealing') return decided
  const { checkpoint, sealed, injectedMs } = phase.checkpoint
  const open = [...sealed.values()]
    .flatMap((message) => message.handles)
    .filter((handle) => handle.kind === 'sealed')
    .map((handle) =>
      view(handle, {
        checkpoint,
        attempt: core.attempt.attempt,
        decision: 'undecided',
        ageMs: Math.max(0, Math.round(nowMs - injectedMs)),
      }),
    )
  return [...decided, ...open]
}
