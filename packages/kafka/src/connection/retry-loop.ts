import { OnceflowError } from '@onceflow/model'
import type { Clock } from '@onceflow/ports'
import { backOffMs, WakeUp } from './wake-up.ts'

export interface RetryOptions {
  readonly clock: Clock
  /** After it the last failure is thrown. */
  readonly deadlineMs: number
  /** Woken when waiting has no more sense; the next step then throws by itself. */
  readonly wakeUp?: WakeUp
}

/** Repeats a step while it throws failures of class retry, until the deadline. */
export async function retryUntilDeadline<T>(
  options: RetryOptions,
  step: () => Promise<T>,
): Promise<T> {
  const { clock } = options
  const wakeUp = options.wakeUp ?? new WakeUp(clock)
  const startMs = clock.monotonicMs()
  for (let failures = 0; ; failures++) {
    try {
      return await step()
    } catch (thrown) {
      const retriable = thrown instanceof OnceflowError && thrown.failure.class === 'retry'
      const passedMs = clock.monotonicMs() - startMs
      if (!retriable || passedMs >= options.deadlineMs) throw thrown
      await wakeUp.wait(backOffMs(failures))
    }
  }
}
