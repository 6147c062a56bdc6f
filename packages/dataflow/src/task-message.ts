import type { CheckpointNumber } from '@onceflow/model'
import type { ResolveOutcome, Stamp, WorkerMessage } from '@onceflow/ports'
import type {
  BarrierReason,
  Cut,
  SealFacts,
  SinkProgress,
  TaskCore,
  TaskEffect,
} from './task-state.ts'

const send = (message: WorkerMessage): TaskEffect => ({ kind: 'send', message })

function stampOf(core: TaskCore): Stamp {
  const { pipeline, attempt } = core.task
  return { pipeline, attempt, leaderEpoch: core.leaderEpoch }
}

export function sendStarted(core: TaskCore): TaskEffect {
  return send({ ...stampOf(core), kind: 'task-started', subtask: core.task.subtask })
}

export function sendFailed(core: TaskCore & { readonly failure: FailureOf }): TaskEffect {
  const { subtask } = core.task
  return send({ ...stampOf(core), kind: 'task-failed', subtask, failure: core.failure })
}
type FailureOf = Extract<WorkerMessage, { kind: 'task-failed' }>['failure']

export function sendSealed(core: TaskCore, cut: Cut, facts: SealFacts): TaskEffect {
  return send({
    ...stampOf(core),
    kind: 'sealed',
    subtask: core.task.subtask,
    checkpoint: cut.checkpoint,
    positions: cut.to,
    handles: facts.handles,
    contexts: facts.contexts,
    records: cut.records,
    rows: facts.rows,
    sealMs: facts.sealMs,
  })
}

export interface Confirmation {
  readonly checkpoint: CheckpointNumber
  readonly outcome: ResolveOutcome
  readonly commitMs: number
}

export function sendCommitted(core: TaskCore, confirmation: Confirmation): TaskEffect {
  const { subtask } = core.task
  return send({ ...stampOf(core), kind: 'committed', subtask, ...confirmation })
}

export function sendWanted(core: TaskCore, reason: BarrierReason): TaskEffect {
  return send({ ...stampOf(core), kind: 'barrier-wanted', subtask: core.task.subtask, reason })
}

/** R5: a stale sender learns that it is stale. */
export function sendStale(core: TaskCore): TaskEffect {
  const { pipeline, attempt } = core.task
  return send({ kind: 'stale', leaderEpoch: core.leaderEpoch, pipeline, attempt })
}

/** The losses of a checkpoint; undefined while no sink has proved one. */
export function lossOf(
  core: TaskCore,
  cut: Cut,
  sinks: readonly SinkProgress[],
): ResolveOutcome | undefined {
  const lost = sinks.flatMap(({ sink, state, failure }) =>
    state === 'lost' && failure !== undefined
      ? [{ sink, subtask: core.task.subtask, checkpoint: cut.checkpoint, failure }]
      : [],
  )
  return lost.length === 0 ? undefined : { kind: 'lost', lost }
}
