import {
  type FileSourceSpec,
  fail,
  invariant,
  type Position,
  partitionKey,
  type SourcePartition,
} from '@onceflow/model'
import type {
  LogReader,
  OpenRequest,
  PartitionEnd,
  PartitionInfo,
  SourceLog,
  SourceLogFactory,
} from '@onceflow/ports'
import { FileLogIndex, type IndexedPartition } from './file-log-index.ts'
import { checkPosition, FileLogReader } from './file-log-reader.ts'

/**
 * A partition log in a folder of JSON lines, for `onceflow dev`: files `*.jsonl`, which may grow
 * and to which later ones (by name) may be added while they are read.
 *
 * Not for production: one writer, no replication, no retention, and opening reads the whole folder.
 */
export class FileSourceLog implements SourceLog {
  readonly #spec: FileSourceSpec
  readonly #index: FileLogIndex
  readonly #isSelected: (topic: string) => boolean

  constructor(spec: FileSourceSpec) {
    this.#spec = spec
    this.#index = new FileLogIndex(spec.directory)
    const { topics } = spec
    if (topics.kind === 'list') {
      this.#isSelected = (topic) => topics.topics.includes(topic)
    } else {
      const pattern = new RegExp(`^(?:${topics.pattern})$`, 'u')
      this.#isSelected = (topic) => pattern.test(topic)
    }
  }

  async inspect(): Promise<readonly PartitionInfo[]> {
    await this.#index.refresh()
    const found = this.#index.partitions().filter(({ topic }) => this.#isSelected(topic))
    this.#checkTopics(found)
    const infos: PartitionInfo[] = []
    for (const partition of found) {
      infos.push({ ...partition, start: await this.#startOf(partition) })
    }
    return infos
  }

  async open(request: OpenRequest): Promise<LogReader> {
    invariant(request.bufferBytesMax > 0, 'a reader has a buffer')
    await this.#index.refresh()
    for (const position of request.positions) checkPosition(this.#index, position)
    return new FileLogReader({ ...request, index: this.#index, isSelected: this.#isSelected })
  }

  async endOffsets(partitions: readonly SourcePartition[]): Promise<readonly PartitionEnd[]> {
    await this.#index.refresh()
    return partitions.map((place) => {
      const found = this.#index.find(place)
      if (found === undefined) fail('TOPIC_MISSING', { detail: `no ${partitionKey(place)}` })
      const { topic, topicId, partition, end } = found
      return { topic, topicId, partition, end }
    })
  }

  /** A folder has no tools that would show it. */
  async publishProgress(_group: string, _positions: readonly Position[]): Promise<void> {}

  async close(): Promise<void> {}

  #checkTopics(found: readonly IndexedPartition[]): void {
    const { topics } = this.#spec
    if (topics.kind !== 'list') return
    for (const topic of topics.topics) {
      if (found.some((partition) => partition.topic === topic)) continue
      fail('TOPIC_MISSING', {
        detail: `topic ${topic} has no record in ${this.#spec.directory}`,
        hint: 'correct source.topics, or declare the topic in the folder before its first record',
      })
    }
  }

  async #startOf(partition: IndexedPartition): Promise<bigint> {
    const { start } = this.#spec
    switch (start.kind) {
      case 'earliest':
        return partition.earliest
      case 'latest':
        return partition.end
      case 'timestamp':
        return this.#index.firstSince(partition, start.timestampMs)
      default:
        return start satisfies never
    }
  }
}

export const fileSourceLogFactory: SourceLogFactory = {
  kind: 'file',
  open: async (spec) => {
    invariant(spec.kind === 'file', 'the file log opens file sources')
    return new FileSourceLog(spec)
  },
}
