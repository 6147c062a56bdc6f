import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@onceflow/model'

/** Longest line that is read; a longer one is a typed failure, never a cut. */
export const lineBytesMax = 64 * 1024 * 1024

const newline = 0x0a

/** A file of the log, and how far it was read. */
export interface FileCursor {
  readonly name: string
  /** Up to the end of the last complete line read. */
  readBytes: number
}

/** Names of the log's files, in the order in which a partition continues from one to the next. */
export function listFiles(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.jsonl'))
      .sort()
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown)
    fail('SOURCE_UNREACHABLE', { detail: `file log ${directory}: ${text}`, class: 'fatal' })
  }
}

/** Undefined: the file is gone. */
export function fileBytes(directory: string, name: string): number | undefined {
  return statSync(join(directory, name), { throwIfNoEntry: false })?.size
}

/**
 * Complete lines from the cursor on, about chunkBytes of them, and moves the cursor behind them.
 * A last line without its newline is not read: its writer has not finished it.
 */
export function readLines(
  directory: string,
  cursor: FileCursor,
  chunkBytes: number,
): readonly Buffer[] {
  const file = openSync(join(directory, cursor.name), 'r')
  try {
    for (let wanted = chunkBytes; ; wanted *= 2) {
      const chunk = Buffer.allocUnsafe(Math.min(wanted, lineBytesMax))
      const count = readSync(file, chunk, 0, chunk.length, cursor.readBytes)
      const end = chunk.subarray(0, count).lastIndexOf(newline)
      if (end >= 0) {
        cursor.readBytes += end + 1
        return splitLines(chunk.subarray(0, end))
      }
      if (count < chunk.length) return []
      if (wanted >= lineBytesMax) {
        const where = `${cursor.name} at byte ${cursor.readBytes}`
        fail('LIMIT_EXCEEDED', { detail: `${where}: a line exceeds lineBytesMax ${lineBytesMax}` })
      }
    }
  } finally {
    closeSync(file)
  }
}

function splitLines(chunk: Buffer): readonly Buffer[] {
  const lines: Buffer[] = []
  for (let start = 0; start <= chunk.length; ) {
    const found = chunk.indexOf(newline, start)
    const end = found < 0 ? chunk.length : found
    if (end > start) lines.push(chunk.subarray(start, end))
    start = end + 1
  }
  return lines
}
