import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Answer,
  type CommitGoal,
  type CommitState,
  commitEffect,
  defaultPatience,
  reduceCommit,
  reduceRollback,
  rollbackEffect,
  startCommit,
  startRollback,
} from '../src/index.ts'
import { drive, FakeDatabase, type Fault, gidOf, isSame, rowOf } from './fake-database.ts'

const row = rowOf(0, 7, 2)
const goal: CommitGoal = { gid: gidOf(row), row }
const machine = { effect: commitEffect, reduce: reduceCommit }
const patience = { budgetMs: 1_000, firstDelayMs: 10, delayMaxMs: 200 }
const start = () => startCommit(goal, { patience, nowMs: 0 })
const { effort } = start() as CommitState & { kind: 'committing' }

type StateName = 'committing' | 'looking' | 'confirming'
type AnswerName = 'done' | '42704' | '55000' | '57P01' | '42501' | 'broken' | 'there' | 'not there'

const states: Record<StateName, CommitState> = {
  committing: { kind: 'committing', goal, effort },
  looking: { kind: 'looking', goal, effort },
  confirming: { kind: 'confirming', goal, effort, session: 1 },
}
const refused = (sqlstate: string): Answer => ({ kind: 'refused', sqlstate, detail: '' })
const answers: Record<AnswerName, Answer> = {
  done: { kind: 'done' },
  '42704': refused('42704'),
  '55000': refused('55000'),
  '57P01': refused('57P01'),
  '42501': refused('42501'),
  broken: { kind: 'broken', code: 'SINK_UNREACHABLE', detail: '' },
  there: { kind: 'presence', value: 'present' },
  'not there': { kind: 'presence', value: 'absent' },
}

/** What follows, as `state`, `pause: state`, or the outcome; never: the answer cannot come. */
const table: Record<StateName, Record<AnswerName, string>> = {
  committing: {
    done: 'committed',
    '42704': 'confirming',
    '55000': 'pause: committing',
    '57P01': 'pause: looking',
    '42501': 'pause: committing',
    broken: 'pause: looking',
    there: 'never',
    'not there': 'never',
  },
  looking: {
    done: 'pause: looking',
    '42704': 'pause: looking',
    '55000': 'pause: looking',
    '57P01': 'pause: looking',
    '42501': 'pause: looking',
    broken: 'pause: looking',
    there: 'committing',
    'not there': 'confirming',
  },
  confirming: {
    done: 'pause: looking',
    '42704': 'pause: looking',
    '55000': 'pause: looking',
    '57P01': 'pause: looking',
    '42501': 'pause: looking',
    broken: 'pause: looking',
    there: 'committed',
    'not there': 'lost',
  },
}

function wordOf(state: CommitState): string {
  if (state.kind === 'finished') return state.outcome.kind
  return state.kind === 'pausing' ? `pause: ${state.next}` : state.kind
}

describe('PC-1, PC-3, SP-1: every answer in every state', () => {
  const cells = Object.entries(table).flatMap(([state, row]) =>
    Object.entries(row).map(([answer, next]) => ({ state, answer, next })),
  ) as { state: StateName; answer: AnswerName; next: string }[]
  test.each(cells)('$state + $answer: $next', ({ state, answer, next }) => {
    const run = () => reduceCommit(states[state], { answer: answers[answer], nowMs: 5, session: 1 })
    if (next === 'never') expect(run).toThrow(/no answer/)
    else expect(wordOf(run())).toBe(next)
  })
})

test('PC-2: absence seen by two sessions proves nothing', () => {
  const absent = { answer: answers['not there'], nowMs: 5, session: 2 }
  expect(wordOf(reduceCommit(states.confirming, absent))).toBe('pause: looking')
  const database = new FakeDatabase()
  database.prepared.add(goal.gid)
  database.prepared.delete(goal.gid)
  // 42704 on one server, then a failover to one where the transaction is prepared.
  let state = reduceCommit(start(), { answer: answers['42704'], nowMs: 1, session: 1 })
  database.prepared.add(goal.gid)
  database.session = 2
  state = drive(database, state, { machine })
  expect(wordOf(state)).toBe('committed')
})

test('PC-4, SP-2: what is not settled in time is unknown, with the reason', () => {
  const database = new FakeDatabase()
  const faults: Fault[] = Array.from({ length: 200 }, () => 'before')
  const state = drive(database, start(), { machine, faults })
  expect(state).toMatchObject({
    kind: 'finished',
    outcome: { kind: 'unknown', failure: { code: 'SINK_UNREACHABLE', class: 'retry' } },
  })
  expect(database.nowMs).toBeLessThanOrEqual(patience.budgetMs + 300)
  const delays = database.log.flatMap((one) => (one.kind === 'wait' ? [one.delayMs] : []))
  expect(delays.slice(0, 6)).toEqual([10, 20, 40, 80, 160, 200])
  const other = reduceCommit(
    { kind: 'committing', goal, effort },
    { answer: refused('42501'), nowMs: 2_000, session: 1 },
  )
  expect(other).toMatchObject({ outcome: { kind: 'unknown', failure: { code: 'SINK_AUTH' } } })
})

test('PC-5: whatever goes wrong, the verdict is true', () => {
  const fault = fc.constantFrom<Fault>('none', 'before', 'after', 'busy')
  const before = fc.constantFrom('prepared', 'committed', 'gone')
  fc.assert(
    fc.property(before, fc.array(fault, { maxLength: 12 }), (what, faults) => {
      const database = new FakeDatabase()
      if (what === 'prepared') database.prepared.add(goal.gid)
      if (what === 'committed') database.ledger.push(row)
      const state = drive(database, startCommit(goal, { patience: defaultPatience, nowMs: 0 }), {
        machine,
        faults,
      })
      const verdict = wordOf(state)
      expect(verdict).toBe(what === 'gone' ? 'lost' : 'committed')
      expect(database.prepared.size).toBe(0)
      expect(database.ledger.filter((one) => isSame(one, row)).length).toBe(what === 'gone' ? 0 : 1)
    }),
    { numRuns: 2_000 },
  )
})

describe('PR-1: a rollback', () => {
  const rollback = { effect: rollbackEffect, reduce: reduceRollback }
  test.each<[string, Fault[], string]>([
    ['that is done', [], 'gone'],
    ['of which the answer is lost', ['after'], 'gone'],
    ['that finds it busy', ['busy', 'busy'], 'gone'],
    ['that never gets through', Array.from({ length: 99 }, (): Fault => 'before'), 'unsettled'],
  ])('%s', (_, faults, verdict) => {
    const database = new FakeDatabase()
    database.prepared.add(goal.gid)
    const state = drive(database, startRollback(goal.gid, { patience, nowMs: 0 }), {
      machine: rollback,
      faults,
    })
    expect(state).toMatchObject({ kind: 'finished', outcome: { kind: verdict } })
    expect(database.prepared.size).toBe(verdict === 'gone' ? 0 : 1)
  })
})
