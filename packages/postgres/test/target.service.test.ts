import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Server, startServer } from './server-fixture.ts'
import {
  cleared,
  codeOf,
  declaredShape,
  itemShape,
  itemsOf,
  newRig,
  openItems,
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

const opened = () => openItems(rig)

describe('target tables', () => {
  test('two tasks that race to create one both succeed', async () => {
    await resolve(rig, 1)
    const tasks = await Promise.all([0, 1, 2, 3].map((task) => openTask(rig, 1, { task })))
    const shapes = await Promise.all(tasks.map((sink) => sink.resolveTable(source, itemShape)))
    expect(new Set(shapes.map((shape) => JSON.stringify(shape))).size).toBe(1)
    await Promise.all(tasks.map((sink) => sink.close()))
  })

  test('one that it made and somebody dropped is not made again, empty', async () => {
    const first = await opened()
    await first.epoch([row(first.shape, ['1', 'a', '1'])])
    await first.sink.close()
    await server.query('DROP TABLE public.item')
    await resolve(rig, 2)
    const sink = await openTask(rig, 2)
    expect(await codeOf(sink.resolveTable(source, itemShape))).toBe('TARGET_TABLE_MISSING')
    await sink.close()
  })

  test('equal shapes are one object', async () => {
    const { sink, shape } = await opened()
    const again = await sink.resolveTable(source, { ...itemShape, columns: [...itemShape.columns] })
    expect(again).toBe(shape)
    await sink.close()
  })

  test('a column added at the source while an epoch runs', async () => {
    const { sink, shape, epoch } = await opened()
    await server.query("ALTER TABLE public.item ADD COLUMN note text DEFAULT 'none'")
    const wide = await sink.resolveTable(
      source,
      declaredShape([
        ['id', 'bigint'],
        ['name', 'text'],
        ['qty', 'integer'],
        ['note', 'text'],
      ]),
    )
    await epoch([row(shape, ['1', 'a', '1']), row(wide, ['2', 'b', '2', 'said'])])
    expect(await server.query('SELECT id::int, note FROM public.item ORDER BY id')).toEqual([
      { id: 1, note: 'none' },
      { id: 2, note: 'said' },
    ])
    await sink.close()
  })

  test.each([
    ['without the column', 'CREATE TABLE public.item (id bigint PRIMARY KEY, name text)'],
    ['without the key', 'CREATE TABLE public.item (id bigint, name text, qty integer)'],
    [
      'with another key',
      'CREATE TABLE public.item (id bigint, name text PRIMARY KEY, qty integer)',
    ],
    [
      'with a deferrable key',
      'CREATE TABLE public.item (id bigint PRIMARY KEY DEFERRABLE, name text, qty integer)',
    ],
    [
      'with a needed column that no record has',
      'CREATE TABLE public.item (id bigint PRIMARY KEY, name text, qty integer, x text NOT NULL)',
    ],
  ])('%s is a mismatch', async (_, sql) => {
    await server.query(sql)
    await resolve(rig, 1)
    const sink = await openTask(rig, 1)
    expect(await codeOf(sink.resolveTable(source, itemShape))).toBe('TARGET_MISMATCH')
    await sink.close()
  })

  test('a record without schema needs a table, and takes its shape from it', async () => {
    await resolve(rig, 1)
    const sink = await openTask(rig, 1)
    expect(await codeOf(sink.resolveTable(source, undefined))).toBe('TARGET_TABLE_MISSING')
    await server.query('CREATE TABLE public.item (qty integer, id bigint PRIMARY KEY, name text)')
    const shape = await sink.resolveTable(source, undefined)
    expect(shape.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'qty integer',
      'id bigint',
      'name text',
    ])
    expect(shape.keyColumns).toEqual([1])
    await sink.close()
  })

  test('a table without key is appended to', async () => {
    await resolve(rig, 1)
    const sink = await openTask(rig, 1)
    const keyless = declaredShape(
      itemShape.columns.map(({ name, type }) => [name, type]),
      [],
    )
    const shape = await sink.resolveTable(source, keyless)
    const { txn } = await sealed(
      sink,
      [row(shape, ['1', 'a', '1']), row(shape, ['1', 'a', '1'])],
      1,
    )
    await sink.commit(txn, permit(1, 1))
    expect(await items()).toHaveLength(2)
    expect(await codeOf(sealed(sink, [row(shape, ['1', 'a', '1'], 'update')], 2))).toBe(
      'KEY_MISSING',
    )
    await sink.close()
  })

  test('that two sources share is not emptied for one of them', async () => {
    const other = { schema: 'public', table: 'item_2' }
    const all = { kind: 'all' } as const
    const target = { schema: 'public', table: 'item' }
    rig = newRig(server, {}, [
      { source, target, columns: all, tasks: 'many' },
      { source: other, target, columns: all, tasks: 'many' },
    ])
    const { sink, shape, epoch } = await opened()
    const second = await sink.resolveTable(other, { ...itemShape, source: other })
    await epoch([row(shape, ['1', 'a', '1']), row(second, ['2', 'b', '2'])])
    expect(await items()).toHaveLength(2)
    const txn = await sink.beginTransaction(undefined)
    const { position, origin } = row(shape, ['1', 'a', '1'])
    const truncate = { kind: 'truncate', source, origin, position }
    expect(await codeOf(sink.invoke(txn, [truncate], undefined))).toBe('TARGET_MISMATCH')
    await sink.close()
  })

  test('routes and column filters decide where and what', async () => {
    rig = newRig(server, {}, [
      {
        source,
        target: { schema: 'public', table: 'routed' },
        columns: { kind: 'exclude', names: ['qty', 'id'] },
        tasks: 'many',
      },
    ])
    await server.query('DROP TABLE IF EXISTS public.routed')
    const { sink, shape, epoch } = await opened()
    expect(shape.columns.map(({ name }) => name)).toEqual(['id', 'name'])
    await epoch([row(shape, ['1', 'a'])])
    expect(await server.query('SELECT * FROM public.routed')).toEqual([{ id: '1', name: 'a' }])
    await sink.close()
  })
})
