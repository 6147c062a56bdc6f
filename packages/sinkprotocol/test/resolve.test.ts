import type { LedgerHead } from '@onceflow/model'
import type { KnownCheckpoint } from '@onceflow/ports'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compare,
  type Decisions,
  judge,
  type LedgerRow,
  reduceResolveAbort,
  reduceResolveCommit,
  reduceResolveFinish,
  resolveAbortEffect,
  resolveCommitEffect,
  resolveFinishEffect,
  startResolveAbort,
  startResolveCommit,
  startResolveFinish,
} from '../src/index.ts'
import {
  drive,
  FakeDatabase,
  type Fault,
  gidOf,
  identity,
  isSame,
  rowOf,
  scopeOf,
} from './fake-database.ts'

const patience = { budgetMs: 60_000, firstDelayMs: 10, delayMaxMs: 200 }
const known = (n: number, a: number, state: KnownCheckpoint['state']): KnownCheckpoint =>
  ({ checkpoint: BigInt(n), attempt: BigInt(a), state }) as KnownCheckpoint
const decisionsOf = (all: readonly KnownCheckpoint[], mark = 0): Decisions => ({
  known: all,
  retireMark: BigInt(mark) as Decisions['retireMark'],
})
const headOf = (row: LedgerRow): LedgerHead => ({ ...row, sink: identity.sink })

interface Plan {
  readonly attempt: number
  readonly decisions: Decisions
  readonly open?: readonly LedgerRow[]
  readonly heads?: readonly LedgerRow[]
  readonly newest?: number
  readonly faults?: readonly Fault[]
  readonly stopAfter?: number
}

/** Both phases, as a worker drives them; the words of what came out. */
function resolve(database: FakeDatabase, plan: Plan) {
  const scope = scopeOf(plan.attempt)
  const { decisions } = plan
  const budget = { left: plan.stopAfter ?? 10_000, faults: [...(plan.faults ?? [])] }
  const open = (plan.open ?? []).map((row) => ({ gid: gidOf(row), row }))
  const how = () => ({ faults: budget.faults.splice(0), stopAfter: budget.left })
  const spent = (before: number) => {
    budget.left -= database.log.length - before
  }
  let before = database.log.length
  const commit = drive(
    database,
    startResolveCommit({ scope, decisions, open, patience }, database.nowMs),
    { machine: { effect: resolveCommitEffect, reduce: reduceResolveCommit }, ...how() },
  )
  spent(before)
  if (commit.kind !== 'finished') return { commit: 'died' }
  if (commit.result.kind !== 'done') return { commit: commit.result.kind, ...commit.result }
  before = database.log.length
  const abort = drive(database, startResolveAbort({ scope, decisions, patience }, database.nowMs), {
    machine: { effect: resolveAbortEffect, reduce: reduceResolveAbort },
    ...how(),
  })
  spent(before)
  if (abort.kind !== 'finished') return { commit: 'done', abort: 'died' }
  if (abort.result.kind !== 'done') return { abort: abort.result.kind, ...abort.result }
  const expectation = {
    heads: (plan.heads ?? []).map(headOf),
    newestDecided: BigInt(plan.newest ?? 0) as LedgerHead['checkpoint'],
  }
  const finish = drive(
    database,
    startResolveFinish({ scope, decisions, expectation, patience }, database.nowMs),
    { machine: { effect: resolveFinishEffect, reduce: reduceResolveFinish }, ...how() },
  )
  if (finish.kind !== 'finished') return { commit: 'done', abort: 'done', finish: 'died' }
  return {
    commit: 'done',
    lost: commit.result.lost.map(({ goal }) => goal.row),
    abort: 'done',
    rolledBack: abort.result.rolledBack,
    foreign: abort.result.foreign,
    finish: finish.result.kind,
    result: finish.result,
  }
}

