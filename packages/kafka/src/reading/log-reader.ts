import {
  type Failure,
  failure,
  failureOf,
  invariant,
  OnceflowError,
  type SourcePartition,
  type TopicSelection,
} from '@onceflow/model'
import type { Clock, Journal, LogReader, PartitionLag, RecordBatch } from '@onceflow/ports'
import type { ClusterConnections } from '../connection/cluster-connections.ts'
import { lookUpOffsets } from '../connection/offset-lookup.ts'
import { backOffMs, WakeUp } from '../connection/wake-up.ts'
import type { KafkaSettings } from '../source-settings.ts'
import { earliestOffset, latestOffset } from '../wire/list-offsets.ts'
import type { TopicMetadata } from '../wire/metadata.ts'
import { BrokerFetcher } from './broker-fetcher.ts'
import { ChunkQueue } from './chunk-queue.ts'
import { MetadataWatch } from './metadata-watch.ts'
import type { PartitionCursor } from './partition-cursor.ts'
import type { ReaderContext } from './reader-context.ts'

/** How often in a row a leader may refuse an offset that its log has. */
const refusalsMax = 5

export interface LogReaderInput {
  /** Of this reader alone, and closed with it: a long poll blocks its connection. */
  readonly connections: ClusterConnections
  readonly clock: Clock
  readonly journal: Journal
  readonly settings: KafkaSettings
  readonly selection: TopicSelection
  readonly cursors: readonly PartitionCursor[]
  /** The selected topics, and those of the cursors, as metadata told them just now. */
  readonly topics: readonly TopicMetadata[]
  readonly bufferBytesMax: number
}

/**
 * Reads a fixed set of partitions: one fetch loop for each broker that leads some of them, one loop
 * that looks at the metadata, and a queue that `poll` empties.
 *
 * Invariants: once failed, it stays failed with its first failure, and no poll returns a batch
 * again; once closed, no loop sends another request; bytes queued and asked for stay under
 * bufferBytesMax, except that one batch larger than the room of its broker is let in.
 */
export class KafkaLogReader implements LogReader, ReaderContext {
  readonly connections: ClusterConnections
  readonly clock: Clock
  readonly journal: Journal
  readonly settings: KafkaSettings
  readonly cursors: ReadonlyMap<string, PartitionCursor>
  readonly queue = new ChunkQueue()
  readonly bufferBytesMax: number
  readonly arrivals: WakeUp
  readonly movements: WakeUp
  private readonly watch: MetadataWatch
  private readonly fetchers = new Map<number, BrokerFetcher>()
  private readonly loops: Promise<void>[] = []
  private readonly ranging = new Set<PartitionCursor>()
  private failed: Failure | undefined
  private state: 'open' | 'closed' = 'open'

  constructor(input: LogReaderInput) {
    invariant(input.bufferBytesMax > 0, 'bufferBytesMax is positive')
    this.connections = input.connections
    this.clock = input.clock
    this.journal = input.journal
    this.settings = input.settings
    this.bufferBytesMax = input.bufferBytesMax
    this.cursors = new Map(input.cursors.map((cursor) => [cursor.key, cursor]))
    this.arrivals = new WakeUp(input.clock)
    this.movements = new WakeUp(input.clock)
    this.watch = new MetadataWatch(this, input.selection)
    this.watch.baseline(input.topics)
    this.watch.apply(input.topics)
    this.loops.push(this.guard(this.watch.run()), this.guard(this.assignLoops()))
  }

  /** close was called: nothing of it is left. */
  get released(): boolean {
    return this.state === 'closed'
  }

  readonly closed = (): boolean => this.state === 'closed' || this.failed !== undefined

  async poll(waitMs: number): Promise<readonly RecordBatch[]> {
    invariant(this.state === 'open', 'a closed reader is not polled')
    const untilMs = this.clock.monotonicMs() + waitMs
    for (;;) {
      if (this.failed !== undefined) throw new OnceflowError(this.failed)
      if (!this.queue.empty) return this.take()
      const leftMs = untilMs - this.clock.monotonicMs()
      if (leftMs <= 0 || this.closed()) return []
      await this.arrivals.wait(leftMs)
    }
  }

  newPartitions(): readonly SourcePartition[] {
    return this.watch.newPartitions
  }

  lag(): readonly PartitionLag[] {
    return [...this.cursors.values()].map((cursor) => {
      const { topic, topicId, partition, position } = cursor
      // Control records beyond the last stable offset may have moved the position past it.
      if (cursor.end < position) return { topic, topicId, partition, position, end: position }
      return { topic, topicId, partition, position, end: cursor.end }
    })
  }

  async close(): Promise<void> {
    if (this.state === 'closed') return
    this.state = 'closed'
    this.connections.close()
    this.queue.clear()
    this.wakeAll()
    await Promise.all(this.loops)
  }

