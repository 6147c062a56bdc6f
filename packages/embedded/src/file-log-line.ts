// One line of a file log:
//   {"topic","partition","offset","timestamp","key","value","headers"}
// Key and value are the record's bytes as UTF-8 text, or null; headers are text by name.
import { fail, type RecordPosition } from '@onceflow/model'
import type { LogRecord, RecordHeader } from '@onceflow/ports'

/** What places a record in the log; read without parsing the whole line where the line allows. */
export interface LineHead extends RecordPosition {
  readonly timestampMs: number
}

/** What a producer gives; the log adds the offset. */
export interface FileLogRecord {
  readonly topic: string
  readonly partition: number
  readonly key: string | null
  readonly value: string | null
  readonly headers?: { readonly [name: string]: string | null }
  /** Milliseconds since 1970; the time of the append unless given. */
  readonly timestampMs?: number
}

// The order that our writer and the usual captures have; a topic name has no character to escape.
const usualHead =
  /^\{"topic":"([^"\\]*)","partition":(\d+),"offset":(\d+),"timestamp":(\d+)(?=[,}])/
const headBytesMax = 400

export function parseHead(line: Buffer, where: string): LineHead {
  const match = usualHead.exec(line.toString('utf8', 0, headBytesMax))
  if (match === null) return headOf(parseLine(line, where), where)
  const [, topic = '', partition = '', offset = '', timestamp = ''] = match
  return {
    topic,
    partition: Number(partition),
    offset: BigInt(offset),
    timestampMs: Number(timestamp),
  }
}

export function parseRecord(line: Buffer, head: LineHead): LogRecord {
  const fields = parseLine(line, placeText(head))
  return {
    offset: head.offset,
    timestampMs: head.timestampMs,
    key: bytesField(fields, 'key', head),
    value: bytesField(fields, 'value', head),
    headers: headersOf(fields, head),
  }
}

export function formatLine(record: FileLogRecord, offset: bigint, timestampMs: number): string {
  // The offset is written as digits, since a JavaScript number could not hold every one.
  const place = `"topic":${JSON.stringify(record.topic)},"partition":${record.partition}`
  const when = `"offset":${offset},"timestamp":${timestampMs}`
  const rest = { key: record.key, value: record.value, headers: record.headers ?? {} }
  return `{${place},${when},${JSON.stringify(rest).slice(1)}\n`
}

type Fields = { readonly [name: string]: unknown }

function parseLine(line: Buffer, where: string): Fields {
  let parsed: unknown
  try {
    parsed = JSON.parse(line.toString('utf8'))
  } catch {
    unreadable(where, 'the line is not JSON')
  }
  if (typeof parsed !== 'object' || parsed === null) unreadable(where, 'the line is not an object')
  return parsed as Fields
}

function headOf(fields: Fields, where: string): LineHead {
  const { topic, partition, offset, timestamp } = fields
  if (typeof topic !== 'string' || topic === '') unreadable(where, 'topic is not a text')
  if (!isNatural(partition)) unreadable(where, 'partition is not a natural number')
  if (!isNatural(offset)) unreadable(where, 'offset is not a natural number below 2^53')
  if (!isNatural(timestamp)) unreadable(where, 'timestamp is not a natural number')
  return { topic, partition, offset: BigInt(offset), timestampMs: timestamp }
}

const isNatural = (value: unknown): value is number =>
  Number.isSafeInteger(value) && typeof value === 'number' && value >= 0

function bytesField(fields: Fields, name: 'key' | 'value', head: LineHead): Uint8Array | null {
  const value = fields[name]
  if (value === null || value === undefined) return null
  if (typeof value !== 'string') unreadable(placeText(head), `${name} is neither text nor null`)
  return Buffer.from(value)
}

function headersOf(fields: Fields, head: LineHead): readonly RecordHeader[] {
  const headers = fields['headers']
  if (headers === undefined) return []
  if (typeof headers !== 'object' || headers === null) {
    unreadable(placeText(head), 'headers are not an object')
  }
  return Object.entries(headers).map(([key, value]) => {
    if (value === null) return { key, value: null }
    if (typeof value !== 'string') unreadable(placeText(head), `header ${key} is not a text`)
    return { key, value: Buffer.from(value) }
  })
}

const placeText = (head: RecordPosition): string => `${head.topic}/${head.partition}@${head.offset}`

function unreadable(where: string, what: string): never {
  fail('RECORD_UNREADABLE', { detail: `file log, ${where}: ${what}` })
}
