import type { Subtask } from '@onceflow/model'
import type { PipelineEffect } from './event.ts'
import type { CheckpointPhase, Phase, PipelineCore, WorkerKey } from './state.ts'
import { send, stampOf } from './step.ts'

/** Who the tasks of the attempt are, and what they are told. */
type In<K extends CheckpointPhase['kind']> = Extract<CheckpointPhase, { readonly kind: K }>

export const tasksOf = (core: PipelineCore) => core.assignment?.tasks ?? []
export const workersOf = (core: PipelineCore): readonly WorkerKey[] => [
  ...new Set(tasksOf(core).map((task) => task.worker)),
]
export const isOwner = (core: PipelineCore, from: WorkerKey, subtask: Subtask): boolean =>
  tasksOf(core).some((task) => task.subtask === subtask && task.worker === from)

export const barrierTo = (
  core: PipelineCore,
  to: WorkerKey,
  sealing: In<'sealing'>,
): PipelineEffect =>
  send(to, {
    kind: 'inject-barrier',
    ...stampOf(core),
    checkpoint: sealing.checkpoint,
    stop: sealing.stop === undefined ? 'no' : 'yes',
  })

export const commitTo = (
  core: PipelineCore,
  to: WorkerKey,
  done: In<'committing'>,
): PipelineEffect =>
  send(to, {
    kind: 'commit',
    ...stampOf(core),
    checkpoint: done.record.checkpoint,
    revision: done.revision,
  })

/** What a worker that came back on a new stream may have missed; every order is idempotent. */
export function repeatedOrders(
  core: PipelineCore,
  phase: Extract<Phase, { kind: 'running' }>,
  worker: WorkerKey,
): readonly PipelineEffect[] {
  if (!workersOf(core).includes(worker)) return []
  const { checkpoint } = phase
  if (checkpoint.kind === 'sealing') return [barrierTo(core, worker, checkpoint)]
  if (checkpoint.kind === 'committing') return [commitTo(core, worker, checkpoint)]
  return []
}
