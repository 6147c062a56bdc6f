import type { Position } from '@onceflow/model'
import type { Clock, SourceLog, TimerHandle } from '@onceflow/ports'

/**
 * Shows committed positions in the source's own tools, for people (P10): the newest ones, at most
 * once per interval; a failure is nobody's error.
 */
export class ProgressPublisher {
  readonly #log: SourceLog
  readonly #clock: Clock
  readonly #group: string
  readonly #intervalMs: number
  #newest: readonly Position[] | undefined
  #timer: TimerHandle | undefined
  #lastMs = Number.NEGATIVE_INFINITY
  #onFailure: (error: unknown) => void

  constructor(options: {
    readonly log: SourceLog
    readonly clock: Clock
    readonly group: string
    readonly intervalMs: number
    readonly onFailure: (error: unknown) => void
  }) {
    this.#log = options.log
    this.#clock = options.clock
    this.#group = options.group
    this.#intervalMs = options.intervalMs
    this.#onFailure = options.onFailure
  }

  publish(positions: readonly Position[]): void {
    this.#newest = positions
    if (this.#timer !== undefined) return
    const waitMs = this.#lastMs + this.#intervalMs - this.#clock.monotonicMs()
    if (waitMs <= 0) this.#publishNow()
    else this.#timer = this.#clock.after(waitMs, () => this.#publishNow())
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#newest = undefined
  }

  #publishNow(): void {
    this.#timer = undefined
    const positions = this.#newest
    if (positions === undefined) return
    this.#newest = undefined
    this.#lastMs = this.#clock.monotonicMs()
    this.#log.publishProgress(this.#group, positions).catch(this.#onFailure)
  }
}
