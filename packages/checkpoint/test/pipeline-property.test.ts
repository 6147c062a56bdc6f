import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Fate, World } from './world.ts'

// Every sequence of faults, orders and chances; the store, the target and the workers of the world
// judge each step by the rules that SPEC.md numbers.

type Move = readonly [name: keyof typeof moves, which: number, how: number]

const fates: readonly Fate[] = ['ok', 'ok', 'ok', 'ok', 'ok', 'reply-lost', 'lost', 'late']

const moves = {
  txn: (world, which, how) => world.deliverTxn(which, fates[how % 8] ?? 'not-applied'),
  late: (world, which) => world.deliverLate(which),
  order: (world, which, how) => world.toWorker(which, how, how === 0 ? 'twice' : 'once'),
  answer: (world, which, how) => world.toLeader(which, how === 0 ? 'twice' : 'once'),
  time: (world, _which, how) => world.advance([1, 20, 100, 300, 2_000, 11_000][how % 6] ?? 1),
  write: (world, which, how) => world.write(which, 1 + how),
  round: (world) => {
    world.calm(1)
    world.advance(100)
  },
  settle: (world) => world.calm(12),
  partition: (world) => world.addPartition(),
  'task fails': (world, which, how) => world.worker(which)?.failTask(how),
  trouble: (world, which, how) => {
    const worker = world.worker(which)
    if (worker !== undefined) worker.trouble = how === 0 ? 'fatal' : 'retry'
  },
  join: (world) => {
    if (world.workers.size < 4) world.join()
  },
  die: (world, which) => world.die(which),
  blink: (world, which) => world.blink(which),
  reconnect: (world, which) => world.reconnect(which),
  drain: (world, which) => world.drain(which),
  lead: (world) => world.lead('leader'),
  pause: (world) => world.change({ desired: 'paused' }),
  resume: (world) => world.change({ desired: 'running' }, 'yes'),
  respec: (world) => world.respec(),
} satisfies Record<string, (world: World, which: number, how: number) => void>

const weights: Record<keyof typeof moves, number> = {
  txn: 14,
  late: 3,
  order: 14,
  answer: 14,
  time: 12,
  write: 14,
  round: 24,
  settle: 3,
  partition: 1,
  'task fails': 2,
  trouble: 1,
  join: 6,
  die: 2,
  blink: 2,
  reconnect: 2,
  drain: 1,
  lead: 1,
  pause: 1,
  resume: 3,
  respec: 1,
}

const move: fc.Arbitrary<Move> = fc.oneof(
  ...(Object.entries(weights) as [keyof typeof moves, number][]).map(([name, weight]) => ({
    weight,
    arbitrary: fc.tuple(fc.constant(name), fc.nat(7), fc.nat(11)),
  })),
)
const sequences = fc.array(move, { minLength: 60, maxLength: 260, size: 'max' })

function played(sequence: readonly Move[]): World {
  const world = new World()
  if (sequence.length % 4 !== 0) world.calm(12)
  for (const [name, which, how] of sequence) moves[name](world, which, how)
  return world
}

/** The faults are over; when what they left is settled, the operator resumes. */
function healed(world: World): void {
  world.join()
  world.join()
  world.heal(() => ['running', 'parked'].includes(world.leader().state.phase.kind))
  world.change({ desired: 'running' }, 'yes')
}

const runs = (world: World): boolean => {
  const { phase } = world.leader().state
  return (
    phase.kind === 'running' && phase.checkpoint.kind === 'idle' && phase.stopWanted === undefined
  )
}

const caughtUp = (world: World): boolean =>
  [...world.ends].every(([index, end]) => (world.sink.rows.get(`t/${index}`) ?? 0n) === end)

const numRuns = 80

test('CK-1 to CK-9, CK-12, CK-13: whatever happens, no rule breaks and the pipeline runs again', () => {
  fc.assert(
    fc.property(sequences, (sequence) => {
      const world = played(sequence)
      healed(world)
      world.heal(() => runs(world))
      world.write(0, 5)
      world.heal(() => runs(world) && caughtUp(world))
      expect(world.sink.prepared.size, 'CK-10 nothing is left prepared').toBe(0)
    }),
    { numRuns },
  )
})

test('CK-10: a pipeline that is paused ends parked, with nothing prepared and every row once', () => {
  fc.assert(
    fc.property(sequences, (sequence) => {
      const world = played(sequence)
      healed(world)
      world.change({ desired: 'paused' })
      world.heal(() => world.leader().state.phase.kind === 'parked')
      expect(world.leader().state.phase).toEqual({ kind: 'parked', reason: 'paused' })
      expect(world.sink.prepared.size).toBe(0)
      expect(world.store.records().every(({ state }) => state === 'completed')).toBe(true)
    }),
    { numRuns },
  )
})

test('CK-14: a pipeline that is deleted ends gone, with nothing prepared and its name free', () => {
  fc.assert(
    fc.property(sequences, (sequence) => {
      const world = played(sequence)
      healed(world)
      world.change({ desired: 'deleted' })
      world.heal(() => world.swept === 'yes')
      expect(world.sink.prepared.size).toBe(0)
    }),
    { numRuns },
  )
})

test('a quiet world makes many checkpoints and retires old ones: the property is not an empty one', () => {
  const world = new World()
  world.heal(() => runs(world))
  for (let turn = 0; turn < 40; turn += 1) {
    world.write(turn, 3)
    world.heal(() => runs(world) && caughtUp(world))
  }
  expect(world.store.decided.size).toBeGreaterThan(40)
  expect(world.store.records().length).toBeLessThan(8)
})
