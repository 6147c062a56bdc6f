import { invariant } from '@onceflow/model'
import type { Clock, TimerHandle } from '@onceflow/ports'

interface Timer {
  readonly dueMs: number
  readonly order: number
  readonly callback: () => void
}

/**
 * A clock that stands still until a test moves it.
 *
 * Invariants: time never goes back; timers fire in order of due time, then of creation; a callback
 * sees the clock at its own due time.
 */
export class ManualClock implements Clock {
  readonly #timers = new Set<Timer>()
  readonly #wallOriginMs: number
  #nowMs = 0
  #order = 0

  constructor(wallOriginMs = 1_700_000_000_000) {
    this.#wallOriginMs = wallOriginMs
  }

  monotonicMs(): number {
    return this.#nowMs
  }

  wallMs(): number {
    return this.#wallOriginMs + Math.floor(this.#nowMs)
  }

  after(delayMs: number, callback: () => void): TimerHandle {
    invariant(delayMs >= 0, `a timer's delay is not negative: ${delayMs}`)
    const timer = { dueMs: this.#nowMs + delayMs, order: this.#order, callback }
    this.#order += 1
    this.#timers.add(timer)
    return { cancel: () => void this.#timers.delete(timer) }
  }

  /** Timers that have not fired. */
  pending(): number {
    return this.#timers.size
  }

  /** Fires what is due within the next durationMs, in order, without letting promises go on. */
  advance(durationMs: number): void {
    const untilMs = this.#nowMs + durationMs
    while (this.#fireNext(untilMs));
    this.#nowMs = untilMs
  }

  /** The same, and before and after each timer lets every promise that can go on do so. */
  async run(durationMs: number): Promise<void> {
    const untilMs = this.#nowMs + durationMs
    await settle()
    while (this.#fireNext(untilMs)) await settle()
    this.#nowMs = untilMs
    await settle()
  }

  #fireNext(untilMs: number): boolean {
    let next: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.dueMs > untilMs) continue
      if (next === undefined || isBefore(timer, next)) next = timer
    }
    if (next === undefined) return false
    this.#timers.delete(next)
    this.#nowMs = Math.max(this.#nowMs, next.dueMs)
    next.callback()
    return true
  }
}

const isBefore = (a: Timer, b: Timer): boolean =>
  a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order)

/** Lets the microtasks, and what they queue, run to their end. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}
