import { pipelineName, pipelineUid } from '@onceflow/model'
import { ManualClock, MemoryMetadata } from '@onceflow/twins'
import { describe, expect, test } from 'vitest'
import { createTxn, decideTxn, goneTxn, keys, loadPipeline, retireTxn } from '../src/index.ts'
import {
  applied,
  cluster,
  docOf,
  ended,
  epoch,
  n,
  pipeline,
  play,
  position,
  r,
  resolveAborted,
  resolveCommitted,
  said,
  sealed,
  settings,
  txn,
  uid,
  words,
} from './pipeline-fixture.ts'

import { both, deciding, only2, recordOf, request, seal, sealing, term } from './two-tasks.ts'

// Hands that come late: old owners, old resolvers, old Txns, a leader that takes over.

describe('stale hands', () => {
  test('a paused resolver of attempt a wakes after a+1: its answers are dropped (CK-11)', () => {
    const second = play(sealing, only2, txn(applied(30)), said('w2', ended)).state
    expect(second.phase.kind).toBe('resolving-commit')
    const late = play(second, said('w1', resolveCommitted), said('w1', resolveAborted))
    expect(late.state).toEqual(second)
    expect(words(late.all)).toEqual([])
  })

  test('fault-031, CK-11: the old owner of a moved task seals, and is not counted', () => {
    const step = play(sealing, said('w2', sealed(1, 0, { positions: [position(5)] })), seal(1, 6))
    expect(step.state.phase).toMatchObject({ checkpoint: { kind: 'sealing' } })
  })

  test('fault-012, CK-11: a message of a former leader epoch is dropped', () => {
    const step = play(
      sealing,
      said('w1', sealed(1, 0, { positions: [] }), { attempt: 1, epoch: 6 }),
    )
    expect(step.state).toEqual(sealing)
  })

  test('a late P6 after a give-up is refused by the store (CK-5)', () => {
    const meta = stored()
    const first = attemptRevision(meta)
    const record = recordOf(deciding)
    const p6 = decideTxn({ ...term, attemptRevision: first }, record, noLast)
    const given = request(play(sealing, only2).effects)
    const mine = { kind: 'modified', key: keys.attemptKey(uid), revision: first } as const
    const compares = given.compares.map((item) => (item.kind === 'modified' ? mine : item))
    expect(meta.execute({ ...given, compares }).kind).toBe('applied')
    expect(meta.execute(p6).kind).toBe('refused')
  })

  test('a late P6 cannot store again what was retired meanwhile (CK-15)', () => {
    const meta = stored()
    const at = { ...term, attemptRevision: attemptRevision(meta) }
    const zero = { ...recordOf(deciding), checkpoint: n(0) }
    meta.execute(decideTxn(at, zero, noLast))
    const after = { record: zero, revision: meta.currentRevision() }
    const p6 = decideTxn(at, recordOf(deciding), { after, completes: undefined })
    expect(meta.execute(p6).kind).toBe('applied')
    const summaries = [zero, recordOf(deciding)].map((record) => ({
      ...record,
      state: 'completed',
    }))
    const retire = retireTxn(at, { mark: n(1), seen: undefined, summaries, forget: [] })
    expect(meta.execute(retire).kind).toBe('applied')
    expect(meta.execute(p6).kind).toBe('refused')
  })

  test('a retirement that comes late cannot take the mark back (CK-15)', () => {
    const meta = stored()
    const at = { ...term, attemptRevision: attemptRevision(meta) }
    const late = retireTxn(at, { mark: n(5), seen: undefined, summaries: [], forget: [] })
    expect(meta.execute(late).kind).toBe('applied')
    const seen = meta.currentRevision()
    const next = retireTxn(at, { mark: n(9), seen, summaries: [], forget: [] })
    expect(meta.execute(next).kind).toBe('applied')
    expect(meta.execute(late).kind).toBe('refused')
    expect(meta.get(keys.retiredKey(uid))?.value).toContain('"9"')
  })

  test('a re-created pipeline name is not freed by the deletion of the old one, sent twice (CK-14)', () => {
    const meta = stored()
    const gone = goneTxn({ ...term, attemptRevision: attemptRevision(meta) }, docOf())
    expect(meta.execute(gone).kind).toBe('applied')
    const other = pipelineUid('pipeline1')
    expect(meta.execute(createTxn(epoch, docOf({ uid: other }), 'x')).kind).toBe('applied')
    const attemptOfOld = meta.get(keys.attemptKey(uid))?.modified ?? r(0)
    expect(meta.execute(goneTxn({ ...term, attemptRevision: attemptOfOld }, docOf())).kind).toBe(
      'refused',
    )
    expect(meta.get(keys.nameKey(pipelineName(pipeline)))?.value).toBe(other)
  })
})

describe('taking over', () => {
  const load = (meta: MemoryMetadata) => {
    const { values } = meta.range({ prefix: keys.pipelinesPrefix, limit: 100 })
    const context = { cluster, leaderEpoch: epoch, settings, nowMs: 0 }
    return loadPipeline({ values, ids: undefined, historyKeys: [] }, context)
  }

  test('CK-14: a pipeline whose keys were half swept is gone, and is swept on', () => {
    const meta = stored(docOf({ desired: 'gone' }))
    meta.execute({
      compares: [],
      writes: [{ kind: 'delete', key: keys.attemptKey(uid) }],
      elseReads: [],
    })
    const state = load(meta) ?? expect.fail('it is loaded')
    expect(words(play(state, both).effects)).toEqual(['sweep'])
  })

  test('CK-1: numbers left over in the block of a former leader are skipped', () => {
    const meta = stored()
    const context = { cluster, leaderEpoch: epoch, settings, nowMs: 0 }
    const { values } = meta.range({ prefix: keys.pipelinesPrefix, limit: 100 })
    const ids = {
      key: keys.idsKey(uid),
      value: '{"v":1,"next":"1001"}',
      created: r(5),
      modified: r(5),
    }
    const state = loadPipeline({ values, ids, historyKeys: [] }, context)
    expect(state?.core.ids).toEqual({ next: 1001n, end: 1001n, seen: 5n })
  })
})

const noLast = { after: undefined, completes: undefined }

/** A store with our leader's key and one pipeline. */
function stored(doc = docOf()): MemoryMetadata {
  const meta = new MemoryMetadata(new ManualClock())
  const filler = {
    compares: [],
    writes: [{ kind: 'put', key: 'x', value: '' }],
    elseReads: [],
  } as const
  while (meta.currentRevision() < 6n) meta.execute(filler)
  const put = [{ kind: 'put', key: keys.leaderKey, value: '' }] as const
  meta.execute({ compares: [], writes: put, elseReads: [] })
  expect(meta.execute(createTxn(epoch, doc, 'first')).kind).toBe('applied')
  return meta
}

const attemptRevision = (meta: MemoryMetadata) => meta.get(keys.attemptKey(uid))?.modified ?? r(0)
