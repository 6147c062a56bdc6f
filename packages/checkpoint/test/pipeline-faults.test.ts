import {
  both,
  committing,
  completed,
  deciding,
  only2,
  ours,
  putOf,
  refused,
  request,
  resolved,
  running,
  seal,
  sealing,
  sends,
  sent,
  theirs,
  twoPartitions,
} from './two-tasks.ts'

// Executions that must fail safely: lost answers, lost workers, lost transactions.

import { failure, subtask } from '@onceflow/model'
import { describe, expect, test } from 'vitest'
import { decodeRecord, keys, type PipelineEvent } from '../src/index.ts'
import {
  a,
  applied,
  broke,
  committed,
  docOf,
  document,
  ended,
  live,
  n,
  play,
  position,
  r,
  resolveAborted,
  resolveCommitted,
  said,
  settings,
  specOf,
  started,
  tick,
  txn,
  uid,
  unknown,
  wanted,
  words,
  workers,
} from './pipeline-fixture.ts'

describe('an outcome that is not known', () => {
  test('fault-007, CK-12: P6 without an answer goes out again unchanged, and nothing else does', () => {
    const decided = request(play(sealing, seal(0, 5), seal(1, 6)).effects)
    const waits = play(deciding, txn(unknown), both, said('w1', wanted()))
    expect(words(waits.all)).toEqual([])
    const again = play(waits.state, { nowMs: 1_000, event: tick })
    expect(request(again.effects)).toEqual(decided)
  })

  test('fault-006, CK-3: the record found with our own value is our decision, at its first revision', () => {
    const key = keys.recordKey(uid, n(1))
    const value = putOf(request(play(sealing, seal(0, 5), seal(1, 6)).effects), key)
    const found = { key, value, created: r(41), modified: r(43) }
    const step = play(deciding, txn(unknown), refused(ours, undefined, found))
    expect(sent(step.effects, 'commit').revision).toBe(r(41))
  })

  test('fault-011, CK-12: refused under another leader means to stand down and to say nothing', () => {
    const step = play(deciding, refused(theirs, undefined, undefined))
    expect(words(step.effects)).toEqual(['stand-down'])
    expect(words(play(step.state, both, tick, seal(0, 5), txn(applied(99))).all)).toEqual([])
  })

  test('R3: the Txn of a new attempt is settled by itself, never by reading', () => {
    const lost = play(sealing, only2)
    const again = play(lost.state, txn(unknown), { nowMs: 1_000, event: tick })
    expect(request(again.effects)).toEqual(request(lost.effects))
  })
})

describe('a worker is lost', () => {
  test('fault-025, CK-5: with n undecided, Abort names n only after attempt a+1 is stored', () => {
    const lost = play(sealing, seal(0, 5), only2)
    const key = keys.recordKey(uid, n(1))
    expect(request(lost.effects).compares).toContainEqual({ kind: 'absent', key })
    expect(sends(lost.effects)).toEqual([])
    const stored = play(lost.state, txn(applied(30)))
    expect(sent(stored.effects, 'abort')).toMatchObject({ checkpoint: 1n, next: 2n, revision: 30n })
    expect(words(stored.effects)).toEqual(['abort to w2'])
  })

  test('CK-5: n that was given up while no worker lived is named when one is back', () => {
    const none = play(sealing, said('w1', started(0)), workers())
    expect(none.state.phase.kind).toBe('waiting')
    const back = play(none.state, only2)
    const key = keys.recordKey(uid, n(1))
    expect(request(back.effects).compares).toContainEqual({ kind: 'absent', key })
  })

  test('fault-026, CK-16: while P6 is under way the loss waits, and RESOLVE finishes what it decided', () => {
    const waits = play(deciding, only2)
    expect(words(waits.effects)).toEqual([])
    const decided = play(waits.state, txn(applied(23)))
    expect(words(decided.effects)).toEqual(['recovery-started', 'txn'])
    const stored = play(decided.state, txn(applied(30)), said('w2', ended))
    const { open } = sent(stored.effects, 'resolve-commit')
    expect(open.map(({ checkpoint, handles }) => [checkpoint, handles.length])).toEqual([[1n, 2]])
  })

  test('CK-4: what was confirmed and not stored yet rides on the attempt', () => {
    const lost = play(completed, only2)
    const text = putOf(request(lost.effects), keys.recordKey(uid, n(1)))
    expect(decodeRecord(text).state).toBe('completed')
  })

  test('CK-20: the last worker drains: stop, commit, COMPLETED stored on its own', () => {
    const one = workers(live('w1', 'draining'), live('w2', 'draining'))
    const stop = play(running, one)
    expect(sent(stop.effects, 'inject-barrier').stop).toBe('yes')
    const over = play(
      stop.state,
      seal(0, 5),
      seal(1, 6),
      txn(applied(23)),
      said('w1', committed(1, 0)),
      said('w2', committed(1, 1)),
      said('w1', ended),
      said('w2', ended),
    )
    expect(over.state.phase).toEqual({ kind: 'waiting', reason: 'workers' })
    expect(words(over.effects)).toEqual(['txn complete'])
  })
})

