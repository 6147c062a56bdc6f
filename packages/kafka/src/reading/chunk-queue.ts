import { offset } from '@onceflow/model'
import type { RecordBatch } from '@onceflow/ports'
import type { PartitionChunk } from '../records/partition-chunk.ts'
import type { PartitionCursor } from './partition-cursor.ts'

interface QueuedChunk {
  readonly cursor: PartitionCursor
  readonly chunk: PartitionChunk
  readonly bytes: number
}

/**
 * What was fetched and not polled yet, oldest first.
 *
 * Invariants: `bytes` is the sum over the queued chunks, each counted as it came over the wire, and
 * a cursor's queuedBytes the sum over its own; chunks of one partition stand in offset order.
 */
export class ChunkQueue {
  private chunks: QueuedChunk[] = []
  private head = 0
  private total = 0

  get bytes(): number {
    return this.total
  }

  get empty(): boolean {
    return this.head === this.chunks.length
  }

  push(entry: QueuedChunk): void {
    this.chunks.push(entry)
    this.total += entry.bytes
    entry.cursor.queuedBytes += entry.bytes
  }

  /** Unpacks chunks until the batches hold `bytesWanted`; a chunk that is not done stays first. */
  take(bytesWanted: number): RecordBatch[] {
    const batches: RecordBatch[] = []
    let bytes = 0
    while (!this.empty && bytes < bytesWanted) {
      const entry = this.chunks[this.head]
      if (entry === undefined) break
      const part = entry.chunk.read(bytesWanted - bytes)
      bytes += part.bytes
      batches.push(batchOf(entry.cursor, part))
      if (entry.chunk.done) this.drop(entry)
    }
    return batches
  }

  clear(): void {
    this.chunks = []
    this.head = 0
    this.total = 0
  }

  private drop(entry: QueuedChunk): void {
    this.head++
    this.total -= entry.bytes
    entry.cursor.queuedBytes -= entry.bytes
    if (this.head < 64 && !this.empty) return
    this.chunks = this.chunks.slice(this.head)
    this.head = 0
  }
}

function batchOf(cursor: PartitionCursor, part: ReturnType<PartitionChunk['read']>): RecordBatch {
  const { topic, topicId, partition } = cursor
  cursor.position = part.nextOffset
  const next = {
    topic,
    topicId,
    partition,
    offset: offset(part.nextOffset),
    leaderEpoch: part.leaderEpoch,
  }
  return { topic, topicId, partition, records: part.records, next, bytes: part.bytes }
}
