import { createInterface } from 'node:readline/promises'

/** The world as a command sees it. stdout carries data only; everything else goes to stderr. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether stdout, and for questions stdin, belongs to a person. */
  readonly isTty: 'yes' | 'no'
  data(text: string): void
  note(text: string): void
  /** One line typed by the person. */
  ask(question: string): Promise<string>
  /** Resolves when the person or the system asks the process to stop. */
  stopped(): Promise<void>
  wait(delayMs: number): Promise<void>
  /** Milliseconds since 1970, for ages. */
  nowMs(): number
}

export function processTerminal(): Terminal {
  let stopping: Promise<void> | undefined
  return {
    env: process.env,
    isTty: process.stdout.isTTY && process.stdin.isTTY ? 'yes' : 'no',
    data: (text) => process.stdout.write(`${text}\n`),
    note: (text) => process.stderr.write(`${text}\n`),
    ask: async (question) => {
      const lines = createInterface({ input: process.stdin, output: process.stderr })
      try {
        return await lines.question(question)
      } finally {
        lines.close()
      }
    },
    stopped: () => {
      // Asked for once: afterwards a second signal ends the process at once, as it does by default.
      stopping ??= new Promise((resolve) => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
      })
      return stopping
    },
    wait: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs)),
    nowMs: () => Date.now(),
  }
}

/** Escape codes only where a person looks, and not where NO_COLOR or a dumb terminal says no. */
export function mayColor(terminal: Terminal): boolean {
  const { NO_COLOR: noColor, TERM: term } = terminal.env
  const isWanted = noColor === undefined || noColor === ''
  return terminal.isTty === 'yes' && isWanted && term !== 'dumb'
}
