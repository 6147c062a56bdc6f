import { describe, expect, test } from 'vitest'
import type { PipelineState } from '../src/index.ts'
import {
  type At,
  applied,
  broke,
  committed,
  docOf,
  document,
  ended,
  live,
  play,
  position,
  resolveAborted,
  resolveCommitted,
  said,
  sealed,
  started,
  tick,
  txn,
  unknown,
  wanted,
  words,
  workers,
} from './pipeline-fixture.ts'
import { first, message, situations, taskFailed } from './situations.ts'

// Every phase against every event. A missing cell is a type error.

type Situation = keyof typeof situations

const events = {
  tick,
  'much later': { nowMs: 120_000, event: tick },
  'worker stays': workers(live('w1')),
  'worker lost': workers(live('w2')),
  'worker drains': workers(live('w1', 'draining'), live('w2')),
  'w1 back': { kind: 'reconnected', worker: 'w1', tasks: [] },
  inspected: message(first, 0),
  'inspected now': message(first, 1),
  'inspection failed': message(
    {
      kind: 'inspected',
      result: { kind: 'failed', failures: [broke('PREFLIGHT_FAILED')] },
    },
    0,
  ),
  'resolve-committed 1': message(resolveCommitted),
  'resolve cannot reach': message({
    kind: 'resolve-committed',
    outcome: { kind: 'failed', failure: broke() },
  }),
  'resolve refused': message({
    kind: 'resolve-aborted',
    outcome: { kind: 'failed', failure: broke('SINK_AHEAD') },
  }),
  'resolve-aborted 1': message(resolveAborted),
  'task-started': message(started(0)),
  'task-failed': message(taskFailed),
  sealed: message(sealed(1, 0, { positions: [position(5)] })),
  'sealed by another': said('w2', sealed(1, 0, { positions: [position(5)] })),
  committed: message(committed(1, 0)),
  wanted: message(wanted('full')),
  'tasks-ended': message(ended),
  applied: txn(applied(50)),
  unknown: txn(unknown),
  pause: document(docOf({ desired: 'paused' })),
  delete: document(docOf({ desired: 'deleted' })),
  'checkpoint-wanted': { kind: 'checkpoint-wanted' },
} satisfies Record<string, At>
type EventName = keyof typeof events

const to = (kind: string, ...effects: readonly string[]) => ({ kind, effects })
type Cell = ReturnType<typeof to>

const nothing = Object.fromEntries(Object.keys(events).map((name) => [name, to('=')])) as {
  readonly [Name in EventName]: Cell
}

