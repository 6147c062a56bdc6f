import { type FileSourceSpec, offset, type Position } from '@onceflow/model'
import type { LogReader, RecordBatch } from '@onceflow/ports'
import { ManualClock, MemoryLog } from '@onceflow/twins'
import { describe, expect, test } from 'vitest'

const spec: FileSourceSpec = {
  kind: 'file',
  directory: 'unused',
  topics: { kind: 'list', topics: ['t'] },
  format: 'debezium-json',
  start: { kind: 'earliest' },
}
const place = { topic: 't', partition: 0 }

async function setUp() {
  const clock = new ManualClock()
  const log = new MemoryLog(clock)
  log.createTopic('t', 2)
  const source = await log.factory('file').open(spec)
  const positions = async (): Promise<Position[]> =>
    (await source.inspect()).map(({ start, topic, topicId, partition }) => ({
      topic,
      topicId,
      partition,
      offset: offset(start),
      leaderEpoch: -1,
    }))
  return { clock, log, source, positions }
}

async function drain(reader: LogReader, clock: ManualClock): Promise<RecordBatch[]> {
  const batches: RecordBatch[] = []
  for (;;) {
    const polled = reader.poll(10)
    await clock.run(10)
    const found = await polled
    if (found.length === 0) return batches
    batches.push(...found)
  }
}

describe('the memory log', () => {
  test('gives every record once, in order, and moves past gaps', async () => {
    const { clock, log, source, positions } = await setUp()
    log.append(place, [{ value: 'a' }, { value: 'b', key: 'k' }])
    log.skip(place, 3n)
    const reader = await source.open({ positions: await positions(), bufferBytesMax: 1_000_000 })
    const batches = await drain(reader, clock)
    expect(batches.flatMap(({ records }) => records.map((record) => record.offset))).toEqual([
      0n,
      1n,
    ])
    expect(batches.at(-1)?.next.offset).toBe(5n)
    log.append(place, [{ value: 'c' }])
    const [batch] = await drain(reader, clock)
    expect(batch?.records.map((record) => record.offset)).toEqual([5n])
    expect(reader.lag()).toMatchObject([
      { position: 6n, end: 6n },
      { position: 0n, end: 0n },
    ])
  })

  test('a poll wakes when a record is appended, and the byte limit holds', async () => {
    const { log, source, positions } = await setUp()
    const reader = await source.open({ positions: await positions(), bufferBytesMax: 100 })
    const polled = reader.poll(60_000)
    log.append(
      place,
      Array.from({ length: 10 }, () => ({ value: 'x'.repeat(30) })),
    )
    const [batch] = await polled
    expect(batch?.records).toHaveLength(2)
  })

  test('names the partition of a position that no longer exists', async () => {
    const { log, source, positions } = await setUp()
    const before = await positions()
    log.append(place, [{ value: 'a' }, { value: 'b' }])
    log.dropBefore(place, 1n)
    const open = (from: Position[]) => source.open({ positions: from, bufferBytesMax: 1_000 })
    await expect(open(before)).rejects.toThrow(/OFFSET_OUT_OF_RANGE.*t\/0@0/)
    const reader = await open(await positions())
    await reader.poll(0)
    log.truncateTo(place, 1n)
    await expect(reader.poll(0)).rejects.toThrow('LOG_TRUNCATED')
    log.createTopic('t', 2)
    await expect(open(before)).rejects.toThrow('TOPIC_CHANGED')
  })

  test('new partitions are told', async () => {
    const { log, source, positions } = await setUp()
    const reader = await source.open({ positions: await positions(), bufferBytesMax: 1_000 })
    log.growTopic('t', 3)
    expect(reader.newPartitions()).toMatchObject([{ topic: 't', partition: 2 }])
  })
})
