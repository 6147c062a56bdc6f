import { subtask } from '@onceflow/model'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Server, startServer } from './server-fixture.ts'
import {
  cleared,
  codeOf,
  decided,
  head,
  itemShape,
  itemsOf,
  known,
  newRig,
  openTask,
  permit,
  type Rig,
  resolve,
  row,
  sealed,
  source,
} from './sink-fixture.ts'

let server: Server
let rig: Rig

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  rig = newRig(server)
  await cleared(server, 'public.item')
})

const items = () => itemsOf(server)
const prepared = async () =>
  (await server.query('SELECT gid FROM pg_prepared_xacts ORDER BY gid')).map(({ gid }) => gid)
const rows = (shape: Parameters<typeof row>[0], ids: readonly number[]) =>
  ids.map((id) => row(shape, [String(id), `name ${id}`, '1']))

async function sealOne(a: number, n: number) {
  const sink = await openTask(rig, a)
  const shape = await sink.resolveTable(source, itemShape)
  const { txn } = await sealed(sink, rows(shape, [n]), n)
  return { sink, txn, shape }
}

describe('the commit of a decided transaction', () => {
  test('whose reply is lost is found in the ledger', async () => {
    await resolve(rig, 1)
    const { sink, txn } = await sealOne(1, 1)
    const [gid] = await prepared()
    rig.points.actions.set('sink.postgres.commit.before', async () => {
      await server.query(`COMMIT PREPARED '${gid}'`)
    })
    expect(await sink.commit(txn, permit(1, 1))).toEqual({ kind: 'committed' })
    await sink.close()
  })

  test('goes on over a killed session', async () => {
    await resolve(rig, 1)
    const { sink, txn } = await sealOne(1, 1)
    await server.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name LIKE 'onceflow:%' AND pid <> pg_backend_pid()`,
    )
    expect(await sink.commit(txn, permit(1, 1))).toEqual({ kind: 'committed' })
    expect(await items()).toHaveLength(1)
    await sink.close()
  })

  test('goes on over a crash of the server', async () => {
    await resolve(rig, 1)
    const { sink, txn } = await sealOne(1, 1)
    await server.stop('immediate')
    const commit = sink.commit(txn, permit(1, 1))
    await server.start()
    expect(await commit).toEqual({ kind: 'committed' })
    expect(await items()).toHaveLength(1)
    await sink.close()
  })

  test('is not given up while the server is away, only not settled', async () => {
    await resolve(rig, 1)
    const { sink, txn } = await sealOne(1, 1)
    await server.stop('immediate')
    try {
      expect(await sink.commit(txn, permit(1, 1))).toMatchObject({
        kind: 'unknown',
        failure: { code: 'SINK_UNREACHABLE', class: 'retry' },
      })
    } finally {
      await server.start()
    }
    expect(await sink.commit(txn, permit(1, 1))).toEqual({ kind: 'committed' })
    await sink.close()
  })
})

describe('the chain of the ledger', () => {
  test('breaks when the row before is gone', async () => {
    await resolve(rig, 1)
    const { sink, txn, shape } = await sealOne(1, 1)
    await sink.commit(txn, permit(1, 1))
    await server.query('DELETE FROM onceflow.ledger')
    expect(await codeOf(sealed(sink, rows(shape, [2]), 2))).toBe('LEDGER_BROKEN')
    expect(await prepared()).toEqual([])
    await sink.close()
  })

  test('begins with the heads of all subtasks', async () => {
    await resolve(rig, 1)
    const one = await sealOne(1, 1)
    await one.sink.commit(one.txn, permit(1, 1))
    await one.sink.close()
    await resolve(rig, 2, {
      decided: decided([known(1, 1, 'completed')]),
      heads: [head(rig, 1, 1)],
      newest: 1,
    })
    const heads = [head(rig, 1, 1), { ...head(rig, 1, 1), subtask: subtask(1) }]
    const lacking = await openTask(rig, 2, { heads })
    const shape = await lacking.resolveTable(source, itemShape)
    expect(await codeOf(sealed(lacking, rows(shape, [2]), 2))).toBe('LEDGER_BROKEN')
    await lacking.close()
    const whole = await openTask(rig, 2, { heads: [head(rig, 1, 1)] })
    const again = await whole.resolveTable(source, itemShape)
    expect((await sealed(whole, rows(again, [2]), 3)).result.kind).toBe('sealed')
    await whole.close()
    await resolve(rig, 3, { decided: decided([known(1, 1, 'completed')]), newest: 1 })
  })
})
