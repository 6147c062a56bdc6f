import { stack } from './stack-command.ts'

/** One line of events.jsonl. */
export interface DumpedRecord {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly timestamp: number
  readonly key: string | null
  readonly value: string | null
  readonly headers: Readonly<Record<string, string | null>>
}

// Control characters cannot stand in a JSON text as they are, so they are safe between its parts.
const FIELD = '\u001f'
const HEADER = '\u001e'
const NULL = '\u001d'

interface TopicSize {
  readonly topic: string
  readonly records: number
}

async function topicSizes(dir: string, brokers: string, prefix: string): Promise<TopicSize[]> {
  const listing = await stack(dir, [
    'tool',
    'org.apache.kafka.tools.GetOffsetShell',
    '--bootstrap-server',
    brokers,
    '--topic',
    `${prefix}\\..*`,
  ])
  const sizes = new Map<string, number>()
  for (const line of listing.trim().split('\n')) {
    const [topic, , end] = line.split(':')
    if (topic === undefined || end === undefined) continue
    sizes.set(topic, (sizes.get(topic) ?? 0) + Number(end))
  }
  return [...sizes].map(([topic, records]) => ({ topic, records })).filter((s) => s.records > 0)
}

async function dumpTopic(dir: string, brokers: string, size: TopicSize): Promise<DumpedRecord[]> {
  const properties = [
    ['print.timestamp', 'true'],
    ['print.partition', 'true'],
    ['print.offset', 'true'],
    ['print.headers', 'true'],
    ['print.key', 'true'],
    ['key.separator', FIELD],
    ['headers.separator', HEADER],
    ['null.literal', NULL],
  ]
  const text = await stack(dir, [
    'tool',
    'org.apache.kafka.tools.consumer.ConsoleConsumer',
    '--bootstrap-server',
    brokers,
    '--topic',
    size.topic,
    '--from-beginning',
    '--isolation-level',
    'read_committed',
    '--max-messages',
    String(size.records),
    '--timeout-ms',
    '30000',
    ...properties.flatMap(([name, value]) => ['--formatter-property', `${name}=${value}`]),
  ])
  const records = text
    .trim()
    .split('\n')
    .map((line) => recordOf(size.topic, line))
  if (records.length !== size.records) {
    throw new Error(`${size.topic}: ${records.length} of ${size.records} records were read`)
  }
  return records
}

function recordOf(topic: string, line: string): DumpedRecord {
  const [timestamp = '', partition = '', offset = '', headers = '', key = NULL, value = NULL] =
    line.split(FIELD)
  return {
    topic,
    partition: afterColon(partition),
    offset: afterColon(offset),
    timestamp: afterColon(timestamp),
    key: orNull(key),
    value: orNull(value),
    headers: headersOf(headers),
  }
}

function headersOf(text: string): Record<string, string | null> {
  const headers: Record<string, string | null> = {}
  if (text === 'NO_HEADERS') return headers
  for (const header of text.split(HEADER)) {
    const colon = header.indexOf(':')
    headers[header.slice(0, colon)] = orNull(header.slice(colon + 1))
  }
  return headers
}

function orNull(text: string): string | null {
  return text === NULL ? null : text
}

function afterColon(text: string): number {
  const number = Number(text.slice(text.indexOf(':') + 1))
  if (!Number.isSafeInteger(number)) throw new Error(`not a number: ${text}`)
  return number
}

/** Merges by timestamp; inside one partition the order of the log is kept. */
function merge(partitions: readonly (readonly DumpedRecord[])[]): DumpedRecord[] {
  const next = partitions.map(() => 0)
  const merged: DumpedRecord[] = []
  for (;;) {
    let best = -1
    let bestRecord: DumpedRecord | undefined
    for (const [index, partition] of partitions.entries()) {
      const record = partition[next[index] ?? 0]
      if (record === undefined) continue
      if (bestRecord === undefined || record.timestamp < bestRecord.timestamp) {
        best = index
        bestRecord = record
      }
    }
    if (bestRecord === undefined) return merged
    merged.push(bestRecord)
    next[best] = (next[best] ?? 0) + 1
  }
}

/** Every record of the topics with this prefix. */
export async function dumpTopics(
  dir: string,
  brokers: string,
  prefix: string,
): Promise<DumpedRecord[]> {
  const partitions: DumpedRecord[][] = []
  for (const size of await topicSizes(dir, brokers, prefix)) {
    const records = await dumpTopic(dir, brokers, size)
    const byPartition = Map.groupBy(records, (record) => record.partition)
    for (const partition of [...byPartition.keys()].toSorted((a, b) => a - b)) {
      const sorted = (byPartition.get(partition) ?? []).toSorted((a, b) => a.offset - b.offset)
      partitions.push(sorted)
    }
  }
  return merge(partitions)
}
