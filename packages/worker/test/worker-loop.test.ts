import { leaderEpoch, sinkName, subtask } from '@onceflow/model'
import { afterEach, describe, expect, test } from 'vitest'
import { WorkerLoop, workerFailPoints } from '../src/index.ts'
import { a, cluster, e, n, pipeline, specOf } from './scripted-leader.ts'
import { Bench } from './worker-fixture.ts'

let bench = new Bench()
afterEach(() => expect(bench.defects).toEqual([]))

describe('a worker', () => {
  test('says who it is, and beats once a second', async () => {
    bench = new Bench()
    bench.worker.start()
    await bench.clock.run(3500)
    expect(bench.leader.all('hello')).toMatchObject([
      { worker: 'w1', incarnation: 'i1', seen: 0n, tasks: [] },
    ])
    expect(bench.leader.all('heartbeat')).toHaveLength(4)
    expect(bench.leader.last('heartbeat')).toMatchObject({ leaderEpoch: 7n, rssBytes: 1000 })
  })

  test('refuses a leader that is older than one it has seen', async () => {
    bench = new Bench()
    await bench.running()
    bench.leader.epoch = e(6)
    bench.control.disconnect('w1')
    bench.leader.hush()
    await bench.clock.run(150)
    expect(bench.leader.last('hello')?.seen).toBe(7n)
    expect(bench.journal.find('stale message refused')).not.toEqual([])
    expect(bench.leader.last('heartbeat')).toBeUndefined()
    bench.leader.epoch = e(8)
    await bench.clock.run(150)
    await bench.clock.run(1500)
    expect(bench.leader.last('heartbeat')).toMatchObject({ leaderEpoch: 8n })
  })

  test('looks for the leader again when it falls silent', async () => {
    bench = new Bench()
    await bench.running()
    bench.leader.send({ kind: 'heartbeat', leaderEpoch: e(7) })
    await bench.clock.run(1)
    bench.leader.hush()
    await bench.clock.run(4000)
    expect(bench.leader.last('hello')).toBeUndefined()
    await bench.clock.run(2500)
    expect(bench.leader.last('hello')).toBeDefined()
  })

  test('inspects the source and the sinks', async () => {
    bench = new Bench()
    bench.append('1=a')
    bench.worker.start()
    await bench.clock.run(10)
    bench.leader.inspect()
    await bench.clock.run(10)
    expect(bench.leader.last('inspected')?.result).toMatchObject({
      kind: 'ok',
      partitions: [{ topic: 'items', partition: 0, earliest: 0n, start: 0n, end: 1n }],
      claims: [{ sink: 'main', guarantee: 'exactly-once' }],
      warnings: [],
    })
    const { spec } = bench.leader
    const topics = { kind: 'list', topics: ['absent'] } as const
    bench.leader.spec = { ...spec, source: { ...spec.source, topics } }
    bench.leader.inspect()
    await bench.clock.run(10)
    expect(bench.leader.last('inspected')?.result).toMatchObject({
      kind: 'failed',
      failures: [{ code: 'TOPIC_MISSING' }],
    })
  })

  test('tells partitions that appear, once', async () => {
    bench = new Bench()
    await bench.running()
    bench.log.growTopic('items', 2)
    await bench.clock.run(3000)
    expect(bench.leader.all('partitions-found')).toMatchObject([
      { attempt: 1n, partitions: [{ topic: 'items', partition: 1 }] },
    ])
  })

  test('refuses more tasks than it can run', async () => {
    bench = new Bench({ limits: { tasksMax: 0 } })
    bench.worker.start()
    await bench.clock.run(10)
    bench.startTask(0n)
    await bench.clock.run(10)
    expect(bench.leader.last('task-failed')?.failure).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      class: 'retry',
    })
  })

  test('starts a task of a higher attempt only when the lower one has ended', async () => {
    bench = new Bench()
    bench.append('1=a')
    await bench.running()
    bench.leader.barrier(1)
    bench.failPoints.arm(workerFailPoints.sealAfter, { kind: 'hold' })
    await bench.clock.run(5)
    bench.leader.attempt = a(2)
    bench.leader.hush()
    bench.startTask(0n)
    await bench.clock.run(5)
    expect(bench.leader.last('task-started')).toBeUndefined()
    bench.failPoints.release(workerFailPoints.sealAfter)
    await bench.clock.run(5)
    // The fence was not raised for attempt 2, so the new task learns that it may not write.
    expect(bench.leader.last('task-failed')).toMatchObject({ attempt: 2n })
    expect(bench.database.prepared.size).toBe(1)
  })
})

