import type { SinkFactory } from '@onceflow/ports'
import { MemoryDatabase, memorySinkFactory } from '@onceflow/twins'
import { expect, test } from 'vitest'
import { Bench } from './worker-fixture.ts'

/** Takes batches slowly, so that a barrier comes while one is handed over and others wait. */
function slowlyTaking(database: MemoryDatabase, pause: () => Promise<void>): SinkFactory {
  const inner = memorySinkFactory(database)
  return {
    ...inner,
    create: (request) => {
      const sink = inner.create(request)
      const invoke = sink.invoke.bind(sink)
      return Object.assign(sink, {
        invoke: async (...input: Parameters<typeof invoke>) => {
          await pause()
          return await invoke(...input)
        },
      })
    },
  }
}

test('an epoch holds exactly the records below its positions, whatever waits behind the cut', async () => {
  const database = new MemoryDatabase()
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      bench.clock.after(4, resolve)
    })
  const bench: Bench = new Bench({
    sink: slowlyTaking(database, pause),
    limits: { sliceRecordsMax: 1 },
  })
  const rows = () => database.rows('public.items').map((row) => `${row['id']}=${row['text']}`)
  bench.append('1=a', '2=b', '3=c', '4=d')
  await bench.running()
  bench.append('5=e', '6=f', '7=g', '8=h')
  await bench.clock.run(6)
  for (const checkpoint of [1, 2]) {
    bench.leader.barrier(checkpoint)
    await bench.clock.run(7)
    const end = Number(bench.leader.last('sealed')?.positions[0]?.offset)
    bench.leader.commit(checkpoint)
    await bench.clock.run(1)
    expect(rows()).toEqual(['1=a', '2=b', '3=c', '4=d', '5=e', '6=f', '7=g', '8=h'].slice(0, end))
    expect(end).toBeLessThan(8)
  }
  expect(bench.defects).toEqual([])
})
