import type { PipelineUid } from '@onceflow/model'
import type { Clock, TimerHandle } from '@onceflow/ports'
import { currentStats } from './admin-view.ts'
import type { Term } from './term.ts'

interface Sample {
  readonly atMs: number
  readonly records: number
  readonly rows: number
}

export interface Rate {
  readonly recordsPerSecond: number
  readonly rowsPerSecond: number
}

const sampleMs = 1_000
/** Rates are taken over this many samples. */
const windowSamples = 5

/**
 * Records and rows per second of each pipeline, from the counters that workers send. A counter that
 * went back (a new attempt) starts the window again.
 */
export class FlowRates {
  readonly #clock: Clock
  readonly #term: Term
  readonly #samples = new Map<PipelineUid, readonly Sample[]>()
  #timer: TimerHandle | undefined

  constructor(term: Term, clock: Clock) {
    this.#term = term
    this.#clock = clock
    this.#sample()
  }

  wallMs(): number {
    return this.#clock.wallMs()
  }

  stop(): void {
    this.#timer?.cancel()
  }

  of(uid: PipelineUid): Rate {
    const samples = this.#samples.get(uid) ?? []
    const first = samples[0]
    const last = samples.at(-1)
    if (first === undefined || last === undefined || last.atMs <= first.atMs) {
      return { recordsPerSecond: 0, rowsPerSecond: 0 }
    }
    const seconds = (last.atMs - first.atMs) / 1_000
    return {
      recordsPerSecond: (last.records - first.records) / seconds,
      rowsPerSecond: (last.rows - first.rows) / seconds,
    }
  }

  #sample(): void {
    const atMs = this.#clock.monotonicMs()
    for (const state of this.#term.pipelines.states()) {
      const stats = currentStats(this.#term, state)
      const sample: Sample = {
        atMs,
        records: stats.reduce((sum, task) => sum + task.recordsIn, 0),
        rows: stats.reduce((sum, task) => sum + task.rowsUpserted + task.rowsDeleted, 0),
      }
      const before = this.#samples.get(state.core.doc.uid) ?? []
      const newest = before.at(-1)
      const restarted = newest !== undefined && sample.records < newest.records
      const kept = restarted ? [] : before.slice(-windowSamples)
      this.#samples.set(state.core.doc.uid, [...kept, sample])
    }
    this.#timer = this.#clock.after(sampleMs, () => this.#sample())
  }
}
