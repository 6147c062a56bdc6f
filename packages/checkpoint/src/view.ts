import { needsIds } from './background.ts'
import type { PipelineCore, PipelineState, WorkerKey } from './state.ts'

/** When the reducer wants its next tick; undefined: it waits for something else. */
export function wakeAt(state: PipelineState): number | undefined {
  const { core, phase } = state
  switch (phase.kind) {
    case 'waiting':
      return earliest(
        phase.reason === 'back-off' ? core.restarts.notBeforeMs : undefined,
        core.confirmed === undefined ? undefined : backgroundAt(core),
      )
    case 'inspecting':
    case 'quiescing':
    case 'starting':
    case 'ending':
    case 'resolving-commit':
    case 'resolving-abort':
      return Number.isFinite(phase.untilMs) ? phase.untilMs : undefined
    case 'storing-attempt':
    case 'storing-completed':
    case 'storing-resolved':
    case 'storing-status':
    case 'storing-gone':
      return phase.pending.retryAtMs
    case 'running':
      return wakeRunning(state)
    case 'parked':
    case 'gone':
    case 'deposed':
      return undefined
  }
}

/** When a background Txn may go out; undefined: one is under way. */
const backgroundAt = (core: PipelineCore): number | undefined =>
  core.background === 'none' ? core.backgroundFromMs : undefined

const earliest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b)
const later = (atMs: number, fromMs: number | undefined): number | undefined =>
  fromMs === undefined ? undefined : Math.max(atMs, fromMs)

/** How often a running pipeline looks after what has no timer of its own (retirement, timeouts). */
const slowTickMs = 1_000

function wakeRunning(state: PipelineState): number | undefined {
  const { core, phase } = state
  if (phase.kind !== 'running') return undefined
  const { checkpoint } = phase
  switch (checkpoint.kind) {
    case 'idle':
      if (phase.stopWanted !== undefined || checkpoint.wanted !== 'no') {
        const dueMs =
          phase.stopWanted === undefined && checkpoint.wanted === 'data' ? checkpoint.dueMs : 0
        // Without a number the barrier waits for the block, which comes as an event of its own.
        return needsIds(core) ? later(dueMs, backgroundAt(core)) : dueMs
      }
      return core.confirmed === undefined
        ? undefined
        : later(checkpoint.dueMs + slowTickMs + 1, backgroundAt(core))
    case 'sealing': {
      const limitMs = core.assignment?.spec.checkpoint.timeoutMs ?? 60_000
      return checkpoint.injectedMs + limitMs + 1
    }
    case 'deciding':
      return checkpoint.pending.retryAtMs
    case 'committing':
      return undefined
  }
}

/** Whether a worker may still hold something of the pipeline: it is not drained yet. */
export function needsWorker(state: PipelineState, worker: WorkerKey): boolean {
  const { core, phase } = state
  switch (phase.kind) {
    case 'parked':
    case 'gone':
    case 'deposed':
    case 'waiting':
      return false
    case 'resolving-commit':
    case 'resolving-abort':
    case 'inspecting':
      return phase.worker === worker
    case 'ending':
    case 'quiescing':
      return phase.waitingFor.includes(worker)
    case 'storing-attempt':
    case 'storing-completed':
    case 'storing-resolved':
    case 'storing-status':
    case 'storing-gone':
    case 'starting':
    case 'running':
      return core.assignment?.tasks.some((task) => task.worker === worker) ?? false
  }
}

/** One word for people: what the pipeline is doing. */
export function stateWord(state: PipelineState): string {
  const { phase, core } = state
  switch (phase.kind) {
    case 'running':
      return phase.stopWanted === undefined ? 'RUNNING' : 'STOPPING'
    case 'parked':
      return phase.reason === 'paused' ? 'PAUSED' : 'FAILED'
    case 'waiting':
      return phase.reason === 'workers' ? 'WAITING_FOR_WORKERS' : 'BACKING_OFF'
    case 'gone':
    case 'storing-gone':
      return 'DELETING'
    case 'ending':
      return 'STOPPING'
    case 'deposed':
      return 'UNKNOWN'
    case 'inspecting':
    case 'starting':
      return core.restarts.consecutive > 0 ? 'RECOVERING' : 'STARTING'
    case 'storing-attempt':
    case 'quiescing':
    case 'resolving-commit':
    case 'storing-completed':
    case 'resolving-abort':
    case 'storing-resolved':
    case 'storing-status':
      return core.assignment?.goal === 'settle' ? 'SETTLING' : 'RECOVERING'
  }
}