describe('RS-1, RS-2: what a prepared transaction is', () => {
  const decisions = decisionsOf(
    [
      known(5, 1, 'committed'),
      known(6, 1, 'completed'),
      known(7, 1, 'undone'),
      known(8, 2, 'completed'),
    ],
    4,
  )
  test.each<[string, string, string]>([
    [gidOf(rowOf(0, 5, 1)), 'decided', 'committed'],
    [gidOf(rowOf(0, 6, 1)), 'decided', 'completed'],
    [gidOf(rowOf(0, 7, 1)), 'stray', 'undone'],
    [gidOf(rowOf(0, 8, 1)), 'stray', 'decided in another attempt'],
    [gidOf(rowOf(0, 9, 1)), 'stray', 'no record, above the mark'],
    [gidOf(rowOf(0, 4, 1)), 'stop', 'no record, at the mark'],
    [gidOf(rowOf(0, 9, 3)), 'stop', 'of the resolver’s own attempt'],
    [gidOf(rowOf(0, 5, 4)), 'stop', 'of a higher attempt'],
    ['onceflow:cluster1:pipeline1:target:x', 'foreign', 'damaged'],
    [gidOf(rowOf(0, 9, 1)).replace('target', 'other'), 'foreign', 'another sink'],
  ])('%s: %s (%s)', (gid, kind) => {
    expect(judge(gid, scopeOf(3), decisions).kind).toBe(kind)
  })

  test('one that stops stops all', () => {
    const database = new FakeDatabase()
    database.prepared.add(gidOf(rowOf(0, 5, 1)))
    database.prepared.add(gidOf(rowOf(1, 9, 3)))
    expect(resolve(database, { attempt: 3, decisions })).toMatchObject({
      commit: 'stopped',
      failure: { code: 'FENCED', class: 'fence' },
    })
    expect(database.prepared.size).toBe(2)
  })
})

test('RS-3: a higher fence stops phase one, before and between commits', () => {
  const database = new FakeDatabase()
  database.fence = 4n
  const row = rowOf(0, 5, 1)
  database.prepared.add(gidOf(row))
  const decisions = decisionsOf([known(5, 1, 'committed')])
  expect(resolve(database, { attempt: 3, decisions, open: [row] })).toMatchObject({
    commit: 'stopped',
    failure: { code: 'FENCED' },
  })
  expect(database.ledger).toEqual([])
})

test('RS-4: all losses are told at once, and the others are committed', () => {
  const database = new FakeDatabase()
  const rows = [rowOf(0, 5, 1), rowOf(1, 5, 1), rowOf(0, 6, 1), rowOf(1, 6, 1)]
  const [first, second, third, fourth] = rows
  if (!first || !second || !third || !fourth) throw new Error('four rows')
  database.prepared.add(gidOf(third))
  database.prepared.add(gidOf(second))
  const decisions = decisionsOf([known(5, 1, 'completed'), known(6, 1, 'committed')])
  const out = resolve(database, { attempt: 2, decisions, open: [fourth, third, first], newest: 6 })
  expect(out.lost).toEqual([first, fourth])
  expect(database.ledger.map((row) => `${row.subtask}/${row.checkpoint}`)).toEqual(['1/5', '0/6'])
})

test('RS-5: a decided transaction that comes up in phase two is committed', () => {
  const database = new FakeDatabase()
  database.prepared.add(gidOf(rowOf(0, 5, 1)))
  database.prepared.add(gidOf(rowOf(0, 9, 1)))
  const decisions = decisionsOf([known(5, 1, 'completed')])
  const state = drive(database, startResolveAbort({ scope: scopeOf(2), decisions, patience }, 0), {
    machine: { effect: resolveAbortEffect, reduce: reduceResolveAbort },
  })
  expect(state).toMatchObject({ result: { kind: 'done', rolledBack: 1 } })
  expect(database.ledger).toHaveLength(1)
})

