/** Something to do; a promise when the next one must wait for it (an armed fail point). */
export type QueuedEffect = () => Promise<void> | undefined

/**
 * Performs effects in the order in which they were decided: at once, unless one before them waits.
 * Once stopped, nothing more is performed.
 */
export class EffectQueue {
  readonly #effects: QueuedEffect[] = []
  #performing = false
  #stopped = false

  push(effect: QueuedEffect): void {
    this.#effects.push(effect)
    if (!this.#performing) this.#drain()
  }

  stop(): void {
    this.#stopped = true
  }

  #drain(): void {
    this.#performing = true
    while (!this.#stopped) {
      const next = this.#effects.shift()
      if (next === undefined) break
      const wait = this.#performed(next)
      if (wait === undefined) continue
      void wait.then(() => this.#drain())
      return
    }
    this.#performing = false
  }

  /** One that throws must not hold up those behind it: what it throws is the caller's to judge. */
  #performed(effect: QueuedEffect): Promise<void> | undefined {
    try {
      return effect()
    } catch (thrown) {
      this.#performing = false
      throw thrown
    }
  }
}
