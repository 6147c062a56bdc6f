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
      const wait = next()
      if (wait === undefined) continue
      void wait.then(() => this.#drain())
      return
    }
    this.#performing = false
  }
}
