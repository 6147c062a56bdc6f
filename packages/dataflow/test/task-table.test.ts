import { describe, expect, test } from 'vitest'
import type { TaskEvent, TaskState } from '../src/index.ts'
import {
  abort,
  at,
  barrier,
  batch,
  commit,
  invoked,
  linkUp,
  n,
  opening,
  outcome,
  play,
  polled,
  sealed,
  sinks,
  stepFailed,
  stopTasks,
  superseded,
  words,
} from './task-fixture.ts'

// Every situation against every event. A missing cell is a type error.

const opened: TaskEvent = { kind: 'opened' }
const running = at(opened)
const invoking = at(opened, polled(batch(1)))
const sealing = at(opened, polled(batch(1)), invoked(), barrier(11))
const waiting = play(sealing, sealed(11)).state
const committing = play(waiting, commit(11), outcome(11, 1, 'unknown')).state
const confirmed = play(
  waiting,
  commit(11),
  outcome(11, 0, 'committed'),
  outcome(11, 1, 'committed'),
)

const situations = {
  opening,
  running,
  invoking,
  full: play(invoking, invoked('full')).state,
  sealing,
  sealed: waiting,
  committing,
  confirmed: confirmed.state,
  stopped: at(opened, barrier(11, 'yes')),
  failed: play(waiting, stepFailed('poll')).state,
  ending: play(sealing, superseded).state,
  closing: play(running, superseded).state,
  ended: play(running, superseded, { kind: 'closed' }).state,
} satisfies Record<string, TaskState>
type Situation = keyof typeof situations

const events = {
  opened,
  polled: polled(batch(9, 1, 1)),
  'barrier 12': barrier(12),
  'sink one committed 11': outcome(11, 0, 'committed'),
  'commit 11': commit(11),
  'abort 11': abort(11),
  'stop-tasks': stopTasks,
  superseded,
  'link-up': linkUp,
  'poll failed': stepFailed('poll'),
  'tick commit': {
    kind: 'tick',
    timer: { kind: 'commit', sink: sinks[1] ?? expect.fail(), checkpoint: n(11) },
  },
  'tick end': { kind: 'tick', timer: { kind: 'end' } },
  closed: { kind: 'closed' },
} satisfies Record<string, TaskEvent>
type EventName = keyof typeof events

const to = (kind: TaskState['kind'] | '=', ...effects: readonly string[]) => ({ kind, effects })
type Cell = ReturnType<typeof to>
const nothing = to('=')

const failedWith = to('failed', 'close-reader', 'send task-failed')
const closes = to('closing', 'close-reader', 'close')
const waits = to('ending', 'close-reader', 'wait end 10000')
const over: Record<EventName, Cell> = {
  opened: nothing,
  polled: nothing,
  'barrier 12': nothing,
  'sink one committed 11': nothing,
  'commit 11': nothing,
  'abort 11': nothing,
  'stop-tasks': nothing,
  superseded: nothing,
  'link-up': nothing,
  'poll failed': nothing,
  'tick commit': nothing,
  'tick end': nothing,
  closed: nothing,
}
const flowing: Record<EventName, Cell> = {
  ...over,
  'poll failed': failedWith,
  'abort 11': closes,
  'stop-tasks': closes,
  superseded: closes,
}

const table: Record<Situation, Record<EventName, Cell>> = {
  opening: {
    ...over,
    opened: to('running', 'send task-started', 'poll'),
    'poll failed': failedWith,
    'abort 11': waits,
    'stop-tasks': waits,
    superseded: waits,
  },
  running: {
    ...flowing,
    polled: to('=', 'invoke'),
    'barrier 12': to('=', 'seal 12'),
    'link-up': to('=', 'send task-started'),
  },
  invoking: {
    ...flowing,
    'link-up': to('=', 'send task-started'),
    'abort 11': waits,
    'stop-tasks': waits,
    superseded: waits,
  },
  full: {
    ...flowing,
    'barrier 12': to('=', 'seal 12', 'poll'),
    'link-up': to('=', 'send task-started', 'send barrier-wanted'),
  },
  sealing: {
    ...flowing,
    polled: to('=', 'invoke'),
    'abort 11': waits,
    'stop-tasks': waits,
    superseded: waits,
  },
  sealed: {
    ...flowing,
    polled: to('=', 'invoke'),
    'commit 11': to('=', 'commit one', 'commit two'),
    'abort 11': to('closing', 'close-reader', 'close and roll back 11'),
    'link-up': to('=', 'send sealed'),
  },
  committing: {
    ...flowing,
    polled: to('=', 'invoke'),
    'tick commit': to('=', 'commit two'),
    'abort 11': waits,
    'stop-tasks': waits,
    superseded: waits,
  },
  confirmed: {
    ...flowing,
    polled: to('=', 'invoke'),
    'barrier 12': to('=', 'seal 12'),
    'commit 11': to('=', 'send committed'),
    'link-up': to('=', 'send committed'),
  },
  stopped: {
    ...flowing,
    'abort 11': waits,
    'stop-tasks': waits,
    superseded: waits,
  },
  failed: {
    ...over,
    'commit 11': to('=', 'commit one', 'commit two'),
    'abort 11': to('closing', 'close-reader', 'close and roll back 11'),
    'stop-tasks': closes,
    superseded: closes,
    'link-up': to('=', 'send task-failed'),
  },
  ending: { ...over, 'tick end': to('closing', 'close') },
  closing: { ...over, closed: to('ended') },
  ended: over,
}

describe.each(Object.entries(situations) as [Situation, TaskState][])('%s', (situation, state) => {
  test.each(Object.entries(events) as [EventName, TaskEvent][])('on %s', (name, event) => {
    const step = play(state, event)
    const expected = table[situation][name]
    const kind = step.state.kind === state.kind ? '=' : step.state.kind
    expect({ kind, effects: words(step.effects) }).toEqual(expected)
  })
})
