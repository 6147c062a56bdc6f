import {
  fail,
  invariant,
  offset,
  type Position,
  partitionKey,
  type SourcePartition,
  type SourceSpec,
} from '@onceflow/model'
import type {
  Clock,
  LogReader,
  LogRecord,
  OpenRequest,
  PartitionEnd,
  PartitionInfo,
  PartitionLag,
  RecordBatch,
  SourceLog,
  SourceLogFactory,
} from '@onceflow/ports'

/** What a test appends: text is stored as UTF-8. */
export interface AppendedRecord {
  readonly key?: string | null
  readonly value: string | null
  readonly timestampMs?: number
  readonly headers?: readonly { readonly key: string; readonly value: string }[]
}

interface Partition extends SourcePartition {
  readonly records: LogRecord[]
  earliest: bigint
  end: bigint
}

/** Records in one batch. */
const batchRecordsMax = 500

/**
 * The log itself, shared by every reader of a test.
 *
 * Invariants: offsets of a partition only grow; records lie from earliest to below end; a topic
 * that is made again has another id.
 */
export class MemoryLog {
  readonly clock: Clock
  readonly #partitions = new Map<string, Partition>()
  readonly #topicIds = new Map<string, string>()
  readonly #waiting = new Set<() => void>()
  #topics = 0

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Makes a topic, or makes it anew with another id and no records. */
  createTopic(topic: string, partitions: number): void {
    for (const partition of this.partitions()) {
      if (partition.topic === topic) this.#partitions.delete(partitionKey(partition))
    }
    this.#topics += 1
    this.#topicIds.set(topic, `topic-${this.#topics}`.padEnd(22, '0'))
    this.growTopic(topic, partitions)
  }

  growTopic(topic: string, partitions: number): void {
    const topicId = this.#topicIds.get(topic)
    invariant(topicId !== undefined, `topic ${topic} exists`)
    for (let partition = 0; partition < partitions; partition += 1) {
      const key = partitionKey({ topic, partition })
      if (this.#partitions.has(key)) continue
      this.#partitions.set(key, { topic, topicId, partition, records: [], earliest: 0n, end: 0n })
    }
  }

  append(place: { topic: string; partition: number }, records: readonly AppendedRecord[]): void {
    const partition = this.partition(place)
    for (const record of records) {
      partition.records.push({
        offset: partition.end,
        timestampMs: record.timestampMs ?? this.clock.wallMs(),
        key: bytesOf(record.key ?? null),
        value: bytesOf(record.value),
        headers: (record.headers ?? []).map(({ key, value }) => ({ key, value: bytesOf(value) })),
      })
      partition.end += 1n
    }
    this.#wake()
  }

  /** A gap, as control records and aborted transactions leave it. */
  skip(place: { topic: string; partition: number }, offsets: bigint): void {
    this.partition(place).end += offsets
    this.#wake()
  }

  /** Retention: records below this offset are gone. */
  dropBefore(place: { topic: string; partition: number }, earliest: bigint): void {
    const partition = this.partition(place)
    partition.earliest = earliest
    const kept = partition.records.filter((record) => record.offset >= earliest)
    partition.records.splice(0, partition.records.length, ...kept)
  }

  /** An unclean election: records from this offset on are gone. */
  truncateTo(place: { topic: string; partition: number }, end: bigint): void {
    const partition = this.partition(place)
    partition.end = end
    const kept = partition.records.filter((record) => record.offset < end)
    partition.records.splice(0, partition.records.length, ...kept)
    this.#wake()
  }

  partitions(): readonly Partition[] {
    return [...this.#partitions.values()]
  }

  partition(place: { topic: string; partition: number }): Partition {
    const found = this.#partitions.get(partitionKey(place))
    if (found === undefined)
      fail('TOPIC_MISSING', { detail: `no partition ${partitionKey(place)}` })
    return found
  }

  /** Resolves at the next change of the log, or after waitMs. */
  changed(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        timer.cancel()
        this.#waiting.delete(done)
        resolve()
      }
      const timer = this.clock.after(waitMs, done)
      this.#waiting.add(done)
    })
  }

  /** A factory that opens this log for every spec of the kind. */
  factory(kind: SourceSpec['kind']): SourceLogFactory {
    return { kind, open: async (spec) => new MemorySourceLog(this, spec) }
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done()
  }
}

/** One opened source: the log as a spec selects it. */
export class MemorySourceLog implements SourceLog {
  /** What was published as progress, newest last. */
  readonly progress: { readonly group: string; readonly positions: readonly Position[] }[] = []
  readonly #log: MemoryLog
  readonly #spec: SourceSpec

  constructor(log: MemoryLog, spec: SourceSpec) {
    this.#log = log
    this.#spec = spec
  }

  async inspect(): Promise<readonly PartitionInfo[]> {
    return this.selected().map((partition) => ({
      ...placeOf(partition),
      earliest: partition.earliest,
      end: partition.end,
      start: this.#startOf(partition),
    }))
  }

