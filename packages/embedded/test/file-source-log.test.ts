import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FileLogRecord, FileLogWriter, fileSourceLogFactory } from '@onceflow/embedded'
import { offset, type Position, type SourceSpec } from '@onceflow/model'
import type { LogReader, RecordBatch, SourceLog } from '@onceflow/ports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'onceflow-log-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const specOf = (fields: Partial<SourceSpec> = {}): SourceSpec =>
  ({
    kind: 'file',
    directory,
    topics: { kind: 'list', topics: ['t'] },
    format: 'debezium-json',
    start: { kind: 'earliest' },
    ...fields,
  }) as SourceSpec

const open = (fields: Partial<SourceSpec> = {}): Promise<SourceLog> =>
  fileSourceLogFactory.open(specOf(fields))

async function startOf(source: SourceLog): Promise<Position[]> {
  const partitions = await source.inspect()
  return partitions.map(({ topic, topicId, partition, start }) => ({
    topic,
    topicId,
    partition,
    offset: offset(start),
    leaderEpoch: -1,
  }))
}

async function drain(reader: LogReader): Promise<RecordBatch[]> {
  const batches: RecordBatch[] = []
  for (;;) {
    const found = await reader.poll(100)
    if (found.length === 0) return batches
    batches.push(...found)
  }
}

const text = (bytes: Uint8Array | null | undefined): string | null =>
  bytes === null || bytes === undefined ? null : Buffer.from(bytes).toString()
const valuesOf = (batches: readonly RecordBatch[]): (string | null)[] =>
  batches.flatMap(({ records }) => records.map((record) => text(record.value)))
const record = (value: string | null, fields: Partial<FileLogRecord> = {}): FileLogRecord => ({
  topic: 't',
  partition: 0,
  key: null,
  value,
  ...fields,
})

const bufferBytesMax = 1_000_000