describe('RESOLVE', () => {
  const resolving = play(committing, only2, txn(applied(30)), said('w2', ended)).state

  test('its order goes to another worker when its worker is lost, in the same attempt (R4, CK-18)', () => {
    const moved = play(resolving, workers(live('w3')))
    expect(words(moved.effects)).toEqual(['resolve-commit to w3'])
    expect(sent(moved.effects, 'resolve-commit').attempt).toBe(a(2))
    const twice = play(
      moved.state,
      said('w3', resolveCommitted, { attempt: 2 }),
      said('w2', resolveCommitted, { attempt: 2 }),
    )
    expect(words(twice.all)).toEqual(['txn'])
  })

  test('a silent worker is waited for as long as orderMs, then asked again (CK-13)', () => {
    const late = play(resolving, { nowMs: settings.orderMs, event: tick })
    expect(words(late.effects)).toEqual(['resolve-commit to w2'])
  })

  test('a sink that cannot be reached is tried again in the same attempt, with a pause (CK-18)', () => {
    const failed = play(
      resolving,
      said(
        'w2',
        { kind: 'resolve-committed', outcome: { kind: 'failed', failure: broke() } },
        { attempt: 2 },
      ),
    )
    expect(words(failed.effects)).toEqual([])
    const again = play(failed.state, { nowMs: 100, event: tick })
    expect(words(again.effects)).toEqual(['resolve-commit to w2'])
  })

  test('fault-058: what it knows holds completed records too, so an un-committed one is found', () => {
    const lost = play(completed, only2, txn(applied(30)), said('w2', ended))
    const { known, open } = sent(lost.effects, 'resolve-commit')
    expect(known.map(({ checkpoint, state }) => [checkpoint, state])).toEqual([
      [0n, 'completed'],
      [1n, 'completed'],
    ])
    expect(open).toEqual([])
  })

  test('scale-in: handles and heads of a subtask that the new spec lacks are settled and kept (CK-9)', () => {
    const doc = docOf({ generation: 2, spec: specOf({ parallelism: 1 }) })
    const lost = play(committing, document(doc), only2, txn(applied(30)), said('w2', ended))
    const { open, spec } = sent(lost.effects, 'resolve-commit')
    expect(spec.parallelism).toBe(undefined)
    expect(open.flatMap(({ handles }) => handles.map((handle) => handle.subtask))).toEqual([0, 1])
    const one = play(
      lost.state,
      said('w2', resolveCommitted, { attempt: 2 }),
      txn(applied(31)),
      said('w2', resolveAborted, { attempt: 2 }),
      txn(applied(32)),
      said('w2', twoPartitions, { attempt: 2 }),
      txn(applied(33)),
      ...resolved(3, 'w2', 34),
    )
    const start = sent(one.effects, 'start-task')
    expect(start.positions).toEqual([position(5, 0), position(6, 1)])
    expect(start.heads.map((head) => [head.subtask, head.checkpoint])).toEqual([
      [0, 1n],
      [1, 1n],
    ])
  })

  test('CK-7: phase two carries the revision at which phase one was stored', () => {
    const two = play(resolving, said('w2', resolveCommitted, { attempt: 2 }), txn(applied(35)))
    expect(sent(two.effects, 'resolve-abort').revision).toBe(r(35))
  })
})

