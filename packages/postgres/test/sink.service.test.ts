import { type Cell, type Change, type TableShape, unchanged } from '@onceflow/model'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Server, startServer } from './server-fixture.ts'
import {
  at,
  cleared,
  codeOf,
  gone,
  head,
  itemShape,
  itemsOf,
  newRig,
  openItems,
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
  await cleared(server, 'public.item')
})

const items = () => itemsOf(server)
const prepared = () => server.query('SELECT gid FROM pg_prepared_xacts')

const opened = () => openItems(rig)

describe('seal, commit, abort', () => {
  test('rows are visible after the commit, and not before', async () => {
    const { sink, shape } = await opened()
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
    const { sink, shape } = await opened()
    const { txn } = await sealed(sink, [row(shape, ['1', 'a', '5'])], 1)
    expect(await prepared()).toHaveLength(1)
    await sink.abort(txn)
    await sink.abort(txn)
    expect(await prepared()).toEqual([])
    expect(await items()).toEqual([])
    await sink.close()
  })

  test('rows of the next epoch are gathered and tables resolved while one is sealed', async () => {
    const { sink, shape } = await opened()
    const first = await sink.beginTransaction(undefined)
    await sink.invoke(first, [row(shape, ['1', 'a', '5'])], undefined)
    const sealing = sink.preCommit(first, order(1))
    const second = await sink.beginTransaction(undefined)
    const other = { schema: 'public', table: 'item' }
    await sink.resolveTable(other, itemShape)
    await sink.invoke(second, [row(shape, ['1', 'b', '6'])], undefined)
    await sealing
    await sink.commit(first, permit(1, 1))
    await sink.preCommit(second, order(2))
    await sink.commit(second, permit(2, 1))
    expect(await items()).toEqual([{ id: '1', name: 'b', qty: 6 }])
    await sink.close()
  })

  test('an error inside the transaction does not leave the session in it (C85)', async () => {
    const { sink, shape, epoch } = await opened()
    expect(await codeOf(sealed(sink, [row(shape, ['1', 'a', 'many'])], 7))).toBe('SINK_REFUSED')
    expect(await prepared()).toEqual([])
    await epoch([row(shape, ['2', 'b', '1'])])
    expect(await items()).toHaveLength(1)
    await sink.close()
  })

  test('no value is in the text of a failure', async () => {
    const { sink, shape } = await opened()
    const secret = 'hunter2hunter2'
    const text = await sealed(sink, [row(shape, ['1', 'a', secret])], 1).catch(String)
    expect(text).toContain('22P02')
    expect(text).not.toContain(secret)
    await sink.close()
  })
})

describe('the ledger', () => {
  const ledger = () =>
    server.query(
      `SELECT checkpoint::text AS n, positions_from->0->>'offset' AS start,
       positions_to->0->>'offset' AS end, rows_upserted::int AS rows FROM onceflow.ledger
       WHERE pipeline_uid = '${rig.scope(1).pipeline}' ORDER BY checkpoint`,
    )

  test('an epoch without rows seals empty, and its positions ride in the next row', async () => {
    const { sink, shape } = await opened()
    const seal = async (changes: readonly Change[], at: readonly [number, number, number]) => {
      const [n, from, to] = at
      const txn = await sink.beginTransaction(undefined)
      await sink.invoke(txn, changes, undefined)
      const result = await sink.preCommit(txn, order(n, from, to))
      await sink.commit(txn, permit(n, 1))
      return result.kind
    }
    expect(await seal([row(shape, ['1', 'a', '1'])], [1, 0, 10])).toBe('sealed')
    expect(await seal([], [2, 10, 20])).toBe('empty')
    expect(await seal([], [3, 20, 30])).toBe('empty')
    expect(await seal([row(shape, ['2', 'a', '1'])], [5, 30, 40])).toBe('sealed')
    expect(await seal([], [6, 40, 50])).toBe('empty')
    await sink.close()
    await resolve(rig, 2, { heads: [head(rig, 5, 1)], newest: 6 })
    const next = await openTask(rig, 2, { heads: [head(rig, 5, 1)] })
    const again = await next.resolveTable(source, itemShape)
    const txn = await next.beginTransaction(undefined)
    await next.invoke(txn, [row(again, ['3', 'a', '1'])], undefined)
    await next.preCommit(txn, { checkpoint: order(7).checkpoint, from: [at(50)], to: [at(60)] })
    await next.commit(txn, permit(7, 2))
    expect(await ledger()).toEqual([
      { n: '1', start: '0', end: '10', rows: 1 },
      { n: '5', start: '10', end: '40', rows: 1 },
      { n: '7', start: '40', end: '60', rows: 1 },
    ])
    await next.close()
  })
})

