import { pipelineUid, revision } from '@onceflow/model'
import type { LeaderMessage } from '@onceflow/ports'
import { describe, expect, test } from 'vitest'
import {
  admit,
  bufferedRecordsOf,
  freshMemory,
  permitOf,
  reportOf,
  type TaskEffect,
  type TaskEvent,
  waitingOf,
} from '../src/index.ts'
import {
  a,
  abort,
  at,
  barrier,
  batch,
  commit,
  e,
  invoked,
  linkUp,
  n,
  opening,
  outcome,
  pipeline,
  play,
  polled,
  position,
  sealed,
  stamp,
  stepFailed,
  superseded,
  words,
} from './task-fixture.ts'

const opened: TaskEvent = { kind: 'opened' }
const took = (next: number) => [polled(batch(next)), invoked()]
const committed = (value: number) => [
  commit(value),
  outcome(value, 0, 'committed'),
  outcome(value, 1, 'committed'),
]
const sentOf = (effects: readonly TaskEffect[], kind: string) =>
  effects.flatMap((effect) =>
    effect.kind === 'send' && effect.message.kind === kind ? [effect.message] : [],
  )
const waiting = at(opened, ...took(5), barrier(11), sealed(11))

describe('DF-1: a sealed transaction is rolled back only when its own Abort says so', () => {
  test.each([
    ['its own checkpoint', abort(11), 'close and roll back 11'],
    ['another checkpoint', abort(12), 'close'],
    ['no checkpoint', abort(undefined), 'close'],
    ['a later attempt', abort(11, { ...stamp, attempt: a(4) }, a(5)), 'close'],
    ['stamped with the next one', abort(11, { ...stamp, attempt: a(4) }), 'close and roll back 11'],
    ['the end of its tasks', superseded, 'close'],
  ])('%s', (_, event, expected) => {
    expect(words(play(waiting, event).effects)).toEqual(['close-reader', expected])
  })

  test('an Abort without a higher attempt changes nothing', () => {
    expect(play(waiting, abort(11, stamp, a(3)))).toEqual({ state: waiting, effects: [] })
  })

  test('not after its Commit was seen', () => {
    const step = play(waiting, ...[commit(11), abort(11)], outcome(11, 0, 'unknown'))
    expect(step.state.kind).toBe('ending')
    expect(words(play(step.state, outcome(11, 1, 'unknown')).effects)).toEqual(['close'])
  })

  test('an Abort in the middle of the seal waits for it, then rolls back', () => {
    const sealing = at(opened, ...took(5), barrier(11))
    const told = play(sealing, abort(11))
    expect(told.state.kind).toBe('ending')
    expect(words(play(told.state, sealed(11)).effects)).toEqual(['close and roll back 11'])
    const broken = play(told.state, stepFailed('seal'))
    expect(words(broken.effects)).toEqual(['close and roll back 11'])
  })

  test('an Abort that comes after another reason to end still counts', () => {
    const told = play(at(opened, ...took(5), barrier(11)), superseded, abort(11))
    expect(words(play(told.state, sealed(11)).effects)).toEqual(['close and roll back 11'])
  })
})

describe('DF-2: no commit without a permit for what was sealed', () => {
  test('a Commit of another checkpoint or attempt commits nothing', () => {
    expect(play(waiting, commit(12)).effects).toEqual([])
    expect(play(waiting, commit(11, { ...stamp, attempt: a(4) })).effects).toEqual([])
    expect(play(at(opened, barrier(11)), commit(11)).effects).toEqual([])
  })

  test('the permit carries the decision', () => {
    const message = { ...stamp, kind: 'commit', pipeline, checkpoint: n(11) } as const
    expect(permitOf({ ...message, revision: revision(5n) })).toEqual({
      ...stamp,
      checkpoint: 11n,
      decision: 5n,
    })
    expect(() => permitOf({ ...message, revision: revision(0n) })).toThrow('revision')
  })
})

