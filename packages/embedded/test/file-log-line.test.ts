import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatLine, parseHead, parseRecord } from '../src/file-log-line.ts'

const text = fc.string({ unit: 'grapheme' })
const record = fc.record({
  topic: fc.stringMatching(/^[a-zA-Z0-9._-]{1,40}$/),
  partition: fc.nat(10_000),
  key: fc.option(text),
  value: fc.option(text),
  headers: fc.dictionary(fc.stringMatching(/^[a-z.]{1,10}$/), fc.option(text)),
})

const textOf = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : Buffer.from(bytes).toString()

test('a line gives back the record, with all digits of its offset', () => {
  const offsets = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })
  fc.assert(
    fc.property(record, offsets, fc.nat(2 ** 31), (given, offset, timestampMs) => {
      const line = formatLine(given, offset, timestampMs)
      expect(line.endsWith('\n') && !line.slice(0, -1).includes('\n')).toBe(true)
      const bytes = Buffer.from(line.slice(0, -1))
      const head = parseHead(bytes, 'test')
      expect(head).toEqual({ topic: given.topic, partition: given.partition, offset, timestampMs })
      const read = parseRecord(bytes, head)
      expect([textOf(read.key), textOf(read.value)]).toEqual([given.key, given.value])
      const headers = Object.fromEntries(read.headers.map(({ key, value }) => [key, textOf(value)]))
      expect(headers).toEqual({ ...given.headers })
    }),
  )
})
