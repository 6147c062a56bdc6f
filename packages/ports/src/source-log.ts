import type { Failure, Position, SourcePartition, SourceSpec } from '@onceflow/model'

/**
 * A partitioned log that is read from exact positions, without a consumer group.
 *
 * The promise each adapter must keep:
 * - records of a partition come in offset order, each once per reader, from the position given;
 * - only committed records come (read_committed); gaps in offsets are normal;
 * - a position that no longer exists, another topic id, or a log that ends below the position is a
 *   failure that names the partition (OFFSET_OUT_OF_RANGE, TOPIC_CHANGED, LOG_TRUNCATED): never a
 *   silent reset;
 * - memory is bounded: when the limits are reached the reader fetches no more until polled.
 */
export interface SourceLog {
  /** Partitions of the selected topics with the offsets that `start` means now. */
  inspect(): Promise<readonly PartitionInfo[]>
  open(request: OpenRequest): Promise<LogReader>
  /** For lag and audit: the end of what a read_committed reader can see now. */
  endOffsets(partitions: readonly SourcePartition[]): Promise<readonly PartitionEnd[]>
  /**
   * Shows progress to people in the log's own tools (Kafka: group offsets); never read back.
   * Failing is not an error of the pipeline.
   */
  publishProgress(group: string, positions: readonly Position[]): Promise<void>
  close(): Promise<void>
}

export interface SourceLogFactory {
  readonly kind: SourceSpec['kind']
  open(spec: SourceSpec): Promise<SourceLog>
}

export interface PartitionInfo extends SourcePartition {
  readonly earliest: bigint
  /** End of the committed part: the next offset a read_committed reader will get. */
  readonly end: bigint
  /** Where the spec's `start` points. */
  readonly start: bigint
}

export interface PartitionEnd extends SourcePartition {
  readonly end: bigint
}

export interface OpenRequest {
  readonly positions: readonly Position[]
  /** Bytes of record batches held by the reader over all partitions; back-pressure beyond. */
  readonly bufferBytesMax: number
}

export interface LogReader {
  /**
   * Resolves with at least one batch, or with none after waitMs. Batches of different partitions
   * may come in any order. Rejects with an OnceflowError when reading cannot go on.
   */
  poll(waitMs: number): Promise<readonly RecordBatch[]>
  /** Partitions of the selected topics that appeared since open (hint from metadata refresh). */
  newPartitions(): readonly SourcePartition[]
  lag(): readonly PartitionLag[]
  close(): Promise<void>
}

export interface PartitionLag extends SourcePartition {
  readonly position: bigint
  readonly end: bigint
}

/**
 * Records of one partition in order. `next` is where reading goes on after the batch; it moves past
 * control records and gaps, so a batch may hold no record at all and still move the position.
 */
export interface RecordBatch {
  readonly topic: string
  readonly topicId: string
  readonly partition: number
  readonly records: readonly LogRecord[]
  readonly next: Position
  readonly bytes: number
}

export interface LogRecord {
  readonly offset: bigint
  /** Milliseconds since 1970. */
  readonly timestampMs: number
  readonly key: Uint8Array | null
  /** null is a tombstone. */
  readonly value: Uint8Array | null
  readonly headers: readonly RecordHeader[]
}

export interface RecordHeader {
  readonly key: string
  readonly value: Uint8Array | null
}

export type SourceFailure = Failure
