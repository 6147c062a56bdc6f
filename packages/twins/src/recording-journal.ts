import type { Journal, JournalFields, JournalLevel } from '@onceflow/ports'

export interface JournalLine {
  readonly level: JournalLevel
  readonly message: string
  readonly fields: JournalFields
}

/** Keeps every line for a test to look at. */
export class RecordingJournal implements Journal {
  readonly lines: JournalLine[] = []

  write(level: JournalLevel, message: string, fields: JournalFields = {}): void {
    this.lines.push({ level, message, fields })
  }

  /** Lines of this level or of this message. */
  find(text: string): readonly JournalLine[] {
    return this.lines.filter((line) => line.level === text || line.message === text)
  }
}
