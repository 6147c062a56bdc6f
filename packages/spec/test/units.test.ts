import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  durationMs,
  durationText,
  instantMs,
  instantText,
  sizeBytes,
  sizeText,
} from '../src/units.ts'

test.each([
  ['250ms', 250],
  ['1.5s', 1500],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['250', undefined],
  ['-1s', undefined],
  ['1 s', undefined],
])('the duration %s', (text, ms) => {
  expect(durationMs(text)).toBe(ms)
})

test.each([
  ['64MiB', 67_108_864],
  ['1kB', 1000],
  ['7B', 7],
  ['64', undefined],
  ['9999999999GiB', undefined],
])('the size %s', (text, bytes) => {
  expect(sizeBytes(text)).toBe(bytes)
})

test('durations and sizes survive their text', () => {
  fc.assert(fc.property(fc.nat(), (ms) => durationMs(durationText(ms)) === ms))
  fc.assert(fc.property(fc.maxSafeNat(), (bytes) => sizeBytes(sizeText(bytes)) === bytes))
})

test('instants are those of the calendar', () => {
  const range = { min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') }
  fc.assert(
    fc.property(fc.date({ ...range, noInvalidDate: true }), (date) => {
      expect(instantText(date.getTime())).toBe(date.toISOString())
      expect(instantMs(date.toISOString())).toBe(date.getTime())
    }),
  )
})

test.each([
  ['2026-02-28T23:59:59Z', Date.UTC(2026, 1, 28, 23, 59, 59)],
  ['2024-02-29T00:00:00+02:00', Date.UTC(2024, 1, 28, 22)],
  ['2026-01-01T00:00:00.5-00:30', Date.UTC(2026, 0, 1, 0, 30, 0, 500)],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-13-01T00:00:00Z', undefined],
  ['2026-01-01', undefined],
])('the instant %s', (text, ms) => {
  expect(instantMs(text)).toBe(ms)
})
