// The promises of ports/source-log, numbered, each a test; run on the twin and on every adapter.
import { offset, type StartFrom, type TopicSelection } from '@onceflow/model'
import type { SourceLog } from '@onceflow/ports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  bufferBytesMax,
  deadlineMs,
  earliest,
  failureOfReading,
  list,
  numbered,
  pollFor,
  positionAt,
  type SourceLogHarness,
  startsOf,
  text,
  valuesFrom,
  valuesOf,
} from './source-log-harness.ts'

export type { Place, SourceLogHarness } from './source-log-harness.ts'

export function describeSourceLog(name: string, make: () => Promise<SourceLogHarness>): void {
  describe(`${name} keeps the promises of a source log`, () => {
    let harness: SourceLogHarness
    const opened: SourceLog[] = []
    const context: Context = {
      harness: () => harness,
      open: async (topics, start = earliest) => {
        const source = await harness.open(topics, start)
        opened.push(source)
        return source
      },
      topic: () => `log-${Date.now()}-${Math.floor(Math.random() * 1e9)}`,
    }

    beforeEach(async () => {
      harness = await make()
    })
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((source) => source.close()))
      await harness.close()
    })

    inspectPromises(context)
    readPromises(context)
    positionPromises(context)
    changePromises(context)
  })
}

interface Context {
  readonly harness: () => SourceLogHarness
  readonly open: (topics: TopicSelection, start?: StartFrom) => Promise<SourceLog>
  /** A name that no other test has. */
  readonly topic: () => string
}

function inspectPromises({ harness, open, topic }: Context): void {
  test('SL-1 inspect tells every partition with its range, in order', async () => {
    const name = topic()
    await harness().createTopic(name, 3)
    await harness().append({ topic: name, partition: 1 }, numbered(0, 4))
    const found = await (await open(list(name))).inspect()
    expect(found.map(({ partition, earliest, end }) => [partition, earliest, end])).toEqual([
      [0, 0n, 0n],
      [1, 0n, 4n],
      [2, 0n, 0n],
    ])
    expect(new Set(found.map((info) => info.topic))).toEqual(new Set([name]))
  })

  test('SL-2 start means the first record, the end, or the first of a time', async () => {
    const name = topic()
    await harness().createTopic(name, 1)
    const times = [1_000, 2_000, 3_000].map((ms) => 1_700_000_000_000 + ms)
    for (const timestampMs of times) {
      await harness().append({ topic: name, partition: 0 }, [
        { key: null, value: 'v', timestampMs },
      ])
    }
    const startOf = async (start: StartFrom): Promise<bigint | undefined> =>
      (await (await open(list(name), start)).inspect())[0]?.start
    expect(await startOf(earliest)).toBe(0n)
    expect(await startOf({ kind: 'latest' })).toBe(3n)
    expect(await startOf({ kind: 'timestamp', timestampMs: 1_700_000_001_500 })).toBe(1n)
    expect(await startOf({ kind: 'timestamp', timestampMs: 1_700_000_009_000 })).toBe(3n)
  })

  test('SL-3 a listed topic that does not exist is a failure', async () => {
    const [there, missing] = [topic(), topic()]
    await harness().createTopic(there, 1)
    const source = await open(list(there, missing))
    await expect(source.inspect()).rejects.toThrowError(/TOPIC_MISSING/)
  })

  test('SL-4 a pattern selects by the whole name', async () => {
    const base = topic()
    for (const tail of ['.a', '.b', '.ab']) await harness().createTopic(`${base}${tail}`, 1)
    const source = await open({ kind: 'pattern', pattern: `${base}\\.[ab]` })
    expect((await source.inspect()).map((info) => info.topic)).toEqual([`${base}.a`, `${base}.b`])
  })

  test('SL-5 end offsets are those of now', async () => {
    const name = topic()
    await harness().createTopic(name, 2)
    const source = await open(list(name))
    const partitions = await source.inspect()
    await harness().append({ topic: name, partition: 1 }, numbered(0, 3))
    const ends = await source.endOffsets(partitions)
    expect(ends.map(({ partition, end }) => [partition, end])).toEqual([
      [0, 0n],
      [1, 3n],
    ])
  })
}

