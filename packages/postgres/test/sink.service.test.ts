import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Server, startServer } from './server-fixture.ts'
import {
  codeOf,
  decided,
  gone,
  head,
  itemShape,
  known,
  newRig,
  openTask,
  order,
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
  await server.query('DROP TABLE IF EXISTS public.item')
})

const items = () => server.query('SELECT id::text, name, qty FROM public.item ORDER BY id')
const prepared = () => server.query('SELECT gid FROM pg_prepared_xacts')

describe('seal, commit, abort', () => {
  test('rows are visible after the commit, and not before', async () => {
    await resolve(rig, 1)
    const sink = await openTask(rig, 1)
    const shape = await sink.resolveTable(source, itemShape)
    const { txn, result } = await sealed(sink, [row(shape, ['1', 'a', '5'])], 1)
    expect(result).toEqual({ kind: 'sealed', rowsUpserted: 1, rowsDeleted: 0 })
    expect(await items()).toEqual([])
    expect(await sink.commit(txn, permit(1, 1))).toEqual({ kind: 'committed' })
    expect(await sink.commit(txn, permit(1, 1))).toEqual({ kind: 'committed' })
    expect(await items()).toEqual([{ id: '1', name: 'a', qty: 5 }])
    expect(await prepared()).toEqual([])
    await sink.close()
  })

  test('an aborted epoch leaves nothing', async () => {
    await resolve(rig, 1)
    const sink = await openTask(rig, 1)
    const shape = await sink.resolveTable(source, itemShape)
    const { txn } = await sealed(sink, [row(shape, ['1', 'a', '5'])], 1)
    expect(await prepared()).toHaveLength(1)
    await sink.abort(txn)
    await sink.abort(txn)
    expect(await prepared()).toEqual([])
    expect(await items()).toEqual([])
    await sink.close()
  })
})