describe('big epochs', () => {
  const ids = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i)
  const rowOf = (shape: TableShape, id: number, name: string) =>
    row(shape, [String(id), name, '1'], 'update')

  test('go through staging, which is emptied and used again', async () => {
    const { sink, shape, epoch } = await opened()
    for (const name of ['a', 'b', 'c', 'd']) {
      await epoch(ids(500).map((id) => rowOf(shape, id, name)))
    }
    await epoch(ids(400).map((id) => gone(shape, [String(id)])))
    expect(await items()).toHaveLength(100)
    expect(new Set((await items()).map(({ name }) => name))).toEqual(new Set(['d']))
    const { pipeline } = rig.scope(1)
    const staging = await server.query(
      `SELECT relpersistence AS p FROM pg_class WHERE relkind = 'r' AND relname LIKE '%${pipeline}%'`,
    )
    expect(new Set(staging.map(({ p }) => p))).toEqual(new Set(['u']))
    expect(staging.length).toBeLessThanOrEqual(2)
    await sink.close()
  })

  test('copy new rows directly, and write the epoch again when one exists', async () => {
    const { sink, shape, epoch } = await opened()
    const created = (from: number) => ids(300, from).map((id) => row(shape, [`${id}`, 'new', '1']))
    await epoch(created(0))
    await epoch(created(1_000))
    await server.query("INSERT INTO public.item VALUES (2005, 'foreign', 0)")
    await epoch(created(2_000))
    await epoch(created(2_100))
    expect(await items()).toHaveLength(1_000 - 300 + 100 + 300 - 100)
    expect(new Set((await items()).map(({ name }) => name))).toEqual(new Set(['new']))
    await sink.close()
  })

  test('truncate takes all rows before it (C11), also as the only change of a table', async () => {
    const { sink, shape, epoch } = await opened()
    await epoch(ids(10).map((id) => rowOf(shape, id, 'a')))
    const truncate: Change = {
      kind: 'truncate',
      source,
      origin: { lsn: undefined, commitTimeMs: 0 },
      position: { topic: 'item', partition: 0, offset: 1n },
    }
    await epoch([rowOf(shape, 50, 'x'), truncate, rowOf(shape, 51, 'y')])
    expect(await items()).toEqual([{ id: '51', name: 'y', qty: 1 }])
    await epoch([truncate])
    expect(await items()).toEqual([])
    await sink.close()
  })

  test.each([3, 400])('placeholders keep stored values, %i rows', async (count) => {
    const { sink, shape, epoch } = await opened()
    await epoch(ids(count).map((id) => rowOf(shape, id, `name ${id}`)))
    await epoch(ids(count).map((id) => row(shape, [`${id}`, unchanged, '7'], 'update')))
    expect(await items()).toEqual(
      ids(count).map((id) => ({ id: `${id}`, name: `name ${id}`, qty: 7 })),
    )
    const lacking = ids(count, 1).map((id) => row(shape, [`${id}`, unchanged, '8'], 'update'))
    expect(await codeOf(sealed(sink, lacking, 50))).toBe('PLACEHOLDER_WITHOUT_ROW')
    await sink.close()
  })

  test.each([3, 400])('shifted keys take their stored values along, %i rows', async (count) => {
    const { sink, shape, epoch } = await opened()
    await epoch(ids(count).map((id) => rowOf(shape, id, `name ${id}`)))
    const moves = ids(count)
      .reverse()
      .flatMap((id): Change[] => {
        const origin = { lsn: BigInt(id), commitTimeMs: 0 }
        const leaves = { ...gone(shape, [`${id}`]), keyChange: 'leaves', origin } as Change
        const cells: Cell[] = [`${id + 1}`, unchanged, '9']
        const arrives = { ...row(shape, cells), keyChange: 'arrives', origin } as Change
        return [leaves, arrives]
      })
    await epoch(moves)
    expect(await items()).toEqual(
      ids(count).map((id) => ({ id: `${id + 1}`, name: `name ${id}`, qty: 9 })),
    )
    await sink.close()
  })
})

describe('a key change that a barrier cuts in two', () => {
  const origin = { lsn: 77n, commitTimeMs: 0 }
  const leaves = (shape: TableShape, offset: bigint): Change => ({
    kind: 'delete',
    shape,
    key: ['1'],
    keyChange: 'leaves',
    origin,
    position: { topic: 'item', partition: 0, offset },
  })
  const arrives = (shape: TableShape): Change =>
    ({ ...row(shape, ['2', unchanged, '9']), keyChange: 'arrives', origin }) as Change
  const departed = () => server.query('SELECT target, row_values FROM onceflow.departed')

  test('takes its stored values along, in the same attempt and over a restart', async () => {
    const { sink, shape, epoch } = await opened()
    await epoch([row(shape, ['1', 'toast', '5'])])
    await epoch([leaves(shape, 28n)])
    expect(await items()).toEqual([])
    expect(await departed()).toHaveLength(1)
    await epoch([arrives(shape)])
    expect(await items()).toEqual([{ id: '2', name: 'toast', qty: 9 }])
    expect(await departed()).toEqual([])
    await epoch([gone(shape, ['2']), row(shape, ['1', 'again', '5'])])
    await epoch([leaves(shape, 58n)])
    await sink.close()
    const heads = [head(rig, 5, 1)]
    await resolve(rig, 2, { heads, newest: 5 })
    const next = await openTask(rig, 2, { heads })
    const second = await next.resolveTable(source, itemShape)
    const { txn } = await sealed(next, [arrives(second)], 6)
    await next.commit(txn, permit(6, 2))
    expect(await items()).toEqual([{ id: '2', name: 'again', qty: 9 }])
    expect(await departed()).toEqual([])
    await next.close()
  })

  test('is not kept when its second half must be elsewhere, and then is a failure', async () => {
    const { sink, shape, epoch } = await opened()
    await epoch([row(shape, ['1', 'toast', '5'])])
    await epoch([leaves(shape, 1n)])
    expect(await departed()).toEqual([])
    const code = await codeOf(sealed(sink, [arrives(shape)], 9))
    expect(code).toBe('PLACEHOLDER_WITHOUT_ROW')
    await sink.close()
  })
})
