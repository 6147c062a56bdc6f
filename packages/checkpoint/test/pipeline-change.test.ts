import { subtask } from '@onceflow/model'
import { describe, expect, test } from 'vitest'
import { keys, type PipelineEvent, type PipelineState } from '../src/index.ts'
import {
  type At,
  applied,
  broke,
  committed,
  created,
  docOf,
  document,
  ended,
  inspected,
  live,
  partition,
  play,
  position,
  said,
  sealed,
  settings,
  specOf,
  started,
  tick,
  txn,
  uid,
  wanted,
  words,
  workers,
} from './pipeline-fixture.ts'

import {
  both,
  completed,
  putOf,
  recordOf,
  request,
  resolved,
  running,
  seal,
  sent,
  twoPartitions,
} from './two-tasks.ts'

// Failures, and what changes while something else is under way.

describe('failures', () => {
  const fails = (state: PipelineState, attempt: number, nowMs: number) =>
    play(state, {
      nowMs,
      event: said(
        'w1',
        { kind: 'task-failed', subtask: subtask(0), failure: broke('UNEXPECTED') },
        { attempt },
      ),
    })

  test('CK-18: the pause grows, and one failure too many stops the pipeline', () => {
    let state = running
    const pauses: number[] = []
    for (let attempt = 1; state.phase.kind !== 'parked'; attempt += 1) {
      const nowMs = attempt * 100_000
      const failed = fails(state, attempt, nowMs)
      pauses.push(Math.max(0, failed.state.core.restarts.notBeforeMs - nowMs))
      const at = (event: PipelineEvent): At => ({ nowMs: nowMs + 50_000, event })
      state = play(
        failed.state,
        at(tick),
        at(txn(applied(100 + attempt))),
        at(said('w1', ended)),
        at(said('w2', ended)),
        ...resolved(attempt + 1, 'w1', 200 + attempt).map(at),
        ...[started(0)].map((text) => at(said('w1', text, { attempt: attempt + 1 }))),
        ...[started(1)].map((text) => at(said('w2', text, { attempt: attempt + 1 }))),
      ).state
    }
    expect(pauses.slice(0, 4)).toEqual([0, 100, 200, 400])
    expect(Math.max(...pauses)).toBe(settings.backOffMaxMs)
    expect(pauses.length).toBe(settings.restartsMax + 1)
    expect(state.core.status?.failure.code).toBe('RESTARTS_EXHAUSTED')
  })

  test('CK-8: a seal below the stored position is never decided', () => {
    const back = play(
      completed,
      { nowMs: 300, event: said('w1', wanted()) },
      seal(0, 4, 2),
      seal(1, 6, 2),
    )
    expect(words(back.effects)).toEqual(['aborted', 'recovery-started', 'txn'])
  })

  test('CK-8: a partition that no task sealed keeps its position', () => {
    const bare = said('w1', sealed(2, 0, { positions: [], handles: [] }))
    const next = play(completed, { nowMs: 300, event: said('w1', wanted()) }, bare, seal(1, 7, 2))
    expect(new Set(recordOf(next.state).positions)).toEqual(
      new Set([position(5, 0), position(7, 1)]),
    )
  })
})

