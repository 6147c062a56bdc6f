import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { fail, offset, type Position, partitionKey, type SourcePartition } from '@onceflow/model'
import type { LogReader, LogRecord, PartitionLag, RecordBatch } from '@onceflow/ports'
import { type FileCursor, fileBytes, listFiles, readLines } from './file-log-files.ts'
import type { FileLogIndex, IndexedPartition } from './file-log-index.ts'
import { type LineHead, parseHead, parseRecord } from './file-log-line.ts'
import { readMarker } from './file-log-marker.ts'

export interface FileReaderOptions {
  readonly index: FileLogIndex
  readonly positions: readonly Position[]
  readonly bufferBytesMax: number
  readonly isSelected: (topic: string) => boolean
}

/** Between two looks at the folder while nothing new is there. */
const idleMs = 20
/** Between two readings of all bounds, for the lag and for new partitions. */
const refreshMs = 1_000
const chunkBytesMax = 1024 * 1024

interface Reading {
  position: Position
  /** Offset of the last record seen in the files, whether it was given or lies before the start. */
  seen: bigint
}

/**
 * Reads the files of the folder in the order of their names, each from where it was left.
 *
 * Invariants: nothing is held between two polls, so memory is bounded by one chunk and by the
 * longest line; offsets of a partition grow from line to line over all files.
 */
export class FileLogReader implements LogReader {
  readonly #options: FileReaderOptions
  readonly #readings = new Map<string, Reading>()
  readonly #cursors = new Map<string, FileCursor>()
  readonly #atOpen: ReadonlySet<string>
  readonly #markerId: string
  #refreshedMs = performance.now()
  #state: 'open' | 'closed' = 'open'

  /** The index is up to date, and the positions were checked against it. */
  constructor(options: FileReaderOptions) {
    this.#options = options
    this.#markerId = readMarker(options.index.directory).id
    for (const position of options.positions) {
      this.#readings.set(partitionKey(position), { position, seen: -1n })
    }
    this.#atOpen = new Set(this.#selected().map(partitionKey))
  }

  async poll(waitMs: number): Promise<readonly RecordBatch[]> {
    const untilMs = performance.now() + waitMs
    while (!this.#isClosed()) {
      await this.#refreshNowAndThen()
      const batches = await this.#readNext()
      if (batches.length > 0) return batches
      const leftMs = untilMs - performance.now()
      if (leftMs <= 0) break
      await sleep(Math.min(idleMs, leftMs))
    }
    return []
  }

  newPartitions(): readonly SourcePartition[] {
    return this.#selected()
      .filter((partition) => !this.#atOpen.has(partitionKey(partition)))
      .map(({ topic, topicId, partition }) => ({ topic, topicId, partition }))
  }

  lag(): readonly PartitionLag[] {
    return [...this.#readings.values()].map(({ position }) => {
      const { topic, topicId, partition } = position
      const known = this.#options.index.find(position)?.end ?? 0n
      // Reading may be ahead of the last refresh.
      const end = known > position.offset ? known : position.offset
      return { topic, topicId, partition, position: position.offset, end }
    })
  }

  async close(): Promise<void> {
    this.#state = 'closed'
  }

  /** Batches of the next chunk that holds a record of ours; none when all files are read. */
  async #readNext(): Promise<readonly RecordBatch[]> {
    const { directory } = this.#options.index
    const names = listFiles(directory)
    await this.#checkLost(names)
    // Before each chunk: other files of the same name may stand in the folder by now.
    if (readMarker(directory).id !== this.#markerId) await this.#refresh()
    const chunkBytes = Math.min(this.#options.bufferBytesMax, chunkBytesMax)
    for (const name of names) {
      const cursor = this.#cursors.get(name) ?? { name, readBytes: 0 }
      this.#cursors.set(name, cursor)
      while ((fileBytes(directory, name) ?? 0) > cursor.readBytes) {
        const lines = readLines(directory, cursor, chunkBytes)
        if (lines.length === 0) break
        const batches = this.#batchesOf(lines, name)
        if (batches.length > 0) return batches
        await turn()
      }
    }
    return []
  }

  #batchesOf(lines: readonly Buffer[], name: string): readonly RecordBatch[] {
    const gathered = new Map<Reading, { records: LogRecord[]; bytes: number }>()
    for (const line of lines) {
      const head = parseHead(line, name)
      const reading = this.#readings.get(partitionKey(head))
      if (reading === undefined) continue
      checkOrder(reading, head, name)
      reading.seen = head.offset
      if (head.offset < reading.position.offset) continue
      const batch = gathered.get(reading) ?? { records: [], bytes: 0 }
      gathered.set(reading, batch)
      batch.records.push(parseRecord(line, head))
      batch.bytes += line.length
    }
    return [...gathered].map(([reading, { records, bytes }]) => {
      const { topic, topicId, partition } = reading.position
      reading.position = { ...reading.position, offset: offset(reading.seen + 1n) }
      return { topic, topicId, partition, records, next: reading.position, bytes }
    })
  }

  /** A file that is gone before it was read, or that was cut, took records with it. */
  async #checkLost(names: readonly string[]): Promise<void> {
    const { directory } = this.#options.index
    for (const [name, cursor] of this.#cursors) {
      const bytes = names.includes(name) ? fileBytes(directory, name) : undefined
      if (bytes !== undefined && bytes >= cursor.readBytes) continue
      await this.#refresh()
      const [reading] = this.#readings.values()
      const what = bytes === undefined ? 'is gone' : `was cut to ${bytes} bytes`
      const detail = `${name}, read up to byte ${cursor.readBytes}, ${what}`
      fail('LOG_TRUNCATED', {
        detail,
        ...(reading === undefined ? {} : { position: reading.position }),
      })
    }
  }

  async #refreshNowAndThen(): Promise<void> {
    const nowMs = performance.now()
    if (nowMs - this.#refreshedMs < refreshMs) return
    this.#refreshedMs = nowMs
    await this.#refresh()
  }

  /** Also finds that the folder now holds another log. */
  async #refresh(): Promise<void> {
    await this.#options.index.refresh()
    for (const { position } of this.#readings.values()) checkPosition(this.#options.index, position)
  }

  #selected(): readonly IndexedPartition[] {
    return this.#options.index
      .partitions()
      .filter((partition) => this.#options.isSelected(partition.topic))
  }

  #isClosed(): boolean {
    return this.#state === 'closed'
  }
}

function checkOrder(reading: Reading, head: LineHead, name: string): void {
  if (head.offset > reading.seen) return
  const { topic, partition } = reading.position
  fail('RECORD_CORRUPT', {
    detail: `${name}: offset ${head.offset} comes after ${reading.seen}`,
    hint: 'records of a partition must lie in offset order over the files in order of their names',
    position: { topic, partition, offset: head.offset },
  })
}

/** Throws what the port promises for a position that does not exist in the folder. */
export function checkPosition(index: FileLogIndex, position: Position): void {
  const found = index.find(position)
  if (found === undefined) {
    fail('TOPIC_MISSING', {
      detail: `no ${partitionKey(position)} in ${index.directory}`,
      position,
    })
  }
  if (found.topicId !== position.topicId) {
    fail('TOPIC_CHANGED', {
      detail: `topic id ${found.topicId}, expected ${position.topicId}`,
      position,
    })
  }
  if (position.offset < found.earliest) {
    fail('OFFSET_OUT_OF_RANGE', { detail: `the log begins at ${found.earliest}`, position })
  }
  if (position.offset > found.end) {
    fail('LOG_TRUNCATED', { detail: `the log ends at ${found.end}`, position })
  }
}