describe('drain (R14)', () => {
  test('asks the leader, stops when it says so, and reads nothing twice', async () => {
    bench = new Bench()
    bench.append('1=a')
    await bench.running()
    const draining = bench.worker.drain()
    await bench.clock.run(5)
    expect(bench.leader.last('draining')).toMatchObject({ leaderEpoch: 7n })
    await bench.checkpoint(1, 'yes')
    bench.leader.stopTasks()
    await bench.clock.run(5)
    bench.leader.drained()
    await bench.clock.run(5)
    expect(await draining).toBe('drained')
    await bench.worker.stop()
    expect(bench.rows()).toEqual(['1=a'])
  })

  test('asks again on the next stream, and does not wait for ever', async () => {
    bench = new Bench({ limits: { drainMs: 5_000 } })
    await bench.running()
    bench.control.disconnect('w1')
    const draining = bench.worker.drain()
    await bench.clock.run(1000)
    expect(bench.leader.all('draining')).toHaveLength(1)
    await bench.clock.run(5000)
    expect(await draining).toBe('timed-out')
    const stopping = bench.worker.stop()
    await bench.clock.run(1000)
    await stopping
    expect(bench.clock.pending()).toBeLessThan(5)
  })
})

describe('RESOLVE (R4)', () => {
  /** A worker died with checkpoint 1 sealed: its handle, as a decision stores it. */
  async function sealedByAnother() {
    bench = new Bench()
    bench.append('1=a')
    await bench.running()
    bench.leader.barrier(1)
    await bench.clock.run(5)
    bench.control.cut('w1')
    const handles = bench.leader.last('sealed')?.handles ?? []
    const other = new WorkerLoop(bench.options('w2'))
    other.start()
    await bench.clock.run(10)
    bench.leader.attempt = a(2)
    bench.leader.hush()
    return { checkpoint: n(1), attempt: a(1), handles }
  }

  test('any worker commits a decided handle', async () => {
    const record = await sealedByAnother()
    bench.leader.resolveCommit([record])
    await bench.clock.run(5)
    expect(bench.leader.last('resolve-committed')).toMatchObject({
      attempt: 2n,
      outcome: { kind: 'done' },
    })
    expect(bench.rows()).toEqual(['1=a'])
    bench.leader.resolveCommit([record])
    const head = { sink: sinkName('main'), subtask: subtask(0), checkpoint: n(1), attempt: a(1) }
    bench.leader.resolveAbort([head], n(1))
    await bench.clock.run(5)
    expect(bench.leader.last('resolve-aborted')?.outcome).toEqual({ kind: 'done' })
    expect(bench.database.ledger).toHaveLength(1)
  })

  test('what is not decided is rolled back, and the fence is raised', async () => {
    await sealedByAnother()
    bench.leader.resolveCommit()
    await bench.clock.run(5)
    expect(bench.database.prepared.size).toBe(1)
    bench.leader.resolveAbort()
    await bench.clock.run(5)
    expect(bench.leader.last('resolve-aborted')?.outcome).toEqual({ kind: 'done' })
    expect(bench.database.prepared.size).toBe(0)
    const scope = { cluster, pipeline, sink: sinkName('main'), attempt: a(2), leaderEpoch: e(7) }
    expect(bench.database.fence(scope)?.attempt).toBe(2n)
  })

  test('a decided handle that is gone is lost', async () => {
    const record = await sealedByAnother()
    bench.database.prepared.clear()
    bench.leader.resolveCommit([record])
    await bench.clock.run(5)
    expect(bench.leader.last('resolve-committed')?.outcome).toMatchObject({
      kind: 'lost',
      lost: [{ sink: 'main', subtask: 0, checkpoint: 1n }],
    })
  })

  test('a head that is not in the ledger is lost; a row above the last decided is ahead', async () => {
    const record = await sealedByAnother()
    const head = { sink: sinkName('main'), subtask: subtask(0), checkpoint: n(1), attempt: a(1) }
    bench.leader.resolveAbort([head], n(1))
    await bench.clock.run(5)
    expect(bench.leader.last('resolve-aborted')?.outcome).toMatchObject({
      kind: 'lost',
      lost: [{ checkpoint: 1n, failure: { code: 'DATA_LOSS' } }],
    })
    const [handle] = record.handles
    expect(handle?.kind).toBe('sealed')
  })

  test('a higher attempt supersedes an order that is still running', async () => {
    await sealedByAnother()
    bench.failPoints.arm(workerFailPoints.resolveCommitAfter, { kind: 'hold' })
    bench.leader.resolveCommit()
    await bench.clock.run(5)
    bench.leader.attempt = a(3)
    bench.leader.resolveCommit()
    await bench.clock.run(5)
    expect(bench.leader.all('resolve-committed')).toMatchObject([{ attempt: 3n }])
    bench.failPoints.release(workerFailPoints.resolveCommitAfter)
    await bench.clock.run(5)
    expect(bench.leader.all('resolve-committed')).toHaveLength(1)
    expect(bench.leader.last('stale')).toMatchObject({ attempt: 3n })
  })

  test('an order of a lower attempt is told that it is stale', async () => {
    await sealedByAnother()
    bench.leader.attempt = a(3)
    bench.leader.resolveCommit()
    bench.leader.attempt = a(2)
    bench.leader.resolveAbort()
    await bench.clock.run(5)
    expect(bench.leader.last('stale')).toMatchObject({ pipeline, attempt: 3n })
    expect(bench.leader.last('resolve-aborted')).toBeUndefined()
  })

  test('a result that its stream has lost is said again on the next one', async () => {
    await sealedByAnother()
    bench.failPoints.arm(workerFailPoints.resolveCommitAfter, { kind: 'hold' })
    bench.leader.resolveCommit()
    await bench.clock.run(5)
    bench.control.cut('w2')
    bench.failPoints.release(workerFailPoints.resolveCommitAfter)
    await bench.clock.run(5)
    bench.control.heal('w2')
    await bench.clock.run(200)
    expect(bench.leader.last('resolve-committed')?.outcome).toEqual({ kind: 'done' })
  })

  test('a sink that the spec lacks is refused', async () => {
    const record = await sealedByAnother()
    bench.leader.spec = specOf(['other'])
    bench.leader.resolveCommit([record])
    await bench.clock.run(5)
    expect(bench.leader.last('resolve-committed')?.outcome).toMatchObject({
      kind: 'failed',
      failure: { code: 'PRECONDITION_FAILED' },
    })
  })

  test('tasks of lower attempts end before a sink is resolved', async () => {
    bench = new Bench()
    bench.append('1=a')
    await bench.running()
    bench.failPoints.arm(workerFailPoints.sealAfter, { kind: 'hold' })
    bench.leader.barrier(1)
    await bench.clock.run(5)
    bench.leader.attempt = a(2)
    bench.leader.hush()
    bench.leader.resolveCommit()
    bench.leader.resolveAbort()
    await bench.clock.run(5)
    expect(bench.leader.last('resolve-committed')).toBeUndefined()
    bench.failPoints.release(workerFailPoints.sealAfter)
    await bench.clock.run(5)
    expect(bench.leader.last('resolve-aborted')?.outcome).toEqual({ kind: 'done' })
    expect(bench.database.prepared.size).toBe(0)
  })
})