describe('DF-3: one checkpoint at a time', () => {
  test('a barrier waits for the commit before it', () => {
    const early = play(waiting, ...took(6), barrier(12))
    expect(words(early.effects)).not.toContain('seal 12')
    const late = play(early.state, ...committed(11))
    expect(words(late.effects)).toEqual([
      'commit one',
      'commit two',
      'send committed',
      'publish',
      'seal 12',
    ])
  })

  test('a barrier waits for the batch in hand', () => {
    const busy = at(opened, polled(batch(5)))
    const early = play(busy, barrier(11))
    expect(early.effects).toEqual([])
    expect(words(play(early.state, invoked()).effects)).toEqual(['seal 11', 'poll'])
  })
})

test('DF-4: a cut lies at what the sinks have taken, and begins where the last one ended', () => {
  const first = play(
    at(opened, ...took(5)),
    polled(batch(9, 1, 1), batch(7)),
    barrier(11),
    invoked(),
  )
  const cutOf = (effects: readonly TaskEffect[]) =>
    effects.flatMap((effect) => (effect.kind === 'seal' ? [effect.cut] : []))[0]
  expect(cutOf(first.effects)).toMatchObject({
    from: [position(0, 0), position(0, 1)],
    to: [position(5, 0), position(9, 1)],
    records: 2,
  })
  const second = play(first.state, sealed(11), ...committed(11), invoked(), barrier(12))
  expect(cutOf(second.effects)).toMatchObject({
    from: [position(5, 0), position(9, 1)],
    to: [position(7, 0), position(9, 1)],
    records: 1,
  })
  expect(() => play(at(opened, ...took(5)), ...took(4))).toThrow('goes back')
})

test('DF-5: an epoch asks for its barrier once with data and once when it is full', () => {
  const some = play(waiting, polled(batch(6), batch(7), batch(8)), invoked())
  expect(words(some.effects)).toEqual(['invoke', 'send barrier-wanted', 'invoke'])
  const full = play(some.state, invoked('full'))
  expect(words(full.effects)).toEqual(['send barrier-wanted'])
  expect(sentOf([...some.effects, ...full.effects], 'barrier-wanted')).toMatchObject([
    { reason: 'data' },
    { reason: 'full' },
  ])
  expect(waitingOf(full.state)).toBe('commit')
  expect(bufferedRecordsOf(full.state)).toBe(2)
  const next = play(full.state, ...committed(11), barrier(12))
  expect(words(next.effects).slice(-2)).toEqual(['seal 12', 'invoke'])
  expect(words(play(next.state, invoked('full')).effects)).toEqual(['send barrier-wanted'])
  const gap = { ...batch(9), records: [] }
  expect(words(play(at(opened), polled(gap), invoked()).effects)).toEqual(['invoke', 'poll'])
})

test('DF-6: after a stop nothing is taken until a barrier without one', () => {
  const stopped = play(at(opened, ...took(5)), barrier(11, 'yes'), polled(batch(6)))
  expect(words(stopped.effects)).toEqual(['seal 11'])
  expect(waitingOf(stopped.state)).toBe('stopped')
  const done = play(stopped.state, sealed(11), ...committed(11))
  expect(words(done.effects)).not.toContain('invoke')
  const again = play(done.state, barrier(12))
  expect(words(again.effects)).toEqual(['seal 12', 'invoke'])
})

test('DF-7: a barrier that is not above all before it is dropped', () => {
  for (const value of [9, 10, 11]) {
    expect(play(waiting, barrier(value))).toEqual({ state: waiting, effects: [] })
  }
  expect(play(at(opened), barrier(10)).effects).toEqual([])
})

