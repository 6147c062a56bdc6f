import { sinkName } from '@onceflow/model'
import type { RecordBatch, SinkFactory } from '@onceflow/ports'
import { MemoryDatabase, memorySinkFactory } from '@onceflow/twins'
import { afterEach, describe, expect, test } from 'vitest'
import { workerFailPoints } from '../src/index.ts'
import { a, cluster, n, pipeline, specOf } from './scripted-leader.ts'
import { Bench } from './worker-fixture.ts'

let bench = new Bench()
afterEach(() => expect(bench.defects).toEqual([]))

describe('a task', () => {
  test('reads, seals and commits, and shows nothing before the commit', async () => {
    bench = new Bench()
    bench.append('1=a', '2=b')
    await bench.running()
    bench.leader.barrier(1)
    await bench.clock.run(5)
    const sealed = bench.leader.last('sealed')
    expect(sealed).toMatchObject({
      checkpoint: 1n,
      attempt: 1n,
      leaderEpoch: 7n,
      records: 2,
      rows: 2,
      positions: [{ offset: 2n }],
      handles: [{ sink: 'main', kind: 'sealed', version: 1 }],
    })
    expect(bench.rows()).toEqual([])
    expect(bench.database.prepared.size).toBe(1)
    bench.leader.commit(1)
    await bench.clock.run(5)
    expect(bench.rows()).toEqual(['1=a', '2=b'])
    expect(bench.leader.last('committed')?.outcome).toEqual({ kind: 'done' })
  })

  test('takes records of n+1 while n waits for its commit', async () => {
    bench = new Bench()
    bench.append('1=a')
    await bench.running()
    bench.leader.barrier(1)
    await bench.clock.run(5)
    bench.append('1=b', '2=c')
    await bench.clock.run(5)
    expect(bench.database.prepared.size).toBe(1)
    bench.leader.commit(1)
    await bench.clock.run(5)
    expect(bench.rows()).toEqual(['1=a'])
    await bench.checkpoint(2)
    expect(bench.rows()).toEqual(['1=b', '2=c'])
    expect(bench.database.ledger.map(({ from, to }) => [from[0]?.offset, to[0]?.offset])).toEqual([
      [0n, 1n],
      [1n, 3n],
    ])
  })

  test('confirms an empty checkpoint without touching the sink', async () => {
    bench = new Bench()
    await bench.running()
    await bench.checkpoint(1)
    expect(bench.leader.last('sealed')?.handles).toMatchObject([{ kind: 'empty', data: null }])
    expect(bench.database.ledger).toEqual([])
  })

  test('covers empty epochs with the next ledger row', async () => {
    bench = new Bench()
    bench.append('1=a')
    await bench.running()
    await bench.checkpoint(1)
    bench.append('', '')
    await bench.clock.run(5)
    await bench.checkpoint(2)
    expect(bench.leader.last('sealed')).toMatchObject({
      positions: [{ offset: 3n }],
      handles: [{ kind: 'empty' }],
    })
    bench.append('1=b')
    await bench.clock.run(5)
    await bench.checkpoint(3)
    expect(bench.database.ledger.map(({ from, to }) => [from[0]?.offset, to[0]?.offset])).toEqual([
      [0n, 1n],
      [1n, 4n],
    ])
  })

  test('moves its position past a gap without records', async () => {
    bench = new Bench()
    bench.append('1=a')
    bench.log.skip({ topic: 'items', partition: 0 }, 5n)
    await bench.running()
    await bench.checkpoint(1)
    expect(bench.leader.last('sealed')?.positions).toMatchObject([{ offset: 6n }])
  })

  test('stops at a barrier that says so', async () => {
    bench = new Bench()
    bench.append('1=a')
    await bench.running()
    await bench.checkpoint(1, 'yes')
    bench.append('2=b')
    await bench.clock.run(1500)
    expect(bench.leader.last('heartbeat')?.tasks).toMatchObject([{ waiting: 'stopped' }])
    bench.leader.stopTasks()
    await bench.clock.run(5)
    expect(bench.leader.last('tasks-ended')?.attempt).toBe(1n)
    expect(bench.rows()).toEqual(['1=a'])
    expect(bench.database.prepared.size).toBe(0)
  })

  test('drops a duplicate barrier and answers a duplicate commit', async () => {
    bench = new Bench()
    bench.append('1=a')
    await bench.running()
    bench.leader.barrier(1)
    bench.leader.barrier(1)
    await bench.clock.run(5)
    expect(bench.leader.all('sealed')).toHaveLength(1)
    bench.leader.commit(1)
    bench.leader.commit(1)
    await bench.clock.run(5)
    bench.leader.commit(1)
    await bench.clock.run(5)
    expect(bench.leader.all('committed').length).toBeGreaterThanOrEqual(2)
    expect(bench.database.ledger).toHaveLength(1)
  })

  test('tries a commit again until its outcome is known', async () => {
    bench = new Bench()
    bench.append('1=a')
    await bench.running()
    bench.database.failNextCommits('not-applied-unknown', 'applied-unknown')
    bench.leader.barrier(1)
    await bench.clock.run(5)
    bench.leader.commit(1)
    await bench.clock.run(5)
    expect(bench.leader.last('committed')).toBeUndefined()
    await bench.clock.run(1000)
    expect(bench.leader.last('committed')?.outcome).toEqual({ kind: 'done' })
    expect(bench.database.ledger).toHaveLength(1)
  })

  test('reports a loss, and seals nothing after it', async () => {
    bench = new Bench()
    bench.append('1=a')
    await bench.running()
    bench.leader.barrier(1)
    await bench.clock.run(5)
    bench.database.prepared.clear()
    bench.leader.commit(1)
    await bench.clock.run(5)
    expect(bench.leader.last('committed')?.outcome).toMatchObject({
      kind: 'lost',
      lost: [{ sink: 'main', subtask: 0, checkpoint: 1n, failure: { code: 'DATA_LOSS' } }],
    })
    bench.leader.barrier(2)
    await bench.clock.run(5)
    expect(bench.leader.all('sealed')).toHaveLength(1)
  })

  test('reports a record that it cannot read', async () => {
    bench = new Bench()
    bench.append('1=a', '!what')
    await bench.running()
    await bench.clock.run(5)
    expect(bench.leader.last('task-failed')?.failure).toMatchObject({
      code: 'RECORD_UNREADABLE',
      position: { topic: 'items', partition: 0, offset: 1n },
    })
    expect(bench.database.prepared.size).toBe(0)
  })

  test('applies a truncate in a topic of one partition', async () => {
    bench = new Bench()
    bench.append('1=a', '*', '2=b')
    await bench.running()
    await bench.checkpoint(1)
    expect(bench.rows()).toEqual(['2=b'])
  })

  test('refuses a truncate among several partitions, where its place is not known', async () => {
    bench = new Bench()
    bench.log.growTopic('items', 2)
    bench.append('1=a', '*', '2=b')
    await bench.running()
    await bench.clock.run(5)
    expect(bench.leader.last('task-failed')?.failure).toMatchObject({
      code: 'TRUNCATE_SPANS_TASKS',
      class: 'fatal',
      position: { topic: 'items', partition: 0, offset: 1n },
    })
    expect(bench.database.prepared.size).toBe(0)
  })

  test('shows progress at most once a second, after commits', async () => {
    bench = new Bench()
    bench.append('1=a')
    await bench.running()
    await bench.checkpoint(1)
    expect(bench.journal.find('error')).toEqual([])
    await bench.clock.run(3000)
    const stats = bench.leader.last('heartbeat')?.tasks[0]
    expect(stats).toMatchObject({
      recordsIn: 1,
      rowsUpserted: 1,
      lagRecords: 0,
      lastCommitted: 1n,
      newestVisibleMs: bench.clock.wallMs() - Math.floor(bench.clock.monotonicMs()),
    })
  })

  test('cuts a large batch, and gives the event loop back between slices', async () => {
    bench = new Bench({ limits: { sliceRecordsMax: 10, turnMs: 0 } })
    bench.append(...Array.from({ length: 95 }, (_, index) => `${index}=x`))
    await bench.running()
    await bench.checkpoint(1)
    expect(bench.rows().length).toBeLessThan(95)
    await bench.clock.run(2000)
    for (let turn = 0; turn < 20; turn += 1) await bench.clock.run(1)
    await bench.checkpoint(2)
    expect(bench.rows()).toHaveLength(95)
    expect(bench.database.ledger[1]?.from).toEqual(bench.database.ledger[0]?.to)
    expect(bench.yields).toBeGreaterThanOrEqual(10)
  })
})