describe('RS-6, RS-7, RS-8: the fence', () => {
  const decisions = decisionsOf([])
  test('goes up once', () => {
    const database = new FakeDatabase()
    expect(resolve(database, { attempt: 2, decisions }).finish).toBe('done')
    expect(resolve(database, { attempt: 2, decisions }).finish).toBe('done')
    expect(database.fence).toBe(2n)
  })
  test('that is higher makes the resolver stale', () => {
    const database = new FakeDatabase()
    const expectation = { heads: [], newestDecided: 0n as LedgerHead['checkpoint'] }
    database.fence = 3n
    const state = drive(
      database,
      startResolveFinish({ scope: scopeOf(2), decisions, expectation, patience }, 0),
      { machine: { effect: resolveFinishEffect, reduce: reduceResolveFinish } },
    )
    expect(state).toMatchObject({ result: { kind: 'stale', failure: { code: 'FENCED' } } })
  })
  test('held by a live writer and by a prepared one is freed of both', () => {
    const database = new FakeDatabase()
    database.holders = [1n]
    const expectation = { heads: [], newestDecided: 0n as LedgerHead['checkpoint'] }
    database.prepared.add(gidOf(rowOf(0, 9, 1)))
    const state = drive(
      database,
      startResolveFinish({ scope: scopeOf(2), decisions, expectation, patience }, 0),
      { machine: { effect: resolveFinishEffect, reduce: reduceResolveFinish } },
    )
    expect(state).toMatchObject({ result: { kind: 'done' } })
    expect([database.prepared.size, database.holders.length]).toEqual([0, 0])
    const kinds = database.log.map(({ kind }) => kind)
    expect(kinds.lastIndexOf('raise-fence')).toBeLessThan(kinds.indexOf('drop-staging'))
  })
  test('held by a stranger for ever is said to be so', () => {
    const database = new FakeDatabase()
    database.holders = [9n]
    const expectation = { heads: [], newestDecided: 0n as LedgerHead['checkpoint'] }
    const state = drive(
      database,
      startResolveFinish({ scope: scopeOf(2), decisions, expectation, patience }, 0),
      { machine: { effect: resolveFinishEffect, reduce: reduceResolveFinish } },
    )
    expect(state).toMatchObject({
      result: { kind: 'unreachable', failure: { code: 'SINK_CONFLICT', class: 'retry' } },
    })
  })
  test('RS-8: a staging table that cannot be dropped does not stop it', () => {
    const input = {
      scope: scopeOf(2),
      decisions,
      expectation: { heads: [], newestDecided: 0n as LedgerHead['checkpoint'] },
      patience,
    }
    const raised = { answer: { kind: 'raise', outcome: 'raised' }, nowMs: 1, session: 1 } as const
    const dropping = reduceResolveFinish(startResolveFinish(input, 0), raised)
    expect(resolveFinishEffect(dropping)?.kind).toBe('drop-staging')
    const answer = { kind: 'refused', sqlstate: '55P03', detail: '' } as const
    const next = reduceResolveFinish(dropping, { answer, nowMs: 2, session: 1 })
    expect(next.kind).toBe('comparing')
  })
})

describe('RS-9: the ledger', () => {
  const input = (heads: readonly LedgerRow[], newest: number) => ({
    scope: scopeOf(3),
    decisions: decisionsOf([]),
    patience,
    expectation: {
      heads: heads.map(headOf),
      newestDecided: BigInt(newest) as LedgerHead['checkpoint'],
    },
  })
  const facts = (rows: readonly LedgerRow[]) => ({
    found: rows,
    newest: rows.at(-1),
    attemptMax: rows.at(-1)?.attempt,
  })
  const row = rowOf(0, 5, 2)
  const cases: readonly [string, readonly LedgerRow[], readonly LedgerRow[], number, string][] = [
    ['as expected', [row], [row], 5, 'done'],
    ['empty, of nothing', [], [], 0, 'done'],
    ['behind by empty checkpoints', [row], [row], 9, 'done'],
    ['without a head', [row], [], 5, 'missing'],
    ['with the head of another attempt', [rowOf(0, 5, 1)], [row], 5, 'missing'],
    ['above the newest decided', [row], [row], 4, 'ahead'],
    ['of the resolver’s own attempt', [], [rowOf(0, 9, 3)], 5, 'stale'],
  ]
  test.each(cases)('%s', (...one) => {
    const [, heads, rows, newest, kind] = one
    expect(compare(input(heads, newest), facts(rows)).kind).toBe(kind)
  })
  test('of another sink is not looked at', () => {
    const other = { ...headOf(row), sink: 'other' as LedgerHead['sink'] }
    const one = input([], 5)
    const expectation = { ...one.expectation, heads: [other] }
    expect(compare({ ...one, expectation }, facts([])).kind).toBe('done')
  })
})

