// What the promises of a source log are tested with: the log of a test, and how it is read.
import {
  type FailureCode,
  OnceflowError,
  offset,
  type Position,
  type StartFrom,
  type TopicSelection,
} from '@onceflow/model'
import type { LogReader, PartitionInfo, RecordBatch, SourceLog } from '@onceflow/ports'

export interface Place {
  readonly topic: string
  readonly partition: number
}

export interface SourceLogRecord {
  readonly key: string | null
  readonly value: string | null
  readonly timestampMs?: number
}

/**
 * A log in which a test makes topics of its own, and what it may do to them. What is optional is
 * absent where a log cannot have it; the promise is then not tested there. Real time passes.
 */
export interface SourceLogHarness {
  open(topics: TopicSelection, start: StartFrom): Promise<SourceLog>
  createTopic(topic: string, partitions: number): Promise<void>
  append(place: Place, records: readonly SourceLogRecord[]): Promise<void>
  readonly growTopic?: (topic: string, partitions: number) => Promise<void>
  /** Deletes the topic and makes it again, with another id and no records. */
  readonly recreateTopic?: (topic: string, partitions: number) => Promise<void>
  /** Retention: records below the offset are gone. */
  readonly dropBefore?: (place: Place, earliest: bigint) => Promise<void>
  /** Records that no read_committed reader may see: they leave a gap. */
  readonly appendAborted?: (place: Place, values: readonly string[]) => Promise<void>
  close(): Promise<void>
}

/** How long something that must come may take; far more than it ever needs. */
export const deadlineMs = 30_000
export const bufferBytesMax = 4 * 1024 * 1024
export const earliest: StartFrom = { kind: 'earliest' }

export const list = (...topics: readonly string[]): TopicSelection => ({ kind: 'list', topics })

export const numbered = (from: number, count: number): SourceLogRecord[] =>
  Array.from({ length: count }, (_none, index) => ({
    key: `key-${from + index}`,
    value: `value-${from + index}`,
  }))

export const valuesFrom = (from: number, count: number): string[] =>
  numbered(from, count).map((record) => record.value ?? '')

export const positionAt = (info: Omit<PartitionInfo, 'earliest' | 'end'>): Position => ({
  topic: info.topic,
  topicId: info.topicId,
  partition: info.partition,
  offset: offset(info.start),
  leaderEpoch: -1,
})

export const startsOf = async (source: SourceLog): Promise<Position[]> =>
  (await source.inspect()).map(positionAt)

export const text = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : new TextDecoder().decode(bytes)

export const valuesOf = (batches: readonly RecordBatch[]): (string | null)[] =>
  batches.flatMap((batch) => batch.records.map((record) => text(record.value)))

/** Polls until as many records have come, or the next position is reached. */
export async function pollFor(
  reader: LogReader,
  wanted: { readonly records: number } | { readonly next: bigint },
): Promise<RecordBatch[]> {
  const batches: RecordBatch[] = []
  const untilMs = performance.now() + deadlineMs
  const enough = (): boolean =>
    'records' in wanted
      ? valuesOf(batches).length >= wanted.records
      : batches.some((batch) => batch.next.offset >= wanted.next)
  while (!enough()) {
    if (performance.now() > untilMs) throw new Error(`only ${valuesOf(batches).length} came`)
    batches.push(...(await reader.poll(50)))
  }
  return batches
}

export async function failureOfReading(
  source: SourceLog,
  positions: Position[],
): Promise<FailureCode> {
  const untilMs = performance.now() + deadlineMs
  try {
    const reader = await source.open({ positions, bufferBytesMax })
    while (performance.now() < untilMs) await reader.poll(50)
  } catch (thrown) {
    if (thrown instanceof OnceflowError) return thrown.failure.code
    throw thrown
  }
  throw new Error('reading went on')
}
