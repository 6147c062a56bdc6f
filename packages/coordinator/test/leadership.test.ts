import { keys } from '@onceflow/checkpoint'
import { leaderEpoch } from '@onceflow/model'
import { expect, test } from 'vitest'
import { defaultLeaseSettings } from '../src/index.ts'
import { Bench, leads, ScriptedWorker } from './coordinator-bench.ts'

const { ttlMs, marginMs } = defaultLeaseSettings

test('CO-1, fault-013: of two coordinators one leads, and the other one knows where', async () => {
  const bench = new Bench()
  bench.start('c1')
  await bench.clock.run(10)
  const second = bench.start('c2')
  await bench.clock.run(5_000)
  expect(bench.leaders()).toEqual(['c1'])
  expect(second.node.leaderAddress()).toBe('c1')
  expect(() => second.node.admin()).toThrow('NOT_LEADER')
})

test('CO-2, fault-015: a leader that is cut off stops acting before its key can go', async () => {
  const bench = new Bench()
  const first = bench.start('c1')
  await bench.clock.run(10)
  bench.start('c2')
  await bench.clock.run(3_000)
  first.store.disconnect()
  let overAtMs = 0
  for (let ms = 0; ms < 2 * ttlMs; ms += 50) {
    await bench.clock.run(50)
    expect(bench.leaders().length).toBeLessThanOrEqual(1)
    if (!leads(first.node) && overAtMs === 0) overAtMs = ms
  }
  expect(overAtMs).toBeLessThanOrEqual(ttlMs - marginMs)
  expect(bench.leaders()).toEqual(['c2'])
})

test('CO-2: a leader that was cut off sends nothing any more, neither orders nor Txns', async () => {
  const bench = new Bench()
  const worker = new ScriptedWorker(bench, 'w1')
  const first = await bench.running()
  worker.mute.add('inject-barrier')
  worker.want()
  await bench.clock.run(100)
  first.store.disconnect()
  await bench.clock.run(ttlMs)
  expect(leads(first.node)).toBe(false)
  const asked = first.store.requests.length
  const heard = worker.heard.length
  await bench.clock.run(2_000)
  expect(worker.heard.length).toBe(heard)
  expect(first.store.requests.length).toBe(asked)
})

test('CO-3: an election whose answer is lost is won by the value that only we wrote', async () => {
  const bench = new Bench()
  const { store, node } = bench.start('c1')
  store.failNextTxns('applied')
  await bench.clock.run(500)
  expect(leads(node)).toBe(true)
  const created = bench.metadata.get(keys.leaderKey)?.created
  expect(node.leading().leaderEpoch).toBe(created)
})

test('CO-3: an election that never arrives is held again, at a pace', async () => {
  const bench = new Bench()
  const { store, node } = bench.start('c1')
  store.failNextTxns('lost', 'not-applied', 'lost')
  await bench.clock.run(1_000)
  expect(leads(node)).toBe(true)
  const tries = store.requests.filter((request) =>
    request.writes.some((write) => write.key === keys.leaderKey),
  )
  expect(tries.length).toBe(4)
})

test('CO-4: one that resigns is followed without waiting for the lease', async () => {
  const bench = new Bench()
  const first = bench.start('c1')
  await bench.clock.run(10)
  bench.start('c2')
  await bench.clock.run(1_000)
  const stopped = first.node.stop()
  await bench.clock.run(1_000)
  await stopped
  expect(bench.leaders()).toEqual(['c2'])
})

test('CO-4: one that is stopped while it campaigns does not lead', async () => {
  const bench = new Bench()
  const { node, store } = bench.start('c1')
  store.hold()
  await bench.clock.run(1)
  const stopped = node.stop()
  store.release()
  await bench.clock.run(2_000)
  await stopped
  expect(bench.leaders()).toEqual([])
  expect(bench.leaderValue()).toBeUndefined()
})

test('CO-5: the uid of the cluster is made once, by the first leader ever', async () => {
  const bench = new Bench()
  const first = bench.start('c1')
  await bench.clock.run(100)
  const { cluster, leaderEpoch: before } = first.node.leading()
  const stopped = first.node.stop()
  await bench.clock.run(1_000)
  await stopped
  const second = bench.start('c2')
  await bench.clock.run(1_000)
  expect(second.node.leading().cluster).toBe(cluster)
  expect(second.node.leading().leaderEpoch > before).toBe(true)
})

test('CO-6: a worker that has seen a greater leader epoch makes the leader stand down', async () => {
  const bench = new Bench()
  const { node } = bench.start('c1')
  await bench.clock.run(100)
  const { leaderEpoch: epoch } = node.leading()
  const worker = new ScriptedWorker(bench, 'w1')
  worker.seen = leaderEpoch(epoch + 5n)
  await bench.clock.run(10)
  expect(leads(node)).toBe(false)
  expect(worker.kinds()).toEqual([])
})

test('CO-6: so does a worker that answers stale with a greater epoch', async () => {
  const bench = new Bench()
  const worker = new ScriptedWorker(bench, 'w1')
  const { node } = await bench.running()
  const later = leaderEpoch(node.leading().leaderEpoch + 1n)
  worker.say({ kind: 'stale', leaderEpoch: later, pipeline: undefined, attempt: undefined })
  await bench.clock.run(10)
  expect(leads(node)).toBe(false)
})
