import { fail, partitionKey } from '@onceflow/model'
import type { Clock, LogReader, LogRecord, RecordBatch, SourceLog } from '@onceflow/ports'
import type { PartitionSpan } from './reading-plan.ts'

const readerBufferBytes = 8 * 1024 * 1024
const pollWaitMs = 500

export interface StreamRecord {
  readonly topic: string
  readonly partition: number
  readonly record: LogRecord
}

export interface StreamOptions {
  readonly log: SourceLog
  readonly clock: Clock
  readonly silenceMs: number
}

/**
 * Reads spans with one reader until each has reached its end. The records of a partition come in
 * order; those of several partitions in the order in which the log gives them.
 */
export class SpanStream {
  readonly #options: StreamOptions
  readonly #open: Map<string, PartitionSpan>
  #reader: LogReader | undefined

  constructor(spans: readonly PartitionSpan[], options: StreamOptions) {
    const unread = spans.filter(({ from, until }) => from.offset < until)
    this.#options = options
    this.#open = new Map(unread.map((span) => [partitionKey(span.from), span]))
  }

  /** Some records; none when the spans are read to their ends. */
  async next(): Promise<readonly StreamRecord[]> {
    const { log, clock, silenceMs } = this.#options
    if (this.#open.size === 0) return []
    const positions = [...this.#open.values()].map(({ from }) => from)
    this.#reader ??= await log.open({ positions, bufferBytesMax: readerBufferBytes })
    let heardMs = clock.monotonicMs()
    while (this.#open.size > 0) {
      const batches = await this.#reader.poll(pollWaitMs)
      const records = batches.flatMap((batch) => this.#take(batch))
      if (records.length > 0) return records
      const nowMs = clock.monotonicMs()
      if (batches.length > 0) heardMs = nowMs
      if (nowMs - heardMs > silenceMs) {
        fail('SOURCE_UNREACHABLE', {
          detail: `nothing came for ${silenceMs} ms from ${[...this.#open.keys()].join(', ')}`,
        })
      }
    }
    return []
  }

  #take(batch: RecordBatch): readonly StreamRecord[] {
    const { topic, partition } = batch
    const span = this.#open.get(partitionKey(batch))
    if (span === undefined) return []
    const records = batch.records.filter((record) => record.offset < span.until)
    if (batch.next.offset >= span.until) this.#open.delete(partitionKey(batch))
    return records.map((record) => ({ topic, partition, record }))
  }

  async close(): Promise<void> {
    this.#open.clear()
    await this.#reader?.close()
  }
}