function readPromises({ harness, open, topic }: Context): void {
  test('SL-6 records come in offset order, each once, keys and tombstones as they are', async () => {
    const name = topic()
    await harness().createTopic(name, 2)
    await harness().append({ topic: name, partition: 0 }, numbered(0, 1_500))
    await harness().append({ topic: name, partition: 1 }, [
      { key: null, value: 'no key' },
      { key: 'gone', value: null },
    ])
    const source = await open(list(name))
    const reader = await source.open({ positions: await startsOf(source), bufferBytesMax })
    const batches = await pollFor(reader, { records: 1_502 })
    const of = (partition: number) => batches.filter((batch) => batch.partition === partition)
    expect(valuesOf(of(0))).toEqual(valuesFrom(0, 1_500))
    const offsets = of(0).flatMap((batch) => batch.records.map((record) => record.offset))
    expect(offsets).toEqual(Array.from({ length: 1_500 }, (_none, index) => BigInt(index)))
    const second = of(1).flatMap((batch) => [...batch.records])
    expect(second.map((record) => [text(record.key), text(record.value)])).toEqual([
      [null, 'no key'],
      ['gone', null],
    ])
  })

  test('SL-7 next of each batch is where the following one begins', async () => {
    const name = topic()
    await harness().createTopic(name, 1)
    const source = await open(list(name))
    const positions = await startsOf(source)
    const reader = await source.open({ positions, bufferBytesMax })
    let position = 0n
    for (let round = 0; round < 3; round++) {
      await harness().append({ topic: name, partition: 0 }, numbered(round * 5, 5))
      for (const batch of await pollFor(reader, { records: 5 })) {
        for (const record of batch.records) expect(record.offset).toBe(position++)
        expect(batch.next).toMatchObject({ topic: name, partition: 0, offset: position })
        expect(batch.next.topicId).toBe(positions[0]?.topicId)
      }
    }
    expect(position).toBe(15n)
  })

  test('SL-8 a poll waits for what is appended, and ends without it after its time', async () => {
    const name = topic()
    await harness().createTopic(name, 1)
    const source = await open(list(name))
    const reader = await source.open({ positions: await startsOf(source), bufferBytesMax })
    expect(await reader.poll(100)).toEqual([])
    const waiting = reader.poll(deadlineMs)
    await harness().append({ topic: name, partition: 0 }, numbered(0, 1))
    expect(valuesOf(await waiting)).toEqual(['value-0'])
  })

  test('SL-9 a buffer smaller than the data holds nothing back for ever', async () => {
    const name = topic()
    await harness().createTopic(name, 2)
    const large = Array.from({ length: 40 }, () => ({ key: null, value: 'x'.repeat(10_000) }))
    await harness().append({ topic: name, partition: 0 }, large)
    await harness().append({ topic: name, partition: 1 }, large)
    const source = await open(list(name))
    const positions = await startsOf(source)
    const reader = await source.open({ positions, bufferBytesMax: 20_000 })
    expect(valuesOf(await pollFor(reader, { records: 80 })).length).toBe(80)
  })

  test('SL-10 readers do not disturb each other', async () => {
    const name = topic()
    await harness().createTopic(name, 1)
    await harness().append({ topic: name, partition: 0 }, numbered(0, 10))
    const source = await open(list(name))
    const positions = await startsOf(source)
    const readers = await Promise.all([1, 2].map(() => source.open({ positions, bufferBytesMax })))
    const read = await Promise.all(readers.map((reader) => pollFor(reader, { records: 10 })))
    for (const batches of read) expect(valuesOf(batches)).toEqual(valuesFrom(0, 10))
    await readers[0]?.close()
    await harness().append({ topic: name, partition: 0 }, numbered(10, 1))
    const [, second] = readers
    if (second === undefined) throw new Error('two readers were opened')
    expect(valuesOf(await pollFor(second, { records: 1 }))).toEqual(['value-10'])
  })

  test('SL-11 lag is the distance from what was handed over to the end', async () => {
    const name = topic()
    await harness().createTopic(name, 1)
    await harness().append({ topic: name, partition: 0 }, numbered(0, 7))
    const source = await open(list(name))
    const reader = await source.open({ positions: await startsOf(source), bufferBytesMax })
    await pollFor(reader, { records: 7 })
    expect(reader.lag()).toMatchObject([{ topic: name, partition: 0, position: 7n, end: 7n }])
  })

  test('SL-12 closing ends a poll that waits, and may be done twice', async () => {
    const name = topic()
    await harness().createTopic(name, 1)
    const source = await open(list(name))
    const reader = await source.open({ positions: await startsOf(source), bufferBytesMax })
    const waiting = reader.poll(500)
    await reader.close()
    expect(await waiting).toEqual([])
    await reader.close()
  })

  test('SL-13 progress can be published', async () => {
    const name = topic()
    await harness().createTopic(name, 1)
    await harness().append({ topic: name, partition: 0 }, numbered(0, 1))
    const source = await open(list(name))
    await source.publishProgress('shown', await startsOf(source))
  })
}

