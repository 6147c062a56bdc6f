/**
 * Time as the protocol may use it (R8): monotonic, inside one process. Wall time is for people and
 * for freshness figures only; no decision compares it.
 */
export interface Clock {
  /** Milliseconds of a monotonic clock, fractions allowed; the origin means nothing. */
  monotonicMs(): number
  /** Milliseconds since 1970 of this machine's clock, for display. */
  wallMs(): number
  /** Calls back once after delayMs; the handle cancels it. */
  after(delayMs: number, callback: () => void): TimerHandle
}

export interface TimerHandle {
  cancel(): void
}

/** Random text and numbers; seeded in the simulator. */
export interface RandomSource {
  /** Lower-case letters and digits, `length` characters. */
  token(length: number): string
  /** 0 up to but not including 1. */
  fraction(): number
}

export type JournalLevel = 'debug' | 'info' | 'warn' | 'error'
export type JournalFields = { readonly [key: string]: unknown }

/** The log of a process: one line for each change of state; fields keep their fixed names. */
export interface Journal {
  write(level: JournalLevel, message: string, fields?: JournalFields): void
}

/**
 * Named places where a test may stop, freeze or delay the process; inert unless a test turns one
 * on. `reached` resolves when the process may go on, and is synchronous when nothing is armed.
 */
export interface FailPoints {
  reached(name: string): Promise<void> | undefined
}