  fail(cause: Failure): void {
    if (this.closed()) return
    this.failed = cause
    this.journal.write('error', 'source reader failed', {
      code: cause.code,
      detail: cause.detail,
    })
    this.wakeAll()
  }

  trouble(cursor: PartitionCursor, cause: Failure): void {
    const nowMs = this.clock.monotonicMs()
    cursor.failingSinceMs ??= nowMs
    cursor.pausedUntilMs = nowMs + backOffMs(cursor.failures)
    cursor.failures++
    if (cursor.failures === 1) {
      this.journal.write('warn', 'source partition does not answer', {
        partition: cursor.key,
        code: cause.code,
        detail: cause.detail,
      })
    }
    const failingMs = nowMs - cursor.failingSinceMs
    if (failingMs < this.settings.unreachableAfterMs) return
    const detail = `${cursor.key}: nothing for ${Math.round(failingMs)} ms; last: ${cause.detail}`
    this.fail(failure(cause.code, { detail }))
  }

  refreshSoon(): void {
    this.watch.refreshSoon()
  }

  outOfRange(cursor: PartitionCursor): void {
    if (this.ranging.has(cursor)) return
    this.ranging.add(cursor)
    // Nothing is asked of the partition until its range is known.
    cursor.pausedUntilMs = this.clock.monotonicMs() + this.settings.unreachableAfterMs
    this.loops.push(this.guard(this.findRange(cursor)))
  }

  private take(): RecordBatch[] {
    try {
      return this.queue.take(this.settings.pollBytesMax)
    } catch (thrown) {
      if (!(thrown instanceof OnceflowError)) throw thrown
      this.fail(thrown.failure)
      throw thrown
    } finally {
      this.movements.notify()
    }
  }

  /** Starts a fetch loop for every broker that leads something, when metadata names a new one. */
  private async assignLoops(): Promise<void> {
    while (!this.closed()) {
      for (const { leader } of this.cursors.values()) {
        if (leader < 0 || this.fetchers.has(leader)) continue
        const fetcher = new BrokerFetcher(leader, this)
        this.fetchers.set(leader, fetcher)
        this.loops.push(this.guard(fetcher.run(() => this.shareBytes())))
      }
      await this.movements.wait(this.settings.metadataRefreshMs)
    }
  }

  /** Every broker that leads something gets an equal part of the buffer. */
  private shareBytes(): number {
    const leaders = new Set([...this.cursors.values()].map((cursor) => cursor.leader))
    leaders.delete(-1)
    return this.bufferBytesMax / Math.max(leaders.size, 1)
  }

  private async findRange(cursor: PartitionCursor): Promise<void> {
    const { topic, partition, key, fetchOffset } = cursor
    try {
      const [earliest, latest] = await Promise.all([
        lookUpOffsets(this.connections, [cursor], earliestOffset),
        lookUpOffsets(this.connections, [cursor], latestOffset),
      ])
      const from = earliest.get(key) ?? -1n
      const to = latest.get(key) ?? -1n
      const range = `the log has offsets from ${from} up to ${to}`
      const detail = `offset ${fetchOffset} does not exist: ${range}`
      const position = { topic, partition, offset: fetchOffset }
      if (fetchOffset < from) this.fail(failure('OFFSET_OUT_OF_RANGE', { detail, position }))
      else if (fetchOffset > to) this.fail(failure('LOG_TRUNCATED', { detail, position }))
      else this.historyUnknown(cursor, range)
    } catch (thrown) {
      if (this.closed()) return
      // The next fetch meets the same error and asks again.
      this.trouble(cursor, failureOf(thrown))
    } finally {
      this.ranging.delete(cursor)
    }
  }

  /**
   * The offset exists and is refused all the same: its leader does not know the epoch of the batch
   * before it. A leader that is just learning its place may say so once; not again and again.
   */
  private historyUnknown(cursor: PartitionCursor, range: string): void {
    const { topic, partition, fetchOffset: at, fetchEpoch } = cursor
    const detail = `the leader does not know epoch ${fetchEpoch}; ${range}`
    const position = { topic, partition, offset: at }
    if (cursor.failures >= refusalsMax) this.fail(failure('LOG_TRUNCATED', { detail, position }))
    else this.trouble(cursor, failure('SOURCE_UNREACHABLE', { detail, position }))
  }

  /** A loop ends only with the reader; one that throws is a defect, which the next poll reports. */
  private async guard(loop: Promise<void>): Promise<void> {
    try {
      await loop
    } catch (thrown) {
      this.fail(failureOf(thrown))
    }
  }

  private wakeAll(): void {
    this.arrivals.notify()
    this.movements.notify()
    this.watch.stop()
  }
}
