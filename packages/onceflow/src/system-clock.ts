import { randomBytes, randomInt } from 'node:crypto'
import type { Clock, RandomSource, TimerHandle } from '@onceflow/ports'

/** The clock of a real process (R8: monotonic for decisions, wall time for people). */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after: (delayMs, callback): TimerHandle => {
    const timer = setTimeout(callback, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

export const systemRandom: RandomSource = {
  token: (length) =>
    Array.from({ length }, () => alphabet[randomInt(alphabet.length)] ?? 'a').join(''),
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
}

/** Lets sockets and timers have their turn. */
export const yieldTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
