import {
  type KafkaSourceSpec,
  offset,
  type Position,
  type SaslSpec,
  type StartFrom,
  type TlsSpec,
} from '@onceflow/model'
import type { LogReader, LogRecord, RecordBatch, SourceLog } from '@onceflow/ports'
import { KafkaSourceFactory } from '../../src/source-factory.ts'
import type { KafkaSettings } from '../../src/source-settings.ts'
import { keepingJournal, systemClock } from './system-clock.ts'

export interface SpecInput {
  readonly brokers: readonly string[]
  readonly topics?: readonly string[]
  readonly pattern?: string
  readonly start?: StartFrom
  readonly tls?: TlsSpec
  readonly sasl?: SaslSpec
}

export function kafkaSpec(input: SpecInput): KafkaSourceSpec {
  return {
    kind: 'kafka',
    brokers: input.brokers,
    topics:
      input.pattern === undefined
        ? { kind: 'list', topics: input.topics ?? [] }
        : { kind: 'pattern', pattern: input.pattern },
    format: 'bytes',
    start: input.start ?? { kind: 'earliest' },
    tls: input.tls,
    sasl: input.sasl,
  }
}

export function openSource(
  input: SpecInput,
  settings: Partial<KafkaSettings> = {},
): Promise<SourceLog> {
  const factory = new KafkaSourceFactory({
    clock: systemClock,
    journal: keepingJournal(),
    resolveSecret: (secret) => (secret.kind === 'inline' ? secret.value : ''),
    settings,
  })
  return factory.open(kafkaSpec(input))
}

/** Where the spec's start points, as the first checkpoint would store it. */
export async function startPositions(source: SourceLog): Promise<Position[]> {
  const partitions = await source.inspect()
  return partitions.map(({ topic, topicId, partition, start }) => ({
    topic,
    topicId,
    partition,
    offset: offset(start),
    leaderEpoch: -1,
  }))
}

/** Polls until `enough` says so; an error after the deadline names what came. */
export async function pollUntil(
  reader: LogReader,
  enough: (batches: readonly RecordBatch[]) => boolean,
  deadlineMs = 30_000,
): Promise<RecordBatch[]> {
  const untilMs = performance.now() + deadlineMs
  const batches: RecordBatch[] = []
  while (!enough(batches)) {
    if (performance.now() > untilMs) {
      throw new Error(`not enough after ${deadlineMs} ms: ${valuesOf(batches).join(' ')}`)
    }
    batches.push(...(await reader.poll(100)))
  }
  return batches
}

export const recordsOf = (batches: readonly RecordBatch[]): LogRecord[] =>
  batches.flatMap((batch) => [...batch.records])

export const textOf = (bytes: Uint8Array | null | undefined): string =>
  bytes === null || bytes === undefined ? '' : Buffer.from(bytes).toString('utf8')

export const valuesOf = (batches: readonly RecordBatch[]): string[] =>
  recordsOf(batches).map((record) => textOf(record.value))

/** `count` values or more. */
export const values =
  (count: number) =>
  (batches: readonly RecordBatch[]): boolean =>
    recordsOf(batches).length >= count
