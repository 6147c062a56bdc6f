import { keys } from '@onceflow/checkpoint'
import { expect, test } from 'vitest'
import { Bench, name, ScriptedWorker, specOf } from './coordinator-bench.ts'

const plain = { validate: 'no', requestId: '', etag: undefined } as const
const change = { name, ...plain }
const page = { size: 1_000, after: undefined }

async function started() {
  const bench = new Bench()
  const worker = new ScriptedWorker(bench, 'w1')
  const { node, store } = await bench.running()
  return { bench, worker, node, store, admin: node.admin() }
}

test('CO-12: create, read and list; a name is given once', async () => {
  const { bench, admin } = await started()
  expect(await bench.done(admin.getPipeline(name))).toMatchObject({
    name,
    state: 'running',
    tasks: 1,
  })
  const again = bench.done(admin.createPipeline({ spec: specOf(), validate: 'no', requestId: '' }))
  await expect(again).rejects.toThrow('ALREADY_EXISTS')
  expect((await admin.listPipelines(page)).items.map((item) => item.name)).toEqual([name])
})

test('CO-12: what is only validated changes nothing', async () => {
  const { bench, admin, store } = await started()
  const before = store.requests.length
  const spec = specOf({ parallelism: 3 })
  await bench.done(admin.updatePipeline({ ...plain, spec, missing: 'refuse', validate: 'only' }))
  await bench.done(admin.deletePipeline({ ...change, validate: 'only' }))
  expect(store.requests.length).toBe(before)
})

test('CO-13: pause ends at a committed checkpoint with nothing left, resume goes on from there', async () => {
  const { bench, worker, admin, node } = await started()
  await bench.done(admin.pausePipeline(change), 2_000)
  expect(await bench.state(node)).toBe('paused')
  expect(worker.last('inject-barrier').stop).toBe('yes')
  expect((await admin.listTransactions(name, page)).items).toEqual([])
  await bench.done(admin.resumePipeline(change), 2_000)
  expect(await bench.state(node)).toBe('running')
  expect(worker.last('start-task').positions[0]?.offset).toBe(5n)
})

test('CO-13: an etag that is not the present one is refused, and so is a change that came between', async () => {
  const { bench, admin, store, node } = await started()
  await expect(bench.done(admin.pausePipeline({ ...change, etag: '1' }))).rejects.toThrow('ETAG')
  const { etag } = await admin.getPipeline(name)
  const [first, second] = await Promise.allSettled([
    bench.done(admin.pausePipeline({ ...change, etag })),
    bench.done(admin.deletePipeline({ ...change, etag })),
  ])
  expect([first.status, second.status]).toEqual(['fulfilled', 'rejected'])
  await bench.clock.run(2_000)
  expect(await bench.state(node)).toBe('paused')
  expect(store.requests.length).toBeGreaterThan(0)
})

test('CO-13: a change whose answer is lost is settled by the same Txn, and done once', async () => {
  const { bench, admin, store, node } = await started()
  const { etag } = await admin.getPipeline(name)
  store.failNextTxns('applied')
  const paused = await bench.done(admin.pausePipeline({ ...change, etag }), 500)
  expect(paused.etag).not.toBe(etag)
  store.failNextTxns('lost', 'not-applied')
  await bench.clock.run(2_000)
  await bench.done(admin.resumePipeline(change), 3_000)
  expect(await bench.state(node)).toBe('running')
})

test('CO-13: a create whose answer is lost makes one pipeline', async () => {
  const bench = new Bench()
  new ScriptedWorker(bench, 'w1')
  const { node, store } = bench.start('c1')
  await bench.clock.run(200)
  store.failNextTxns('applied')
  await bench.create(node.admin())
  expect(await bench.state(node)).toBe('running')
  expect(bench.metadata.keys().filter((key) => key.endsWith('/spec')).length).toBe(1)
})

test('CO-14: deletion settles, frees the name and sweeps every key; the name can be used again', async () => {
  const { bench, worker, admin, node } = await started()
  const { uid } = await admin.getPipeline(name)
  worker.want()
  await bench.clock.run(500)
  await bench.done(admin.deletePipeline(change), 3_000)
  expect(bench.metadata.keys().filter((key) => key.includes(uid))).toEqual([])
  await expect(admin.getPipeline(name)).rejects.toThrow('NOT_FOUND')
  await bench.create(admin)
  expect((await admin.getPipeline(name)).uid).not.toBe(uid)
  expect(await bench.state(node)).toBe('running')
  expect(worker.last('start-task').positions[0]?.offset).toBe(0n)
})

test('CO-14: a sweep without an answer is done again', async () => {
  const { bench, admin, store } = await started()
  const { uid } = await admin.getPipeline(name)
  const deleted = admin.deletePipeline(change)
  for (let ms = 0; ms < 3_000 && bench.metadata.get(keys.nameKey(name)) !== undefined; ms += 1) {
    await bench.clock.run(1)
  }
  store.failNextTxns('lost', 'applied')
  await bench.done(deleted, 5_000)
  expect(bench.metadata.keys().filter((key) => key.includes(uid))).toEqual([])
})

test('CO-15: more than 1,000 checkpoints are listed, page by page, after a leader change too', async () => {
  const { bench, worker, node } = await started()
  for (let turn = 0; turn < 1_030; turn += 1) {
    worker.want()
    await bench.clock.run(2)
  }
  const stopped = node.stop()
  await bench.clock.run(100)
  await stopped
  const second = bench.start('c2')
  await bench.clock.run(3_000)
  const numbers: bigint[] = []
  let after: string | undefined
  do {
    const part = await second.node.admin().listCheckpoints(name, { size: 100, after })
    numbers.push(...part.items.map((item) => BigInt(item.checkpoint)))
    after = part.next
  } while (after !== undefined)
  expect(numbers.length).toBeGreaterThan(1_000)
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => (a > b ? -1 : 1)))
})
