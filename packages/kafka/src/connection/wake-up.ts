import type { Clock } from '@onceflow/ports'

/** Lets loops sleep until something happens or a time has passed, whichever is first. */
export class WakeUp {
  private readonly clock: Clock
  private readonly sleepers = new Set<() => void>()

  constructor(clock: Clock) {
    this.clock = clock
  }

  notify(): void {
    for (const wake of [...this.sleepers]) wake()
  }

  wait(timeoutMs: number): Promise<'woken' | 'timeout'> {
    return new Promise((resolve) => {
      const timer = this.clock.after(timeoutMs, () => {
        this.sleepers.delete(wake)
        resolve('timeout')
      })
      const wake = (): void => {
        timer.cancel()
        this.sleepers.delete(wake)
        resolve('woken')
      }
      this.sleepers.add(wake)
    })
  }
}

/** 20 ms doubled with every failure, up to a second. */
export const backOffMs = (failures: number): number => Math.min(1_000, 20 * 2 ** failures)
