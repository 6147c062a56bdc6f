import { setImmediate as turn } from 'node:timers/promises'
import { partitionKey, type SourcePartition } from '@onceflow/model'
import { type FileCursor, fileBytes, listFiles, readLines } from './file-log-files.ts'
import { parseHead } from './file-log-line.ts'
import { type FileLogMarker, readMarker, topicIdOf } from './file-log-marker.ts'

const chunkBytes = 1024 * 1024

/** What the folder holds of one partition. */
export interface IndexedPartition extends SourcePartition {
  /** Offset of the first record that is there. */
  readonly earliest: bigint
  /** One above the last record. */
  readonly end: bigint
}

interface Entry {
  readonly topic: string
  readonly partition: number
  earliest: bigint | undefined
  end: bigint
}

/**
 * Bounds of every partition in a folder, brought up to date by reading what has come since.
 *
 * Invariants: each byte is read once while its file grows; a file that is gone, or shorter than it
 * was, makes the index read the folder anew.
 */
export class FileLogIndex {
  readonly directory: string
  readonly #entries = new Map<string, Entry>()
  readonly #cursors = new Map<string, FileCursor>()
  #marker: FileLogMarker
  #refreshing: Promise<void> = Promise.resolve()

  constructor(directory: string) {
    this.directory = directory
    this.#marker = readMarker(directory)
  }

  /** In order of topic and partition. */
  partitions(): readonly IndexedPartition[] {
    const partitions = [...this.#entries.values()].map(({ topic, partition, earliest, end }) => ({
      topic,
      topicId: topicIdOf(this.#marker, topic),
      partition,
      earliest: earliest ?? end,
      end,
    }))
    return partitions.sort((a, b) =>
      a.topic === b.topic ? a.partition - b.partition : a.topic < b.topic ? -1 : 1,
    )
  }

  find(place: { topic: string; partition: number }): IndexedPartition | undefined {
    return this.partitions().find(
      ({ topic, partition }) => topic === place.topic && partition === place.partition,
    )
  }

  /** Afterwards all that was in the folder at the call is known; other work goes on meanwhile. */
  async refresh(): Promise<void> {
    const refreshed = this.#refreshing.then(() => this.#refresh())
    this.#refreshing = refreshed.catch(() => undefined)
    await refreshed
  }

  async #refresh(): Promise<void> {
    const names = listFiles(this.directory)
    const marker = readMarker(this.directory)
    if (marker.id !== this.#marker.id || this.#hasLost(names)) {
      this.#entries.clear()
      this.#cursors.clear()
    }
    this.#marker = marker
    for (const [topic, partitions] of Object.entries(marker.topics)) {
      for (let partition = 0; partition < partitions; partition += 1) this.#entry(topic, partition)
    }
    for (const name of names) await this.#read(name)
  }

  /** Offset of the first record that is not older; the end where every one is. */
  async firstSince(place: IndexedPartition, timestampMs: number): Promise<bigint> {
    for (const name of listFiles(this.directory)) {
      const cursor = { name, readBytes: 0 }
      for (let lines = this.#lines(cursor); lines.length > 0; lines = this.#lines(cursor)) {
        for (const line of lines) {
          const head = parseHead(line, name)
          const isHere = head.topic === place.topic && head.partition === place.partition
          if (isHere && head.timestampMs >= timestampMs) return head.offset
        }
        await turn()
      }
    }
    return place.end
  }

  #hasLost(names: readonly string[]): boolean {
    for (const [name, cursor] of this.#cursors) {
      if (!names.includes(name)) return true
      if ((fileBytes(this.directory, name) ?? 0) < cursor.readBytes) return true
    }
    return false
  }

  async #read(name: string): Promise<void> {
    const cursor = this.#cursors.get(name) ?? { name, readBytes: 0 }
    this.#cursors.set(name, cursor)
    for (let lines = this.#lines(cursor); lines.length > 0; lines = this.#lines(cursor)) {
      for (const line of lines) {
        const head = parseHead(line, name)
        const entry = this.#entry(head.topic, head.partition)
        if (entry.earliest === undefined || head.offset < entry.earliest) {
          entry.earliest = head.offset
        }
        if (head.offset >= entry.end) entry.end = head.offset + 1n
      }
      await turn()
    }
  }

  #lines(cursor: FileCursor): readonly Buffer[] {
    if ((fileBytes(this.directory, cursor.name) ?? 0) <= cursor.readBytes) return []
    return readLines(this.directory, cursor, chunkBytes)
  }

  #entry(topic: string, partition: number): Entry {
    const key = partitionKey({ topic, partition })
    const found = this.#entries.get(key)
    if (found !== undefined) return found
    const made = { topic, partition, earliest: undefined, end: 0n }
    this.#entries.set(key, made)
    return made
  }
}
