import type { CheckpointSummary, PipelineEffect, PipelineState } from '@onceflow/checkpoint'
import type { Failure, PipelineUid } from '@onceflow/model'
import type { TimerHandle } from '@onceflow/ports'

export interface EndedCheckpoint {
  readonly summary: CheckpointSummary
  readonly cause: Failure | undefined
}

export interface PipelineEntry {
  state: PipelineState
  timer: TimerHandle | undefined
  /** Newest first; only in memory, for people. */
  readonly aborted: EndedCheckpoint[]
  recoveries: number
}

type Ended = Extract<PipelineEffect, { kind: 'checkpoint-ended' }>

/** The pipelines of a term and what happened to them since it began. */
export class PipelineBook {
  readonly totals = { completed: 0, aborted: 0, recoveries: 0 }
  readonly #entries = new Map<PipelineUid, PipelineEntry>()
  readonly #abortedKept: number

  constructor(abortedKept: number) {
    this.#abortedKept = abortedKept
  }

  add(uid: PipelineUid, state: PipelineState): void {
    this.#entries.set(uid, { state, timer: undefined, aborted: [], recoveries: 0 })
  }

  forget(uid: PipelineUid): void {
    this.#entries.get(uid)?.timer?.cancel()
    this.#entries.delete(uid)
  }

  entry(uid: PipelineUid): PipelineEntry | undefined {
    return this.#entries.get(uid)
  }

  uids(): readonly PipelineUid[] {
    return [...this.#entries.keys()]
  }

  states(): readonly PipelineState[] {
    return [...this.#entries.values()].map((entry) => entry.state)
  }

  stopTimers(): void {
    for (const entry of this.#entries.values()) entry.timer?.cancel()
  }

  recovered(entry: PipelineEntry): void {
    entry.recoveries += 1
    this.totals.recoveries += 1
  }

  ended(entry: PipelineEntry, { summary, cause }: Ended): void {
    if (summary.state === 'completed') {
      this.totals.completed += 1
      return
    }
    this.totals.aborted += 1
    entry.aborted.unshift({ summary, cause })
    entry.aborted.length = Math.min(entry.aborted.length, this.#abortedKept)
  }
}