describe('a task that is told to end', () => {
  async function sealedAt(value: number): Promise<void> {
    bench.append('1=a')
    await bench.running()
    bench.leader.barrier(value)
    await bench.clock.run(5)
    expect(bench.database.prepared.size).toBe(1)
  }

  test('rolls back what the Abort names', async () => {
    bench = new Bench()
    await sealedAt(1)
    bench.leader.abort(1)
    await bench.clock.run(5)
    expect(bench.database.prepared.size).toBe(0)
    expect(bench.leader.last('tasks-ended')?.attempt).toBe(1n)
    expect(bench.rows()).toEqual([])
  })

  test('leaves to RESOLVE what the Abort does not name', async () => {
    bench = new Bench()
    await sealedAt(1)
    bench.leader.abort(undefined)
    await bench.clock.run(5)
    expect(bench.leader.last('tasks-ended')).toBeDefined()
    expect(bench.database.prepared.size).toBe(1)
  })

  test('waits for a seal in flight, then rolls it back', async () => {
    bench = new Bench()
    bench.append('1=a')
    await bench.running()
    bench.failPoints.arm(workerFailPoints.sealAfter, { kind: 'hold' })
    bench.leader.barrier(1)
    await bench.clock.run(5)
    expect(bench.database.prepared.size).toBe(1)
    bench.leader.abort(1)
    await bench.clock.run(5)
    expect(bench.database.prepared.size).toBe(1)
    expect(bench.leader.last('tasks-ended')).toBeUndefined()
    bench.failPoints.release(workerFailPoints.sealAfter)
    await bench.clock.run(5)
    expect(bench.database.prepared.size).toBe(0)
    expect(bench.leader.last('tasks-ended')).toBeDefined()
    expect(bench.leader.last('sealed')).toBeUndefined()
  })

  test('does not wait for ever for a seal that hangs, and leaves it to RESOLVE', async () => {
    bench = new Bench()
    bench.append('1=a')
    await bench.running()
    bench.failPoints.arm(workerFailPoints.sealAfter, { kind: 'hold' })
    bench.leader.barrier(1)
    await bench.clock.run(5)
    bench.leader.abort(1)
    await bench.clock.run(10_500)
    expect(bench.leader.last('tasks-ended')).toBeDefined()
    expect(bench.database.prepared.size).toBe(1)
  })

  test('keeps what is sealed while the leader is away, and commits it afterwards', async () => {
    bench = new Bench()
    await sealedAt(1)
    bench.control.cut('w1')
    await bench.clock.run(60_000)
    expect(bench.database.prepared.size).toBe(1)
    bench.leader.hush()
    bench.control.heal('w1')
    await bench.clock.run(500)
    expect(bench.leader.last('hello')).toMatchObject({
      seen: 7n,
      tasks: [{ attempt: 1n, subtask: 0, lastBarrier: 1n, sealing: 'yes' }],
    })
    expect(bench.leader.last('sealed')?.checkpoint).toBe(1n)
    bench.leader.commit(1)
    await bench.clock.run(5)
    expect(bench.rows()).toEqual(['1=a'])
  })

  test('a zombie learns that it is stale, and changes nothing', async () => {
    bench = new Bench()
    await sealedAt(1)
    const old = { ...bench.leader.stamp() }
    bench.leader.attempt = a(2)
    bench.leader.resolveCommit()
    await bench.clock.run(5)
    bench.leader.hush()
    const barrier = { kind: 'inject-barrier', checkpoint: n(2), stop: 'no' } as const
    bench.leader.send({ ...old, ...barrier })
    bench.leader.send({ ...old, leaderEpoch: bench.leader.epoch, ...barrier })
    await bench.clock.run(5)
    expect(bench.leader.all('stale')).toMatchObject([{ attempt: 2n }, { attempt: 2n }])
    expect(bench.leader.last('sealed')).toBeUndefined()
    expect(bench.database.prepared.size).toBe(1)
  })

  test('a task that was replaced elsewhere is fenced when it seals', async () => {
    bench = new Bench()
    bench.append('1=a')
    await bench.running()
    const { leaderEpoch } = bench.leader.stamp()
    const sink = sinkName('main')
    bench.database.raiseFence({ cluster, pipeline, sink, attempt: a(2), leaderEpoch })
    bench.leader.barrier(1)
    await bench.clock.run(5)
    expect(bench.leader.last('task-failed')?.failure).toMatchObject({ class: 'fence' })
    expect(bench.fenced).toHaveLength(1)
    expect(bench.database.prepared.size).toBe(0)
  })
})