describe('fail points', () => {
  test('a lost acknowledgement is said again on the next stream', async () => {
    bench = new Bench()
    bench.append('1=a')
    await bench.running()
    bench.failPoints.arm(workerFailPoints.acknowledgeLost, { kind: 'hold' })
    bench.leader.barrier(1)
    await bench.clock.run(5)
    bench.failPoints.release(workerFailPoints.acknowledgeLost)
    await bench.clock.run(5)
    expect(bench.leader.last('sealed')).toBeUndefined()
    bench.control.disconnect('w1')
    await bench.clock.run(200)
    expect(bench.leader.last('sealed')).toBeDefined()
  })

  test('a commit whose answer is lost commits once', async () => {
    bench = new Bench()
    bench.append('1=a')
    await bench.running()
    bench.failPoints.arm(workerFailPoints.commitLost, { kind: 'hold' })
    bench.leader.barrier(1)
    await bench.clock.run(5)
    bench.leader.commit(1)
    await bench.clock.run(5)
    bench.failPoints.release(workerFailPoints.commitLost)
    await bench.clock.run(200)
    expect(bench.leader.last('committed')?.outcome).toEqual({ kind: 'done' })
    expect(bench.database.ledger).toHaveLength(1)
  })

  test('every one is reached in a life with a restart', async () => {
    bench = new Bench()
    bench.append('1=a')
    await bench.running()
    await bench.checkpoint(1)
    expect(bench.leader.last('committed')?.leaderEpoch).toBe(leaderEpoch(7n))
    for (const name of Object.values(workerFailPoints)) {
      expect(bench.failPoints.reachedNames).toContain(name)
    }
  })
})