describe('DF-8: what is stale is told so', () => {
  const old = [
    { ...stamp, leaderEpoch: e(6) },
    { ...stamp, attempt: a(2) },
  ]
  test.each(old)('%o', (lower) => {
    const staleEvents: TaskEvent[] = [
      { ...lower, kind: 'barrier', checkpoint: n(99), stop: 'no' },
      commit(11, lower),
      abort(11, lower),
      { ...lower, kind: 'stop-tasks' },
    ]
    for (const event of staleEvents) {
      const step = play(waiting, event)
      expect(step.state).toBe(waiting)
      expect(step.effects).toEqual([
        { kind: 'send', message: { kind: 'stale', leaderEpoch: 7n, pipeline, attempt: 3n } },
      ])
    }
  })

  test('a higher leader epoch stands in every later message', () => {
    const step = play(waiting, commit(11, { ...stamp, leaderEpoch: e(8) }))
    expect(step.state.leaderEpoch).toBe(8n)
    expect(words(play(step.state, commit(11)).effects)).toEqual(['send stale'])
  })
})

test('DF-9: a Commit of what is committed is answered again', () => {
  const done = play(waiting, ...committed(11)).state
  expect(sentOf(play(done, commit(11)).effects, 'committed')).toMatchObject([
    { checkpoint: 11n, outcome: { kind: 'done' } },
  ])
  expect(sentOf(play(at(opened), commit(10)).effects, 'committed')).toHaveLength(1)
  expect(sentOf(play(opening, commit(10)).effects, 'committed')).toHaveLength(1)
  expect(play(play(waiting, commit(11)).state, commit(11)).effects).toEqual([])
})

test('DF-10: an unknown commit is tried again, later and later', () => {
  let step = play(waiting, commit(11))
  const pauses: number[] = []
  for (let tries = 0; tries < 10; tries += 1) {
    step = play(step.state, outcome(11, 0, 'unknown'))
    const wait = step.effects.find((effect) => effect.kind === 'wait')
    if (wait?.kind !== 'wait') throw new Error('no pause')
    pauses.push(wait.delayMs)
    step = play(step.state, { kind: 'tick', timer: wait.timer })
    expect(words(step.effects)).toEqual(['commit one'])
  }
  expect(pauses).toEqual([50, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000])
})

test('DF-11: a loss is told at once, and nothing is sealed after it', () => {
  const one = play(waiting, commit(11), outcome(11, 0, 'lost'))
  expect(sentOf(one.effects, 'committed')).toMatchObject([
    { outcome: { kind: 'lost', lost: [{ sink: 'one', checkpoint: 11n }] } },
  ])
  const both = play(one.state, outcome(11, 1, 'committed'), barrier(12))
  expect(words(both.effects)).toEqual(['send committed'])
  expect(words(play(both.state, commit(11), linkUp).effects)).toEqual([
    'send committed',
    'send committed',
  ])
  expect(words(play(both.state, abort(undefined)).effects)).toEqual(['close-reader', 'close'])
})

test('DF-12: who loses the leader keeps what is sealed, and waits', () => {
  const again = play(waiting, linkUp)
  expect(again.state).toBe(waiting)
  expect(reportOf(again.state)).toMatchObject({ lastBarrier: 11n, sealing: 'yes' })
  expect(words(play(waiting, superseded).effects)).toEqual(['close-reader', 'close'])
})

test('DF-13: a failed task still commits what was decided', () => {
  const failed = play(waiting, stepFailed('invoke'))
  expect(words(failed.effects)).toEqual(['close-reader', 'send task-failed'])
  expect(words(play(failed.state, barrier(12), polled(batch(9))).effects)).toEqual([])
  const done = play(
    failed.state,
    commit(11),
    outcome(11, 0, 'unknown'),
    outcome(11, 1, 'committed'),
  )
  const retry = play(done.state, { kind: 'tick', timer: timerOf(done.effects) })
  expect(words(retry.effects)).toEqual(['commit one'])
  expect(words(play(retry.state, outcome(11, 0, 'committed')).effects)).toContain('send committed')
})

