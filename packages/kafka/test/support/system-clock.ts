import type { Clock, Journal, JournalFields } from '@onceflow/ports'

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
}

export interface JournalLine {
  readonly level: string
  readonly message: string
  readonly fields: JournalFields
}

/** Keeps the lines for the test to look at. */
export function keepingJournal(): Journal & { readonly lines: JournalLine[] } {
  const lines: JournalLine[] = []
  return {
    lines,
    write: (level, message, fields = {}) => {
      lines.push({ level, message, fields })
    },
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))
