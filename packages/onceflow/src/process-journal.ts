import type { Journal, JournalFields } from '@onceflow/ports'
import pino from 'pino'

export interface JournalOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  /** Fields of every line, such as the worker's id. */
  readonly base: JournalFields
  /** Values that must never be printed, wherever they turn up. */
  readonly secrets: () => readonly string[]
}

/**
 * JSON lines on stderr with fixed keys: ts, level, msg and the fields. Values are encoded, so that
 * a value cannot forge a line; a secret is replaced before it is written.
 */
export function processJournal(options: JournalOptions): Journal {
  const log = pino(
    {
      level: options.level,
      base: options.base,
      timestamp: () => `,"ts":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        streamWrite: (line) => withoutSecrets(line, options.secrets()),
      },
    },
    pino.destination({ dest: 2, sync: true }),
  )
  return {
    write: (level, message, fields = {}) => log[level](printable(fields), message),
  }
}

const printable = (fields: JournalFields): object =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === 'bigint' ? value.toString() : value,
    ]),
  )

/** Longest first, so that a secret that contains another one leaves nothing behind. */
function withoutSecrets(line: string, secrets: readonly string[]): string {
  let text = line
  for (const secret of [...secrets].sort((a, b) => b.length - a.length)) {
    const encoded = JSON.stringify(secret).slice(1, -1)
    if (encoded.length > 0) text = text.replaceAll(encoded, '[redacted]')
  }
  return text
}