describe('what changes meanwhile', () => {
  const starting = play(
    created(),
    both,
    said('w1', twoPartitions, { attempt: 0 }),
    txn(applied(20)),
    ...resolved(1, 'w1', 21),
  ).state
  const start = [said('w1', started(0)), said('w2', started(1)), txn(applied(22), 'reserve')]

  test.each([
    ['a pause', document(docOf({ desired: 'paused' }))],
    ['a deletion', document(docOf({ desired: 'deleted' }))],
    ['a new spec', document(docOf({ generation: 2 }))],
    ['a drain', workers(live('w1', 'draining'), live('w2'))],
  ])('CK-13, CK-20: %s while tasks start is acted upon as soon as they run', (_name, event) => {
    const step = play(starting, event, ...start, tick)
    expect(sent(step.all, 'inject-barrier').stop).toBe('yes')
  })

  test('CK-13: a barrier that a task wants while another one starts is not forgotten', () => {
    const step = play(starting, said('w1', wanted()), ...start, { nowMs: 100, event: tick })
    expect(words(step.effects)).toContain('inject-barrier to w1')
  })

  test('CK-10: a new spec is run only after the old one was settled', () => {
    const respec = document(docOf({ generation: 2, spec: specOf({ parallelism: 1 }) }))
    const stop = play(
      running,
      respec,
      seal(0, 5),
      seal(1, 6),
      txn(applied(23)),
      said('w1', committed(1, 0)),
      said('w2', committed(1, 1)),
      said('w1', ended),
      said('w2', ended),
    )
    expect(stop.state.phase).toMatchObject({ assignment: { goal: 'settle', tasks: [] } })
  })

  test('CK-11: the answer to an inspection of an older spec is not taken for the new one', () => {
    const inspecting = play(created(), both).state
    const newer = document(docOf({ generation: 2, spec: specOf({ parallelism: 1 }) }))
    const step = play(inspecting, newer, said('w1', twoPartitions, { attempt: 0 }))
    expect(words(step.effects)).toEqual(['inspect to w1'])
    expect(step.state.phase.kind).toBe('inspecting')
  })

  test('CK-13: a source without a partition stops the pipeline, and says so', () => {
    const step = play(created(), both, said('w1', inspected(), { attempt: 0 }))
    expect(putOf(request(step.effects), keys.statusKey(uid))).toContain('TOPIC_MISSING')
  })

  test('CK-19, fault-082: new partitions join only past the ends of the old ones', () => {
    const grown = said('w1', inspected(partition(0, 9), partition(1, 6), partition(2, 4)))
    const before = play(running, grown)
    expect(before.state.phase).toMatchObject({ stopWanted: undefined })
    const passed = play(
      before.state,
      { nowMs: 100, event: said('w1', wanted()) },
      seal(0, 9),
      seal(1, 6),
      txn(applied(23)),
      said('w1', committed(1, 0)),
      said('w2', committed(1, 1)),
    )
    expect(sent(passed.effects, 'inject-barrier').stop).toBe('yes')
    const joined = play(
      passed.state,
      seal(0, 9, 2),
      seal(1, 6, 2),
      txn(applied(24)),
      said('w1', committed(2, 0)),
      said('w2', committed(2, 1)),
      said('w1', ended),
      said('w2', ended),
    )
    expect(joined.state.phase).toMatchObject({ assignment: { added: [position(0, 2)] } })
  })

  test('CK-19: old partitions that stand at their ends already need no record more', () => {
    const grown = said('w1', inspected(partition(0), partition(1), partition(2, 4)))
    expect(play(running, grown).state.phase).toMatchObject({ stopWanted: 'growth' })
  })

  test('CK-19: a topic that a new spec selects is read from its start, one that it dropped is not', () => {
    const topics = { kind: 'list', topics: ['u'] } as const
    const spec = specOf({ source: { ...specOf().source, topics } })
    const respec = play(
      completed,
      document(docOf({ generation: 2, spec })),
      seal(0, 5, 2),
      seal(1, 6, 2),
      txn(applied(24)),
      said('w1', committed(2, 0)),
      said('w2', committed(2, 1)),
      said('w1', ended),
      said('w2', ended),
      txn(applied(25)),
      said('w1', ended, { attempt: 2 }),
      said('w2', ended, { attempt: 2 }),
      ...resolved(2, 'w1', 26),
      said('w1', inspected({ ...partition(0, 9, 'u'), start: 4n }), { attempt: 2 }),
      txn(applied(27)),
      ...resolved(3, 'w1', 28),
    )
    expect(sent(respec.effects, 'start-task').positions).toEqual([position(4, 0, 'u')])
    const after = play(
      respec.state,
      said('w1', started(0), { attempt: 3 }),
      { nowMs: 900, event: said('w1', wanted(), { attempt: 3 }) },
      said('w1', sealed(3, 0, { positions: [position(8, 0, 'u')] }), { attempt: 3 }),
    )
    const { positions, joined } = recordOf(after.state)
    expect(new Set(positions)).toEqual(
      new Set([position(8, 0, 'u'), position(5, 0), position(6, 1)]),
    )
    expect(joined).toContainEqual(position(4, 0, 'u'))
  })
})