describe('CK-17: a loss', () => {
  const lostTxn = {
    sink: specOf().sinks[0]?.name ?? expect.fail(),
    subtask: subtask(1),
    checkpoint: n(1),
    failure: failure('DATA_LOSS', { detail: 'rolled back by hand' }),
  }
  const saysLost = said('w1', {
    kind: 'committed',
    subtask: subtask(1),
    checkpoint: n(1),
    outcome: { kind: 'lost', lost: [lostTxn] },
    commitMs: 1,
  })
  const byOwner: PipelineEvent =
    saysLost.kind === 'message' ? { ...saysLost, from: 'w2' } : saysLost
  const resolvedLost = play(
    committing,
    byOwner,
    txn(applied(30)),
    said('w1', ended),
    said('w2', ended),
    said(
      'w1',
      { kind: 'resolve-committed', outcome: { kind: 'lost', lost: [lostTxn] } },
      { attempt: 2 },
    ),
  )
  const missing = said(
    'w1',
    { kind: 'resolve-aborted', outcome: { kind: 'lost', lost: [lostTxn] } },
    { attempt: 2 },
  )
  const parked = play(resolvedLost.state, txn(applied(31)), missing, txn(applied(32))).state

  test('fault-064: the record becomes LOST and the pipeline stops with DATA_LOSS', () => {
    const sentTxn = request(resolvedLost.effects)
    expect(decodeRecord(putOf(sentTxn, keys.recordKey(uid, n(1)))).state).toBe('lost')
    expect(putOf(sentTxn, keys.statusKey(uid))).toContain('DATA_LOSS')
    expect(parked.phase).toEqual({ kind: 'parked', reason: 'stopped' })
  })

  test('a resume starts no task while RESOLVE finds the head missing', () => {
    const again = play(
      parked,
      document(docOf()),
      txn(applied(40)),
      said('w1', resolveCommitted, { attempt: 3 }),
      said(
        'w1',
        { kind: 'resolve-aborted', outcome: { kind: 'lost', lost: [lostTxn] } },
        { attempt: 3 },
      ),
      txn(applied(41)),
    )
    expect(again.state.phase).toEqual({ kind: 'parked', reason: 'stopped' })
    expect(words(again.all).filter((word) => word.startsWith('start-task'))).toEqual([])
  })

  test('CK-10, CK-17: a new spec leaves a wrong target behind, and is held to all heads itself', () => {
    const settling = play(
      parked,
      document(docOf({ generation: 2 })),
      txn(applied(40)),
      said('w1', resolveCommitted, { attempt: 3 }),
    )
    expect(sent(settling.effects, 'resolve-abort').heads).toEqual([])
    const next = play(
      settling.state,
      said('w1', resolveAborted, { attempt: 3 }),
      txn(applied(41)),
      said('w1', twoPartitions, { attempt: 3 }),
      txn(applied(42)),
      said('w1', resolveCommitted, { attempt: 4 }),
    )
    expect(sent(next.effects, 'resolve-abort').heads).toHaveLength(2)
    const again = play(
      next.state,
      said(
        'w1',
        { kind: 'resolve-aborted', outcome: { kind: 'lost', lost: [lostTxn] } },
        { attempt: 4 },
      ),
      txn(applied(43)),
    )
    expect(again.state.phase).toEqual({ kind: 'parked', reason: 'stopped' })
    expect(words(again.all).filter((word) => word.startsWith('start-task'))).toEqual([])
  })

  test('CK-14: a deletion ends all the same: it asks for no head', () => {
    const deleting = play(
      parked,
      document(docOf({ desired: 'deleted' })),
      txn(applied(40)),
      said('w1', resolveCommitted, { attempt: 3 }),
    )
    expect(sent(deleting.effects, 'resolve-abort').heads).toEqual([])
  })
})
