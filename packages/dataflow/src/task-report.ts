import type { TaskReport, TaskStats } from '@onceflow/ports'
import type { TaskState } from './task-state.ts'

/** What a worker tells a leader about a task when it says hello. A seal in flight counts (R3). */
export function reportOf(state: TaskState): TaskReport {
  const { pipeline, attempt, subtask } = state.task
  const held = ['sealing', 'broken', 'sealed'].includes(state.previous.kind)
  return {
    pipeline,
    attempt,
    subtask,
    lastBarrier: state.lastBarrier,
    lastCommitted: state.lastCommitted,
    sealing: held ? 'yes' : 'no',
  }
}

/** What the task waits for, for people who ask why nothing moves. */
export function waitingOf(state: TaskState): TaskStats['waiting'] {
  if (state.kind === 'stopped') return 'stopped'
  if (state.kind !== 'running') return 'no'
  if (state.open.room === 'full') return state.previous.kind === 'none' ? 'sink' : 'commit'
  if (state.invoking !== undefined) return 'no'
  return state.polling === 'yes' ? 'source' : 'no'
}

export function bufferedRecordsOf(state: TaskState): number {
  return state.kind === 'running' || state.kind === 'stopped' ? state.open.records : 0
}
