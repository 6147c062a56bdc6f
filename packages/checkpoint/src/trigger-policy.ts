import type { CheckpointPhase, PipelineCore, StopReason } from './state.ts'

/**
 * When the next barrier is due: never while one is under way, at once for a clean stop or a full
 * buffer, else when the interval is over and some task has records. A pipeline through which
 * nothing flows makes no checkpoint.
 */
export function isDue(
  idle: Extract<CheckpointPhase, { kind: 'idle' }>,
  at: { readonly nowMs: number; readonly stopWanted: StopReason | undefined },
): boolean {
  if (at.stopWanted !== undefined) return true
  switch (idle.wanted) {
    case 'full':
      return true
    case 'data':
      return at.nowMs >= idle.dueMs
    case 'no':
      return false
  }
}

/** The interval counts from barrier to barrier; it never makes two checkpoints overlap. */
export const dueAfter = (core: PipelineCore, injectedMs: number): number =>
  injectedMs + (core.assignment?.spec.checkpoint.intervalMs ?? 1_000)

export type Wanted = 'no' | 'data' | 'full'

export const stronger = (a: Wanted, b: Wanted): Wanted =>
  a === 'full' || b === 'full' ? 'full' : a === 'data' || b === 'data' ? 'data' : 'no'