function positionPromises({ harness, open, topic }: Context): void {
  test('SL-14 a reader goes on exactly where another one stopped', async () => {
    const name = topic()
    await harness().createTopic(name, 1)
    await harness().append({ topic: name, partition: 0 }, numbered(0, 20))
    const source = await open(list(name))
    const [start] = await startsOf(source)
    if (start === undefined) throw new Error('the topic has a partition')
    for (const from of [0, 1, 13, 20]) {
      const positions = [{ ...start, offset: offset(BigInt(from)) }]
      const reader = await source.open({ positions, bufferBytesMax })
      const batches = await pollFor(reader, { records: 20 - from })
      expect(valuesOf(batches)).toEqual(valuesFrom(from, 20 - from))
      const position = batches.at(-1)?.next ?? { ...start, offset: offset(20n) }
      await reader.close()
      const again = await source.open({ positions: [position], bufferBytesMax })
      expect(await again.poll(100)).toEqual([])
      await again.close()
    }
  })

  test('SL-15 a position that retention has passed is a failure, never a reset', async () => {
    const drop = harness().dropBefore
    if (drop === undefined) return
    const name = topic()
    const place = { topic: name, partition: 0 }
    await harness().createTopic(name, 1)
    await harness().append(place, numbered(0, 10))
    const source = await open(list(name))
    const positions = await startsOf(source)
    await drop(place, 4n)
    expect(await failureOfReading(source, positions)).toBe('OFFSET_OUT_OF_RANGE')
    const [info] = await source.inspect()
    expect(info).toMatchObject({ earliest: 4n, end: 10n, start: 4n })
  })

  test('SL-16 a position beyond the end of the log is a failure', async () => {
    const name = topic()
    await harness().createTopic(name, 1)
    await harness().append({ topic: name, partition: 0 }, numbered(0, 3))
    const source = await open(list(name))
    const [start] = await startsOf(source)
    if (start === undefined) throw new Error('the topic has a partition')
    const beyond = [{ ...start, offset: offset(4n) }]
    expect(await failureOfReading(source, beyond)).toBe('LOG_TRUNCATED')
  })

  test('SL-17 a position of a topic that was made again is a failure', async () => {
    const recreate = harness().recreateTopic
    if (recreate === undefined) return
    const name = topic()
    await harness().createTopic(name, 1)
    await harness().append({ topic: name, partition: 0 }, numbered(0, 3))
    const source = await open(list(name))
    const positions = await startsOf(source)
    await recreate(name, 1)
    await harness().append({ topic: name, partition: 0 }, numbered(100, 9))
    expect(await failureOfReading(source, positions)).toBe('TOPIC_CHANGED')
  })

  test('SL-18 aborted records are never seen, and the position moves past them', async () => {
    const abort = harness().appendAborted
    if (abort === undefined) return
    const name = topic()
    const place = { topic: name, partition: 0 }
    await harness().createTopic(name, 1)
    await harness().append(place, numbered(0, 2))
    await abort(place, ['never', 'seen'])
    await harness().append(place, numbered(2, 2))
    await abort(place, ['neither'])
    const source = await open(list(name))
    const [info] = await source.inspect()
    if (info === undefined) throw new Error('the topic has a partition')
    const reader = await source.open({ positions: [positionAt(info)], bufferBytesMax })
    const batches = await pollFor(reader, { next: info.end })
    expect(valuesOf(batches)).toEqual(valuesFrom(0, 4))
    expect(batches.at(-1)?.next.offset).toBe(info.end)
  })
}

function changePromises({ harness, open, topic }: Context): void {
  test('SL-19 partitions that appear later are told, and not read', async () => {
    const grow = harness().growTopic
    if (grow === undefined) return
    const name = topic()
    await harness().createTopic(name, 1)
    const source = await open(list(name))
    const reader = await source.open({ positions: await startsOf(source), bufferBytesMax })
    expect(reader.newPartitions()).toEqual([])
    await grow(name, 3)
    await harness().append({ topic: name, partition: 2 }, numbered(0, 1))
    const untilMs = performance.now() + deadlineMs
    while (reader.newPartitions().length < 2 && performance.now() < untilMs) {
      expect(await reader.poll(50)).toEqual([])
    }
    expect(reader.newPartitions().map(({ topic, partition }) => [topic, partition])).toEqual([
      [name, 1],
      [name, 2],
    ])
  })

  test('SL-20 a topic that is made again under a reader ends it with a failure', async () => {
    const recreate = harness().recreateTopic
    if (recreate === undefined) return
    const name = topic()
    await harness().createTopic(name, 1)
    await harness().append({ topic: name, partition: 0 }, numbered(0, 3))
    const source = await open(list(name))
    const reader = await source.open({ positions: await startsOf(source), bufferBytesMax })
    await pollFor(reader, { records: 3 })
    await recreate(name, 1)
    await harness().append({ topic: name, partition: 0 }, numbered(100, 9))
    const untilMs = performance.now() + deadlineMs
    const reading = async (): Promise<void> => {
      while (performance.now() < untilMs) expect(valuesOf(await reader.poll(50))).toEqual([])
    }
    await expect(reading()).rejects.toThrowError(/TOPIC_CHANGED/)
  })
}