describe('the file log', () => {
  test('gives what was appended, byte for byte, and follows a growing file', async () => {
    const writer = await FileLogWriter.open(directory)
    writer.createTopic('t', 2)
    const source = await open()
    const reader = await source.open({ positions: await startOf(source), bufferBytesMax })
    const value = '{"a":"ä\\n😀 \\u0000","n":9007199254740993}'
    writer.append([record(value, { key: 'k', headers: { h: 'x', n: null }, timestampMs: 7 })])
    writer.append([record(null, { partition: 1, key: 'tomb' })])
    const batches = await drain(reader)
    const [first] = batches.flatMap((batch) => batch.records)
    expect([text(first?.key), text(first?.value), first?.timestampMs]).toEqual(['k', value, 7])
    expect(first?.headers.map((header) => [header.key, text(header.value)])).toEqual([
      ['h', 'x'],
      ['n', null],
    ])
    expect(valuesOf(batches)).toEqual([value, null])
    const polled = reader.poll(10_000)
    writer.append([record('later')])
    expect(valuesOf(await polled)).toEqual(['later'])
    expect(reader.lag()).toMatchObject([{ position: 2n }, { position: 1n }])
  })

  test('a line is read when its newline is there', async () => {
    const head = '{"topic":"t","partition":0,"offset":0,"timestamp":1,"key":null,'
    writeFileSync(join(directory, 'a.jsonl'), `${head}"value":"one"}\n`)
    const source = await open()
    const reader = await source.open({ positions: await startOf(source), bufferBytesMax })
    expect(valuesOf(await drain(reader))).toEqual(['one'])
    const second = `${head.replace('"offset":0', '"offset":1')}"value":"two"}`
    appendFileSync(join(directory, 'a.jsonl'), second)
    expect(await reader.poll(100)).toEqual([])
    appendFileSync(join(directory, 'a.jsonl'), '\n')
    expect(valuesOf(await reader.poll(5_000))).toEqual(['two'])
  })

  test('starts from an exact position in any order of fields, over several files', async () => {
    const lines = (from: number, to: number): string => {
      let text = ''
      for (let at = from; at < to; at += 1) {
        text += `{ "value": "v${at}", "offset": ${at * 2}, "topic": "t", "timestamp": ${at}, "partition": 0 }\n`
      }
      return text
    }
    writeFileSync(join(directory, '0001.jsonl'), lines(5, 10))
    writeFileSync(join(directory, '0002.jsonl'), lines(10, 15))
    const source = await open()
    const [partition] = await source.inspect()
    expect(partition).toMatchObject({ earliest: 10n, end: 29n, start: 10n })
    const [start] = await startOf(source)
    if (start === undefined) throw new Error('a partition')
    const from = (at: bigint) => [{ ...start, offset: offset(at) }]
    const reader = await source.open({ positions: from(19n), bufferBytesMax })
    const batches = await drain(reader)
    expect(valuesOf(batches)).toEqual(['v10', 'v11', 'v12', 'v13', 'v14'])
    expect(batches.at(-1)?.next.offset).toBe(29n)
    const opening = (at: bigint) => source.open({ positions: from(at), bufferBytesMax })
    await expect(opening(9n)).rejects.toThrow(/OFFSET_OUT_OF_RANGE.*t\/0@9/)
    await expect(opening(30n)).rejects.toThrow(/LOG_TRUNCATED.*t\/0@30/)
    const late = await open({ start: { kind: 'timestamp', timestampMs: 12 } })
    expect((await late.inspect())[0]?.start).toBe(24n)
    const latest = await open({ start: { kind: 'latest' } })
    expect((await latest.inspect())[0]?.start).toBe(29n)
  })

  test('an offset that does not grow is a corrupt log, never a repeat', async () => {
    const line = '{"topic":"t","partition":0,"offset":3,"timestamp":1,"key":null,"value":"x"}\n'
    writeFileSync(join(directory, 'a.jsonl'), line + line)
    const source = await open()
    const reader = await source.open({ positions: await startOf(source), bufferBytesMax })
    await expect(drain(reader)).rejects.toThrow(/RECORD_CORRUPT.*t\/0@3/)
  })

  test('a folder made anew is another log, and a file that is cut is a truncated one', async () => {
    const writer = await FileLogWriter.open(directory)
    writer.createTopic('t', 1)
    writer.append([record('a'), record('b')])
    const source = await open()
    const positions = await startOf(source)
    const reader = await source.open({ positions, bufferBytesMax })
    expect(valuesOf(await drain(reader))).toEqual(['a', 'b'])
    truncateSync(join(directory, 't.0.jsonl'), 10)
    await expect(reader.poll(100)).rejects.toThrow('LOG_TRUNCATED')
    rmSync(directory, { recursive: true })
    const anew = await FileLogWriter.open(directory)
    anew.createTopic('t', 1)
    anew.append([record('a'), record('b')])
    const again = await open()
    await expect(again.open({ positions, bufferBytesMax })).rejects.toThrow('TOPIC_CHANGED')
  })

  test('a writer that died in a line goes on behind the last whole one', async () => {
    const first = await FileLogWriter.open(directory)
    first.createTopic('t', 1)
    first.append([record('a')])
    appendFileSync(join(directory, 't.0.jsonl'), '{"topic":"t","partition":0,"off')
    const second = await FileLogWriter.open(directory)
    second.append([record('b')])
    const source = await open()
    const reader = await source.open({ positions: await startOf(source), bufferBytesMax })
    const batches = await drain(reader)
    expect(valuesOf(batches)).toEqual(['a', 'b'])
    expect(batches.at(-1)?.next.offset).toBe(2n)
  })

  test('a small buffer gives small batches, and a long line still comes whole', async () => {
    const writer = await FileLogWriter.open(directory)
    writer.createTopic('t', 1)
    const long = 'x'.repeat(3_000_000)
    writer.append([record('1'), record('2'), record(long), record('3')])
    const source = await open()
    const reader = await source.open({ positions: await startOf(source), bufferBytesMax: 100 })
    const batches = await drain(reader)
    expect(valuesOf(batches)).toEqual(['1', '2', long, '3'])
    expect(batches.length).toBeGreaterThan(2)
  })

  test('topics by pattern, new partitions, and a topic that is missing', async () => {
    const writer = await FileLogWriter.open(directory)
    writer.createTopic('db.a', 1)
    writer.createTopic('other', 1)
    const source = await open({ topics: { kind: 'pattern', pattern: 'db[.].*' } })
    const positions = await startOf(source)
    expect(positions.map(({ topic }) => topic)).toEqual(['db.a'])
    const reader = await source.open({ positions, bufferBytesMax })
    writer.createTopic('db.b', 1)
    await reader.poll(1_500)
    expect(reader.newPartitions()).toMatchObject([{ topic: 'db.b', partition: 0 }])
    await reader.close()
    expect(await reader.poll(10_000)).toEqual([])
    await expect((await open()).inspect()).rejects.toThrow('TOPIC_MISSING')
  })

  test('what is not a record is named', async () => {
    writeFileSync(join(directory, 'a.jsonl'), '{"topic":"t"}\n')
    await expect((await open()).inspect()).rejects.toThrow(/RECORD_UNREADABLE.*a.jsonl/)
    await expect(open({ directory: join(directory, 'missing') })).rejects.toThrow(
      /SOURCE_UNREACHABLE.*missing/,
    )
  })
})
