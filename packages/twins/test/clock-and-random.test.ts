import {
  ManualClock,
  noFailPoints,
  ScriptedFailPoints,
  SeededRandom,
  settle,
} from '@onceflow/twins'
import { expect, test } from 'vitest'

test('timers fire in order of due time, then of creation, at their own time', () => {
  const clock = new ManualClock()
  const fired: string[] = []
  const at = (name: string, delayMs: number) =>
    clock.after(delayMs, () => fired.push(`${name}@${clock.monotonicMs()}`))
  at('late', 20)
  at('first', 10)
  at('second', 10)
  at('cancelled', 5).cancel()
  clock.after(10, () => at('nested', 5))
  clock.advance(19)
  expect(fired).toEqual(['first@10', 'second@10', 'nested@15'])
  expect(clock.monotonicMs()).toBe(19)
  clock.advance(1)
  expect(fired.at(-1)).toBe('late@20')
  expect(clock.pending()).toBe(0)
})

test('run lets promises go on between timers', async () => {
  const clock = new ManualClock()
  const sleep = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve))
  const seen: number[] = []
  const loop = async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      await sleep(10)
      seen.push(clock.monotonicMs())
    }
  }
  const done = loop()
  await clock.run(100)
  await done
  expect(seen).toEqual([10, 20, 30])
})

test('a seed repeats its numbers', () => {
  const [one, same, other] = [new SeededRandom(7), new SeededRandom(7), new SeededRandom(8)]
  const text = one.token(32)
  expect(text).toMatch(/^[a-z0-9]{32}$/)
  expect(same.token(32)).toBe(text)
  expect(other.token(32)).not.toBe(text)
  for (let count = 0; count < 1_000; count += 1) {
    expect(one.fraction()).toBeGreaterThanOrEqual(0)
    expect(one.fraction()).toBeLessThan(1)
  }
})

test('a fail point holds, throws or calls back at the hit it is armed for', async () => {
  const points = new ScriptedFailPoints()
  expect(noFailPoints.reached('any')).toBeUndefined()
  points.arm('P4', { kind: 'hold' }, 2)
  expect(points.reached('P4')).toBeUndefined()
  let passed = 'no'
  const held = points.reached('P4')?.then(() => {
    passed = 'yes'
  })
  await settle()
  expect([passed, points.holding('P4')]).toEqual(['no', 1])
  points.release('P4')
  await held
  expect(passed).toBe('yes')
  points.arm('P6', { kind: 'throw', error: new Error('killed') })
  await expect(points.reached('P6')).rejects.toThrow('killed')
  expect(points.reached('P6')).toBeUndefined()
  expect(points.reachedNames).toEqual(['P4', 'P4', 'P6', 'P6'])
})