  async open(request: OpenRequest): Promise<LogReader> {
    for (const position of request.positions) checkedPartition(this.#log, position)
    return new MemoryLogReader(this, this.#log, request)
  }

  async endOffsets(partitions: readonly SourcePartition[]): Promise<readonly PartitionEnd[]> {
    return partitions.map((place) => {
      const partition = this.#log.partition(place)
      return { ...placeOf(partition), end: partition.end }
    })
  }

  async publishProgress(group: string, positions: readonly Position[]): Promise<void> {
    this.progress.push({ group, positions })
  }

  async close(): Promise<void> {}

  selected(): readonly Partition[] {
    const { topics } = this.#spec
    const wanted = (topic: string): boolean =>
      topics.kind === 'list'
        ? topics.topics.includes(topic)
        : new RegExp(`^(?:${topics.pattern})$`).test(topic)
    const found = this.#log.partitions().filter((partition) => wanted(partition.topic))
    if (topics.kind === 'list') {
      for (const topic of topics.topics) {
        if (found.some((partition) => partition.topic === topic)) continue
        fail('TOPIC_MISSING', { detail: `topic ${topic} does not exist` })
      }
    }
    return found
  }

  #startOf(partition: Partition): bigint {
    const { start } = this.#spec
    switch (start.kind) {
      case 'earliest':
        return partition.earliest
      case 'latest':
        return partition.end
      case 'timestamp': {
        const first = partition.records.find((record) => record.timestampMs >= start.timestampMs)
        return first?.offset ?? partition.end
      }
      default:
        return start satisfies never
    }
  }
}

class MemoryLogReader implements LogReader {
  readonly #source: MemorySourceLog
  readonly #log: MemoryLog
  readonly #request: OpenRequest
  readonly #positions = new Map<string, Position>()
  readonly #known: ReadonlySet<string>
  #turn = 0
  #closed: 'yes' | 'no' = 'no'

  constructor(source: MemorySourceLog, log: MemoryLog, request: OpenRequest) {
    this.#source = source
    this.#log = log
    this.#request = request
    for (const position of request.positions) this.#positions.set(partitionKey(position), position)
    this.#known = new Set(source.selected().map((partition) => partitionKey(partition)))
  }

  async poll(waitMs: number): Promise<readonly RecordBatch[]> {
    const now = this.#take()
    if (now.length > 0) return now
    await this.#log.changed(waitMs)
    return this.#take()
  }

  newPartitions(): readonly SourcePartition[] {
    return this.#source
      .selected()
      .filter((partition) => !this.#known.has(partitionKey(partition)))
      .map(placeOf)
  }

  lag(): readonly PartitionLag[] {
    return [...this.#positions.values()].map((position) => {
      const { end } = this.#log.partition(position)
      return { ...placeOf(position), position: position.offset, end }
    })
  }

  async close(): Promise<void> {
    this.#closed = 'yes'
  }

  /** One batch of each partition, beginning with another one each time, up to the byte limit. */
  #take(): readonly RecordBatch[] {
    if (this.#closed === 'yes') return []
    const places = [...this.#positions.values()]
    const batches: RecordBatch[] = []
    let bytesLeft = this.#request.bufferBytesMax
    this.#turn += 1
    for (let index = 0; index < places.length && bytesLeft > 0; index += 1) {
      const position = places[(index + this.#turn) % places.length]
      if (position === undefined) continue
      const batch = this.#batchFrom(position, bytesLeft)
      if (batch === undefined) continue
      bytesLeft -= batch.bytes
      this.#positions.set(partitionKey(position), batch.next)
      batches.push(batch)
    }
    return batches
  }

  #batchFrom(position: Position, bytesMax: number): RecordBatch | undefined {
    const partition = checkedPartition(this.#log, position)
    if (position.offset === partition.end) return undefined
    const records: LogRecord[] = []
    let bytes = 0
    let next = position.offset as bigint
    for (const record of partition.records) {
      if (record.offset < position.offset) continue
      if (records.length === batchRecordsMax || (records.length > 0 && bytes >= bytesMax)) break
      records.push(record)
      bytes += bytesIn(record)
      next = record.offset + 1n
    }
    const last = partition.records.at(-1)
    if (last === undefined || next > last.offset) next = partition.end
    return { ...placeOf(partition), records, next: { ...position, offset: offset(next) }, bytes }
  }
}

/** The partition at which a position points, or the failure that the port promises. */
function checkedPartition(log: MemoryLog, position: Position): Partition {
  const partition = log.partition(position)
  const at = { ...placeOf(position), offset: position.offset as bigint }
  if (partition.topicId !== position.topicId) {
    fail('TOPIC_CHANGED', { detail: `topic id is ${partition.topicId}`, position: at })
  }
  if (position.offset < partition.earliest) {
    fail('OFFSET_OUT_OF_RANGE', { detail: `log begins at ${partition.earliest}`, position: at })
  }
  if (position.offset > partition.end) {
    fail('LOG_TRUNCATED', { detail: `log ends at ${partition.end}`, position: at })
  }
  return partition
}

const placeOf = ({ topic, topicId, partition }: SourcePartition): SourcePartition => ({
  topic,
  topicId,
  partition,
})

const bytesIn = (record: LogRecord): number =>
  32 + (record.key?.byteLength ?? 0) + (record.value?.byteLength ?? 0)

const bytesOf = (text: string | null): Uint8Array | null =>
  text === null ? null : new TextEncoder().encode(text)