function timerOf(effects: readonly TaskEffect[]) {
  const wait = effects.find((effect) => effect.kind === 'wait')
  return wait?.kind === 'wait' ? wait.timer : expect.fail('no pause')
}

describe('DF-14: an ending task waits for the calls in flight', () => {
  test('a batch, a seal and a commit', () => {
    const busy = play(at(opened, ...took(5)), barrier(11), polled(batch(6)), superseded)
    expect(busy.state.kind).toBe('ending')
    expect(words(play(busy.state, invoked()).effects)).toEqual([])
    expect(words(play(busy.state, sealed(11), stepFailed('invoke')).effects)).toEqual(['close'])
  })

  test('the opening', () => {
    expect(words(play(opening, superseded, opened).effects).slice(-1)).toEqual(['close'])
    expect(words(play(opening, superseded, stepFailed('open')).effects).slice(-1)).toEqual([
      'close',
    ])
  })

  test('after the bound it closes, and leaves the seal in flight to RESOLVE', () => {
    const told = play(at(opened, ...took(5)), barrier(11), abort(11))
    expect(words(told.effects)).toContain('wait end 10000')
    const closing = play(told.state, { kind: 'tick', timer: { kind: 'end' } })
    expect(words(closing.effects)).toEqual(['close'])
    expect(play(closing.state, sealed(11)).effects).toEqual([])
  })
})

test('DF-15: a new stream hears what the old one may have lost', () => {
  expect(words(play(at(opened), linkUp).effects)).toEqual(['send task-started'])
  expect(words(play(waiting, linkUp).effects)).toEqual(['send sealed'])
  const done = play(waiting, ...committed(11)).state
  expect(words(play(done, linkUp).effects)).toEqual(['send committed'])
})

test('DF-16: an empty checkpoint needs no sink to be confirmed', () => {
  const empty = at(opened, barrier(11), sealed(11, 'empty'))
  expect(words(play(empty, commit(11)).effects)).toEqual(['send committed', 'publish'])
})

describe('DF-17: the memory of a worker only grows', () => {
  const message = (attempt: number, leader: number): LeaderMessage => ({
    kind: 'stop-tasks',
    pipeline,
    attempt: a(attempt),
    leaderEpoch: e(leader),
  })
  const known = admit(freshMemory(e(0)), message(3, 7))
  const memory = known.kind === 'admitted' ? known.memory : expect.fail('refused')

  test('lower is refused with what is known', () => {
    for (const lower of [message(2, 7), message(3, 6), message(9, 6)]) {
      expect(admit(memory, lower)).toEqual({
        kind: 'refused',
        answer: { kind: 'stale', leaderEpoch: 7n, pipeline, attempt: 3n },
      })
    }
    expect(admit(memory, { kind: 'heartbeat', leaderEpoch: e(6) })).toMatchObject({
      answer: { pipeline: undefined, leaderEpoch: 7n },
    })
  })

  test('equal is admitted, higher is remembered', () => {
    expect(admit(memory, message(3, 7))).toEqual({ kind: 'admitted', memory })
    const higher = admit(memory, message(4, 8))
    expect(higher).toMatchObject({ memory: { leaderEpoch: 8n } })
    const other = admit(memory, { ...message(1, 7), pipeline: pipelineUid('pipeline2') } as never)
    expect(other.kind).toBe('admitted')
  })

  test('an Abort teaches the attempt it stored, and may come twice', () => {
    const order: LeaderMessage = {
      ...stamp,
      kind: 'abort',
      pipeline,
      next: a(4),
      checkpoint: n(11),
      revision: revision(9n),
    }
    const taught = admit(memory, order)
    const after = taught.kind === 'admitted' ? taught.memory : expect.fail('refused')
    expect(after.attempts.get(pipeline)).toBe(4n)
    expect(admit(after, order).kind).toBe('admitted')
    expect(admit(after, message(3, 7)).kind).toBe('refused')
  })
})
