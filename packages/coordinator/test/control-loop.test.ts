import { decodeRecord, keys } from '@onceflow/checkpoint'
import { expect, test } from 'vitest'
import { EffectQueue } from '../src/effect-queue.ts'
import { Bench, name, ScriptedWorker } from './coordinator-bench.ts'

const recordsOf = (bench: Bench) =>
  bench.metadata
    .range({ prefix: keys.pipelinesPrefix, limit: 1_000 })
    .values.filter((value) => value.key.includes('/checkpoints/'))
    .map((value) => decodeRecord(value.value))

test('CO-7: effects are performed in their order, one that waits holds the rest, none after stop', async () => {
  const queue = new EffectQueue()
  const done: number[] = []
  let release: () => void = () => undefined
  const effect = (value: number) => () => {
    done.push(value)
    return undefined
  }
  queue.push(effect(1))
  queue.push(() => new Promise<void>((resolve) => (release = resolve)))
  queue.push(effect(2))
  queue.push(effect(3))
  expect(done).toEqual([1])
  release()
  await Promise.resolve()
  await Promise.resolve()
  expect(done).toEqual([1, 2, 3])
  queue.stop()
  queue.push(effect(4))
  expect(done).toEqual([1, 2, 3])
})

test('CO-7: an order that is held at a fail point holds what was decided after it', async () => {
  const bench = new Bench()
  const worker = new ScriptedWorker(bench, 'w1')
  const { failPoints } = await bench.running()
  failPoints.arm('coordinator.P7.commit.before', { kind: 'hold' })
  worker.want()
  await bench.clock.run(200)
  expect(recordsOf(bench).map(({ state }) => state)).toEqual(['completed', 'committed'])
  expect(worker.count('commit')).toBe(0)
  failPoints.release('coordinator.P7.commit.before')
  await bench.clock.run(10)
  expect(worker.count('commit')).toBe(1)
})

test('CO-8, fault-006: P6 is stored and its answer is lost with the leader: the next one commits it', async () => {
  const bench = new Bench()
  const worker = new ScriptedWorker(bench, 'w1')
  const first = await bench.running()
  first.failPoints.arm('coordinator.P6.decide.reply-lost', { kind: 'hold' })
  worker.want()
  await bench.clock.run(50)
  expect(recordsOf(bench).at(-1)?.state).toBe('committed')
  expect(worker.count('commit')).toBe(0)
  first.store.disconnect()
  const second = bench.start('c2')
  await bench.clock.run(9_000)
  expect(bench.leaders()).toEqual(['c2'])
  const order = worker.last('resolve-commit')
  expect(order.open.map(({ checkpoint, handles }) => [checkpoint, handles.length])).toEqual([
    [1n, 1],
  ])
  expect(worker.last('start-task').positions[0]?.offset).toBe(5n)
  expect(await bench.state(second.node)).toBe('running')
  first.failPoints.release('coordinator.P6.decide.reply-lost')
  await bench.clock.run(1_000)
  expect(bench.leaders()).toEqual(['c2'])
})

test('CO-8, fault-005: all seals are in and P6 is not: the next leader aborts by its attempt', async () => {
  const bench = new Bench()
  const worker = new ScriptedWorker(bench, 'w1')
  const first = await bench.running()
  first.failPoints.arm('coordinator.P6.decide.before', { kind: 'hold' })
  worker.want()
  await bench.clock.run(50)
  first.store.disconnect()
  bench.start('c2')
  await bench.clock.run(9_000)
  expect(worker.last('resolve-commit').open).toEqual([])
  expect(worker.last('start-task').positions[0]?.offset).toBe(0n)
  first.failPoints.release('coordinator.P6.decide.before')
  first.store.connect()
  await bench.clock.run(1_000)
  expect(recordsOf(bench).filter(({ checkpoint }) => checkpoint === 1n)).toEqual([])
})

test('CO-9: a new leader waits for the workers that it knows of, and not longer than gatherMs', async () => {
  const bench = new Bench()
  const worker = new ScriptedWorker(bench, 'w1')
  const first = await bench.running()
  bench.control.cut('w1')
  const stopped = first.node.stop()
  await bench.clock.run(1_000)
  await stopped
  const second = bench.start('c2')
  await bench.clock.run(450)
  expect(
    second.node
      .leading()
      .pipelines.states()
      .map(({ phase }) => phase.kind),
  ).toEqual(['waiting'])
  const late = new ScriptedWorker(bench, 'w2')
  await bench.clock.run(30)
  expect(late.kinds()).toEqual(['welcome'])
  await bench.clock.run(2_000)
  expect(late.kinds()).toContain('start-task')
  expect(worker.count('abort')).toBe(0)
})

test('CO-10, R14: a worker that drains hands its task over, and is told when nothing is left', async () => {
  const bench = new Bench()
  const worker = new ScriptedWorker(bench, 'w1')
  await bench.running()
  const other = new ScriptedWorker(bench, 'w2')
  await bench.clock.run(1_000)
  worker.drain()
  await bench.clock.run(1_000)
  expect(worker.last('inject-barrier').stop).toBe('yes')
  const order = worker.kinds()
  expect(order.indexOf('stop-tasks')).toBeLessThan(order.indexOf('drained'))
  expect(other.last('start-task').positions[0]?.offset).toBe(5n)
  expect(worker.count('resolve-commit')).toBe(1)
})

test('CO-10: the last worker drains: COMPLETED is stored, then it may go', async () => {
  const bench = new Bench()
  const worker = new ScriptedWorker(bench, 'w1')
  await bench.running()
  worker.drain()
  await bench.clock.run(1_000)
  expect(worker.kinds().at(-1)).toBe('drained')
  expect(recordsOf(bench).map(({ state }) => state)).toEqual(['completed', 'completed'])
})

test('CO-11, fault-028: a silent worker is lost although its stream stands; a stream may break for 1 s', async () => {
  const bench = new Bench()
  const worker = new ScriptedWorker(bench, 'w1')
  await bench.running()
  const other = new ScriptedWorker(bench, 'w2')
  await bench.clock.run(500)
  bench.control.disconnect('w1')
  await bench.clock.run(900)
  expect(worker.count('start-task')).toBe(1)
  worker.silent = 'yes'
  await bench.clock.run(4_000)
  expect(other.count('start-task')).toBe(0)
  await bench.clock.run(3_000)
  expect(other.count('start-task')).toBe(1)
})

test('CO-2: in an outage of the store nothing is repeated without a pause, and all goes on after it', async () => {
  const bench = new Bench()
  const worker = new ScriptedWorker(bench, 'w1')
  const { store, node } = await bench.running()
  store.failNextTxns(...Array.from({ length: 5 }, () => 'lost' as const))
  const before = store.requests.length
  worker.want()
  await bench.clock.run(2_000)
  expect(store.requests.length - before).toBeLessThan(20)
  expect(worker.count('commit')).toBe(1)
  expect(
    (await node.admin().listCheckpoints(name, { size: 5, after: undefined })).items[0]?.state,
  ).toBe('completed')
})
