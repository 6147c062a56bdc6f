import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { fail, invariant, partitionKey } from '@onceflow/model'
import { FileLogIndex } from './file-log-index.ts'
import { type FileLogRecord, formatLine } from './file-log-line.ts'
import { declareTopic } from './file-log-marker.ts'

/**
 * Appends records to a file log, a file for each partition. One writer at a time.
 *
 * Invariants: an offset is given once, also over a restart of the writer; a line is written whole,
 * or its rest is not read.
 */
export class FileLogWriter {
  readonly #directory: string
  readonly #ends = new Map<string, bigint>()
  #state: 'open' | 'broken' = 'open'

  private constructor(index: FileLogIndex) {
    this.#directory = index.directory
    for (const partition of index.partitions()) {
      this.#ends.set(partitionKey(partition), partition.end)
      dropUnfinishedLine(join(this.#directory, fileName(partition)))
    }
  }

  /** Makes the folder where there is none. */
  static async open(directory: string): Promise<FileLogWriter> {
    mkdirSync(directory, { recursive: true })
    const index = new FileLogIndex(directory)
    await index.refresh()
    return new FileLogWriter(index)
  }

  /** So that a pipeline can start before the topic's first record; may raise the partitions. */
  createTopic(topic: string, partitions: number): void {
    declareTopic(this.#directory, topic, partitions)
    for (let partition = 0; partition < partitions; partition += 1) {
      const key = partitionKey({ topic, partition })
      if (!this.#ends.has(key)) this.#ends.set(key, 0n)
    }
  }

  /** Gives each record the next offset of its partition; returns when they are on the disk. */
  append(records: readonly FileLogRecord[]): void {
    invariant(this.#state === 'open', 'a writer that failed is opened anew')
    const texts = new Map<string, string>()
    for (const record of records) {
      const key = partitionKey(record)
      const offset = this.#ends.get(key)
      if (offset === undefined) fail('TOPIC_MISSING', { detail: `${key} was not created` })
      const name = fileName(record)
      const line = formatLine(record, offset, record.timestampMs ?? Date.now())
      texts.set(name, (texts.get(name) ?? '') + line)
      this.#ends.set(key, offset + 1n)
    }
    // What a failed write left in the files is known only when they are read again.
    this.#state = 'broken'
    for (const [name, text] of texts) writeText(join(this.#directory, name), text)
    this.#state = 'open'
  }
}

function writeText(path: string, text: string): void {
  const file = openSync(path, 'a')
  try {
    appendFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** What a writer that died left behind the last newline would run into the next record. */
function dropUnfinishedLine(path: string): void {
  if (!existsSync(path)) return
  const text = readFileSync(path)
  const end = text.lastIndexOf(0x0a) + 1
  if (end < text.length) truncateSync(path, end)
}

const fileName = ({ topic, partition }: { topic: string; partition: number }): string =>
  `${encodeURIComponent(topic)}.${partition}.jsonl`
