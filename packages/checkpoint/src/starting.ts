import { checkpointNumber, failure, partitionKey } from '@onceflow/model'
import { giveUp, pickWorker, startPositions } from './advance.ts'
import { background } from './background.ts'
import type { Stimulus } from './event.ts'
import { firstIdle } from './running.ts'
import {
  newestRecord,
  type Phase,
  type PipelineCore,
  type PipelineState,
  type WorkerKey,
} from './state.ts'
import { go, note, type PipelineStep, send, stampOf, stay } from './step.ts'
import { stronger } from './trigger-policy.ts'

/**
 * From the end of RESOLVE to running tasks. Start orders are idempotent: a worker that is back on a
 * new stream gets its own again.
 */
type In<K extends Phase['kind']> = Extract<Phase, { readonly kind: K }>

export function startTasks(core: PipelineCore, stim: Stimulus): PipelineStep {
  const tasks = core.assignment?.tasks ?? []
  const live = new Set(core.workers.map((worker) => worker.key))
  const dead = tasks.find((task) => !live.has(task.worker))
  if (dead !== undefined) {
    const detail = `worker ${dead.worker} was lost before task ${dead.subtask} started`
    return giveUp(core, stim, { failure: failure('WORKER_LOST', { detail }) })
  }
  const phase: Phase = {
    kind: 'starting',
    waitingFor: tasks.map((task) => task.subtask),
    untilMs: stim.nowMs + core.settings.startMs,
    sinceMs: stim.nowMs,
    wanted: 'no',
  }
  return go(core, phase, startOrders(core, undefined))
}

/** start-task messages of the attempt; of one worker, or of all. */
export function startOrders(core: PipelineCore, only: WorkerKey | undefined) {
  const record = newestRecord(core)?.record
  const positions = new Map(startPositions(core).map((place) => [partitionKey(place), place]))
  const { assignment } = core
  if (assignment === undefined) return []
  return assignment.tasks
    .filter((task) => only === undefined || task.worker === only)
    .map((task) =>
      send(task.worker, {
        kind: 'start-task',
        ...stampOf(core),
        spec: assignment.spec,
        subtask: task.subtask,
        restored: record?.checkpoint ?? checkpointNumber(0n),
        positions: task.partitions.flatMap((place) => positions.get(partitionKey(place)) ?? []),
        heads: record?.heads ?? [],
        contexts: record?.contexts ?? [],
      }),
    )
}

export function whenStarting(
  state: PipelineState,
  phase: In<'starting'>,
  stim: Stimulus,
): PipelineStep {
  const { core } = state
  const { event } = stim
  if (event.kind === 'message' && event.message.kind === 'task-started') {
    const { subtask } = event.message
    const waitingFor = phase.waitingFor.filter((other) => other !== subtask)
    if (waitingFor.length > 0) return go(core, { ...phase, waitingFor })
    return started(state, stim, phase)
  }
  if (event.kind === 'message' && event.message.kind === 'barrier-wanted') {
    const asked = event.message.reason === 'full' ? 'full' : 'data'
    return go(core, { ...phase, wanted: stronger(phase.wanted, asked) })
  }
  if (event.kind === 'message' && event.message.kind === 'task-failed') {
    return giveUp(core, stim, { failure: event.message.failure })
  }
  if (event.kind === 'reconnected') {
    return stay(state, startOrders(core, event.worker))
  }
  if (event.kind === 'workers') {
    const live = new Set(event.workers.map((worker) => worker.key))
    const lost = core.assignment?.tasks.find((task) => !live.has(task.worker))
    if (lost !== undefined) {
      const detail = `worker ${lost.worker} is lost while task ${lost.subtask} started`
      return giveUp(core, stim, { failure: failure('WORKER_LOST', { detail }) })
    }
  }
  if (stim.nowMs < phase.untilMs) return stay(state)
  const detail = `tasks ${phase.waitingFor.join(', ')} did not start in time`
  return giveUp(core, stim, { failure: failure('TASK_FAILED', { detail }) })
}

function started(state: PipelineState, stim: Stimulus, phase: In<'starting'>): PipelineStep {
  const { core } = state
  const running = firstIdle(core, stim, phase.wanted)
  const worker = pickWorker(core, undefined)
  const spec = core.assignment?.spec ?? core.doc.spec
  const look =
    worker === undefined ? [] : [send(worker, { kind: 'inspect', ...stampOf(core), spec })]
  const startMs = Math.round(stim.nowMs - phase.sinceMs)
  const step = background(core, running, stim)
  return {
    state: step.state,
    effects: [note('info', 'attempt runs', { startMs }), ...look, ...step.effects],
  }
}