const table: Record<Situation, Record<EventName, Cell>> = {
  waiting: {
    ...nothing,
    tick: to('=', 'txn reserve'),
    'much later': to('=', 'txn reserve'),
    'worker stays': to('inspecting', 'inspect to w1'),
    'worker lost': to('inspecting', 'inspect to w2'),
    'worker drains': to('inspecting', 'inspect to w2'),
    pause: to('parked'),
    delete: to('storing-gone', 'txn'),
  },
  'backing off': {
    ...nothing,
    'much later': to('storing-attempt', 'txn'),
  },
  inspecting: {
    ...nothing,
    'much later': to('=', 'inspect to w1'),
    'worker lost': to('=', 'inspect to w2'),
    'w1 back': to('=', 'inspect to w1'),
    inspected: to('storing-attempt', 'txn'),
    'inspection failed': to('storing-status', 'txn'),
    pause: to('parked'),
    delete: to('storing-gone', 'txn'),
  },
  'storing-attempt': {
    ...nothing,
    applied: to('resolving-commit', 'resolve-commit to w1'),
  },
  quiescing: {
    ...nothing,
    'much later': to('resolving-commit', 'resolve-commit to w1'),
    'worker lost': to('resolving-commit', 'resolve-commit to w2'),
    'w1 back': to('=', 'abort to w1'),
    'tasks-ended': to('resolving-commit', 'resolve-commit to w1'),
  },
  'resolving-commit': {
    ...nothing,
    'much later': to('=', 'resolve-commit to w1'),
    'worker lost': to('=', 'resolve-commit to w2'),
    'w1 back': to('=', 'resolve-commit to w1'),
    'resolve-committed 1': to('resolving-abort', 'resolve-abort to w1'),
  },
  'storing-completed': {
    ...nothing,
    applied: to('resolving-abort', 'resolve-abort to w1'),
  },
  'resolving-abort': {
    ...nothing,
    'much later': to('=', 'resolve-abort to w1'),
    'worker lost': to('=', 'resolve-abort to w2'),
    'w1 back': to('=', 'resolve-abort to w1'),
    'resolve refused': to('storing-status', 'txn'),
    'resolve-aborted 1': to('storing-resolved', 'txn'),
  },
  'storing-resolved': {
    ...nothing,
    applied: to('starting', 'start-task to w1'),
  },
  'storing-status': {
    ...nothing,
    applied: to('parked'),
  },
  starting: {
    ...nothing,
    'much later': to('storing-attempt', 'recovery-started', 'txn'),
    'worker lost': to('storing-attempt', 'recovery-started', 'txn'),
    'w1 back': to('=', 'start-task to w1'),
    'task-started': to('idle', 'inspect to w1', 'txn reserve'),
    'task-failed': to('storing-attempt', 'recovery-started', 'txn'),
  },
  idle: {
    ...nothing,
    'worker lost': to('storing-attempt', 'recovery-started', 'txn'),
    'worker drains': to('sealing', 'inject-barrier to w1'),
    'task-failed': to('storing-attempt', 'recovery-started', 'txn'),
    wanted: to('sealing', 'inject-barrier to w1'),
    pause: to('sealing', 'inject-barrier to w1'),
    delete: to('sealing', 'inject-barrier to w1'),
    'checkpoint-wanted': to('sealing', 'inject-barrier to w1'),
  },
  sealing: {
    ...nothing,
    'much later': to('storing-attempt', 'aborted', 'recovery-started', 'txn'),
    'worker lost': to('storing-attempt', 'aborted', 'recovery-started', 'txn'),
    'w1 back': to('=', 'inject-barrier to w1'),
    'task-failed': to('storing-attempt', 'aborted', 'recovery-started', 'txn'),
    sealed: to('deciding', 'txn'),
  },
  deciding: {
    ...nothing,
    applied: to('committing', 'commit to w1'),
  },
  committing: {
    ...nothing,
    'worker lost': to('storing-attempt', 'recovery-started', 'txn'),
    'w1 back': to('=', 'commit to w1'),
    'task-failed': to('storing-attempt', 'recovery-started', 'txn'),
    committed: to('idle', 'completed'),
  },
  ending: {
    ...nothing,
    'much later': to('storing-attempt', 'txn'),
    'worker lost': to('storing-attempt', 'txn'),
    'w1 back': to('=', 'stop-tasks to w1'),
    'tasks-ended': to('storing-attempt', 'txn'),
  },
  parked: {
    ...nothing,
    delete: to('storing-gone', 'txn'),
  },
  'storing-gone': {
    ...nothing,
    applied: to('gone', 'sweep'),
  },
  gone: {
    ...nothing,
  },
  deposed: {
    ...nothing,
  },
}

const kindOf = ({ phase }: PipelineState): string =>
  phase.kind === 'running' ? phase.checkpoint.kind : phase.kind

describe.each(Object.entries(situations) as [Situation, PipelineState][])('%s', (name, state) => {
  test.each(Object.entries(events) as [EventName, At][])('on %s', (event, at) => {
    const step = play(state, at)
    const kind = kindOf(step.state) === kindOf(state) ? '=' : kindOf(step.state)
    expect({ kind, effects: words(step.effects) }).toEqual(table[name][event])
  })
})
