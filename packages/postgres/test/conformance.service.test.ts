import { pipelineUid } from '@onceflow/model'
import { afterAll, beforeAll } from 'vitest'
import { describeSink } from '../../../test/conformance/sink.ts'
import { type Server, startServer } from './server-fixture.ts'
import { cleared, declaredShape, newRig, row, source } from './sink-fixture.ts'

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const shape = declaredShape(
  [
    ['key', 'text'],
    ['value', 'text'],
  ],
  ['key'],
)

let pipelines = 0

describeSink('postgres', async () => {
  const rig = newRig(server)
  pipelines += 1
  await cleared(server, 'public.item')
  return {
    pipeline: pipelineUid(`conformance${pipelines}`),
    sink: rig.request.spec.name,
    create: () => rig.create(),
    batch: async (sink, pairs) => {
      const target = await sink.resolveTable(source, shape)
      return pairs.map(({ key, value }) => row(target, [key, value]))
    },
    visible: async () => {
      const [found] = await server.query("SELECT to_regclass('public.item') AS item")
      if (found?.['item'] === null) return []
      const rows = await server.query('SELECT key, value FROM public.item')
      return rows.map((one) => ({ key: String(one['key']), value: String(one['value']) }))
    },
    close: async () => undefined,
  }
})