test('a sink of raw input gets the batches as they were read', async () => {
  const seen: RecordBatch[] = []
  const raw: SinkFactory = {
    ...memorySinkFactory(new MemoryDatabase()),
    create: () => ({
      input: 'raw',
      transactionSerializer: { version: 1, serialize: () => 'x', deserialize: () => ({}) },
      contextSerializer: { version: 1, serialize: () => null, deserialize: () => null },
      openTask: async () => undefined,
      resolveTable: async () => expect.fail('a raw sink has no tables'),
      beginTransaction: async () => ({}),
      invoke: async (_, batch) => {
        seen.push(batch)
        return 'accepted'
      },
      preCommit: async () => ({ kind: 'sealed', rowsUpserted: 1, rowsDeleted: 0 }),
      commit: async () => ({ kind: 'committed' }),
      abort: async () => undefined,
      openRecovery: async () => undefined,
      recoverAndCommit: async () => ({ kind: 'done', lost: [] }),
      recoverAndAbort: async () => ({ kind: 'done', rolledBack: 0 }),
      finishRecovery: async () => ({ kind: 'done' }),
      close: async () => undefined,
    }),
  }
  bench = new Bench({ sink: raw })
  bench.append('1=a', '2=b')
  await bench.running()
  await bench.checkpoint(1)
  expect(seen.flatMap(({ records }) => records)).toHaveLength(2)
  expect(bench.leader.last('sealed')?.handles).toMatchObject([{ kind: 'sealed', data: 'x' }])
})

describe('several sinks', () => {
  test('all seal, and the checkpoint is confirmed when all have committed', async () => {
    bench = new Bench()
    bench.leader.spec = specOf(['one', 'two'])
    bench.append('1=a')
    await bench.running()
    bench.leader.barrier(1)
    await bench.clock.run(5)
    expect(bench.leader.last('sealed')?.handles.map(({ sink }) => sink)).toEqual(['one', 'two'])
    expect(bench.database.prepared.size).toBe(2)
    bench.database.failNextCommits('not-applied-unknown')
    bench.leader.commit(1)
    await bench.clock.run(5)
    expect(bench.leader.last('committed')).toBeUndefined()
    await bench.clock.run(200)
    expect(bench.leader.last('committed')?.outcome).toEqual({ kind: 'done' })
    expect(bench.database.ledger).toHaveLength(2)
  })
})