const seal = fc.record({
  task: fc.nat({ max: 2 }),
  n: fc.integer({ min: 1, max: 6 }),
  state: fc.constantFrom('committed', 'completed', 'undone', 'none'),
  prepared: fc.boolean(),
})
const faults = fc.array(fc.constantFrom<Fault>('none', 'none', 'before', 'after', 'busy'), {
  maxLength: 20,
})

/** A world of attempt 1: one decision for each checkpoint, seals of it prepared or finished. */
function world(seals: readonly { task: number; n: number; state: string; prepared: boolean }[]) {
  const database = new FakeDatabase()
  database.fence = 1n
  const states = new Map(seals.map((one) => [one.n, one.state]))
  const rows = new Map<string, LedgerRow>()
  for (const one of seals) {
    const row = rowOf(one.task, one.n, 1)
    if (rows.has(gidOf(row))) continue
    rows.set(gidOf(row), row)
    const decided = ['committed', 'completed'].includes(states.get(one.n) ?? '')
    if (one.prepared || !decided) database.prepared.add(gidOf(row))
    else database.ledger.push(row)
  }
  const all = [...states].filter(([, state]) => state !== 'none')
  const decisions = decisionsOf(
    all.map(([n, state]) => known(n, 1, state as KnownCheckpoint['state'])),
  )
  const isDecided = (row: LedgerRow) =>
    ['committed', 'completed'].includes(states.get(Number(row.checkpoint)) ?? '')
  const decided = [...rows.values()].filter(isDecided)
  return { database, decisions, decided, all: [...rows.values()] }
}

test('RS-10: RESOLVE dies anywhere, is run again, and ends the same', () => {
  fc.assert(
    fc.property(fc.array(seal), faults, fc.nat({ max: 30 }), (seals, bad, stopAfter) => {
      const { database, decisions, decided } = world(seals)
      const open = decided.filter((row) =>
        decisions.known.some(
          (one) => one.checkpoint === row.checkpoint && one.state === 'committed',
        ),
      )
      const plan = { attempt: 2, decisions, open, heads: decided, newest: 6 }
      resolve(database, { ...plan, faults: bad, stopAfter })
      const out = resolve(database, { ...plan, faults: [...bad].reverse() })
      expect(out).toMatchObject({ lost: [], finish: 'done' })
      expect(database.prepared.size).toBe(0)
      expect(database.fence).toBe(2n)
      // Every decided row exactly once, and nothing that was not decided.
      expect(database.ledger.length).toBe(decided.length)
      for (const row of decided) {
        expect(database.ledger.filter((one) => isSame(one, row)).length).toBe(1)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('RS-11: a paused resolver changes nothing of a higher attempt', () => {
  fc.assert(
    fc.property(fc.array(seal), fc.nat({ max: 12 }), (seals, pausedAfter) => {
      const { database, decisions, decided } = world(seals)
      const scope = scopeOf(2)
      // The resolver of attempt 2 stops somewhere in phase two, with its last answer in hand.
      let paused = startResolveAbort({ scope, decisions, patience }, 0)
      for (let step = 0; step < pausedAfter; step += 1) {
        const effect = resolveAbortEffect(paused)
        if (effect === undefined) break
        paused = reduceResolveAbort(paused, database.perform(effect))
      }
      resolve(database, { attempt: 3, decisions, open: decided, heads: decided, newest: 6 })
      const later = rowOf(0, 9, 3)
      database.prepared.add(gidOf(later))
      const end = drive(database, paused, {
        machine: { effect: resolveAbortEffect, reduce: reduceResolveAbort },
      })
      expect(end.kind).toBe('finished')
      expect([...database.prepared]).toEqual([gidOf(later)])
      const expectation = { heads: [], newestDecided: 9n as LedgerHead['checkpoint'] }
      const finish = drive(
        database,
        startResolveFinish({ scope, decisions, expectation, patience }, database.nowMs),
        { machine: { effect: resolveFinishEffect, reduce: reduceResolveFinish } },
      )
      expect(finish).toMatchObject({ result: { kind: 'stale' } })
      expect([...database.prepared]).toEqual([gidOf(later)])
      expect(database.fence).toBe(3n)
    }),
    { numRuns: 500 },
  )
})
