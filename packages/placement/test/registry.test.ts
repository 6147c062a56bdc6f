import { incarnation, workerId } from '@onceflow/model'
import { expect, test } from 'vitest'
import {
  defaultRegistryLimits,
  emptyRegistry,
  memberByLink,
  type Registry,
  type RegistryEvent,
  reduceRegistry,
} from '../src/index.ts'

const { goneAfterMs, silentAfterMs } = defaultRegistryLimits

type At = RegistryEvent & { readonly nowMs: number }

const hello = (nowMs: number, link: string, process = 'i1'): At => ({
  kind: 'hello',
  worker: workerId('w'),
  incarnation: incarnation(process),
  tasksMax: 4,
  link,
  nowMs,
})

function play(...events: readonly At[]): { registry: Registry; said: readonly string[] } {
  let registry = emptyRegistry
  const said: string[] = []
  for (const event of events) {
    const step = reduceRegistry(registry, event, defaultRegistryLimits)
    registry = step.registry
    said.push(...step.changes.map(({ kind, member }) => `${kind} ${member.key}`))
  }
  return { registry, said }
}

test('PL-7: a second process under the id of a living member is refused', () => {
  const { registry, said } = play(hello(0, 'l1'), hello(10, 'l2', 'i2'))
  expect(said).toEqual(['joined w#i1', 'refused w#i2'])
  expect(memberByLink(registry, 'l1')?.key).toBe('w#i1')
})

test('PL-7: another incarnation replaces a silent member', () => {
  const { said } = play(hello(0, 'l1'), hello(60_000, 'l2', 'i2'))
  expect(said).toEqual(['joined w#i1', 'lost w#i1', 'joined w#i2'])
})

test('PL-7: another incarnation replaces a member whose stream broke', () => {
  const { registry, said } = play(
    hello(0, 'l1'),
    { kind: 'broken', link: 'l1', nowMs: 5 },
    hello(10, 'l2', 'i2'),
  )
  expect(said).toEqual(['joined w#i1', 'lost w#i1', 'joined w#i2'])
  expect(registry.members.size).toBe(1)
})

test('PL-7: the same incarnation on a new stream is back, and drains on', () => {
  const { registry, said } = play(
    hello(0, 'l1'),
    { kind: 'draining', link: 'l1', nowMs: 5 },
    hello(10, 'l2'),
  )
  expect(said).toEqual(['joined w#i1', 'back w#i1'])
  expect(memberByLink(registry, 'l2')?.draining).toBe('yes')
})

test('PL-8: a broken stream is waited for, and not longer', () => {
  const broken: At = { kind: 'broken', link: 'l1', nowMs: 100 }
  const inTime: At = { kind: 'tick', nowMs: 100 + goneAfterMs }
  expect(play(hello(0, 'l1'), broken, inTime).said).toEqual(['joined w#i1'])
  const late: At = { kind: 'tick', nowMs: 101 + goneAfterMs }
  expect(play(hello(0, 'l1'), broken, late).said).toEqual(['joined w#i1', 'lost w#i1'])
  const back = play(hello(0, 'l1'), broken, hello(500, 'l2'), late)
  expect(back.said).toEqual(['joined w#i1', 'back w#i1'])
})

test('PL-8, fault-028: a silent member is lost although its stream stands', () => {
  const heard: At = { kind: 'heard', link: 'l1', nowMs: 1_000 }
  const inTime: At = { kind: 'tick', nowMs: 1_000 + silentAfterMs }
  expect(play(hello(0, 'l1'), heard, inTime).said).toEqual(['joined w#i1'])
  const late: At = { kind: 'tick', nowMs: 1_001 + silentAfterMs }
  const lost = play(hello(0, 'l1'), heard, late, { ...late, nowMs: 9_000 }, hello(9_001, 'l2'))
  expect(lost.said).toEqual(['joined w#i1', 'lost w#i1', 'joined w#i1'])
})

test('PL-9: what is said on a replaced stream changes nothing', () => {
  const { registry, said } = play(
    hello(0, 'l1'),
    hello(10, 'l2'),
    { kind: 'broken', link: 'l1', nowMs: 20 },
    { kind: 'draining', link: 'l1', nowMs: 30 },
  )
  expect(said).toEqual(['joined w#i1', 'back w#i1'])
  expect(memberByLink(registry, 'l2')).toMatchObject({ draining: 'no', brokenMs: undefined })
})
