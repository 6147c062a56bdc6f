import { failureText, type TableSpec } from '@onceflow/model'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Server, startServer } from './server-fixture.ts'
import {
  cleared,
  codeOf,
  itemShape,
  newRig,
  openTask,
  resolve,
  row,
  sealed,
  source,
} from './sink-fixture.ts'

let server: Server
beforeAll(async () => {
  server = await startServer({ maxPreparedTransactions: 8 })
})
afterAll(() => server.close())

const routed = (tasks: 'one' | 'many' = 'many'): TableSpec => ({
  source,
  target: { schema: 'public', table: 'item' },
  columns: { kind: 'all' },
  tasks,
})

async function problems(what: {
  readonly tasks?: number
  readonly table?: TableSpec
  readonly spec?: Parameters<typeof newRig>[1]
}) {
  const rig = newRig(server, what.spec, [what.table ?? routed()])
  const found = await rig.factory.preflight(rig.request, what.tasks ?? 1)
  return found.map(({ severity, failure }) => `${severity}: ${failureText(failure)}`)
}

beforeEach(() => cleared(server, 'public.item CASCADE'))

describe('preflight', () => {
  test('finds nothing where nothing is wrong', async () => {
    expect(await problems({})).toEqual([])
    await server.query('CREATE TABLE public.item (id bigint PRIMARY KEY, name text)')
    expect(await problems({})).toEqual([])
    await resolve(newRig(server), 1)
    expect(await problems({})).toEqual([])
  })

  test('C89: asks for prepared transactions of all tasks', async () => {
    const [line] = await problems({ tasks: 4 })
    expect(line).toMatch(/error: PREFLIGHT_FAILED: max_prepared_transactions is 8; 4 tasks need 10/)
    expect(line).toContain('ALTER SYSTEM SET max_prepared_transactions = 64')
  })

  test('lists every problem of a table at once', async () => {
    await server.query(
      `CREATE TABLE public.item (id bigint PRIMARY KEY, email text UNIQUE, parent bigint
       REFERENCES public.item, n integer, EXCLUDE (n WITH =));
       CREATE FUNCTION public.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
       CREATE TRIGGER watch BEFORE INSERT ON public.item EXECUTE FUNCTION public.nothing()`,
    )
    const one = await problems({ table: routed('one'), tasks: 2 })
    expect(one.map((line) => line.split(':')[0])).toEqual(['warning', 'warning', 'warning'])
    const many = await problems({ tasks: 2 })
    expect(many.map((line) => line.split(':')[0])).toEqual(['error', 'error', 'warning'])
    expect(many.join()).toContain('item_email_key')
    expect(many.join()).toContain('DEFERRABLE INITIALLY DEFERRED')
    await server.query('DROP FUNCTION public.nothing CASCADE')
  })

  test('tells of a key that cannot be found, and of a table that must be there', async () => {
    await server.query('CREATE TABLE public.item (id bigint, name text)')
    expect(await problems({})).toEqual([expect.stringContaining('has no key')])
    await cleared(server, 'public.item')
    expect(await problems({ spec: { tables: 'require' } })).toEqual([
      expect.stringContaining('does not exist'),
    ])
  })

  test('tells a role what it lacks, and prints the script', async () => {
    await server.query(
      `DROP SCHEMA IF EXISTS onceflow CASCADE; DROP ROLE IF EXISTS weak; CREATE ROLE weak LOGIN;
       CREATE TABLE public.item (id bigint PRIMARY KEY, name text, qty integer)`,
    )
    const spec = { user: 'weak' }
    const before = await problems({ spec })
    expect(before.join()).toContain('CREATE TABLE IF NOT EXISTS onceflow.ledger')
    expect(before.filter((line) => line.includes('lacks'))).toHaveLength(4)
    const refused = await resolve(newRig(server, spec), 1).catch(String)
    expect(refused).toContain('SINK_AUTH')
    expect(refused).toContain('CREATE TABLE IF NOT EXISTS onceflow.ledger')
    await resolve(newRig(server), 1)
    const after = await problems({ spec })
    expect(after.join()).toContain('may not use schema onceflow')
    await server.query('GRANT USAGE ON SCHEMA onceflow TO weak')
    const lacking = (await problems({ spec })).join()
    expect(lacking).toContain('GRANT UPDATE ON onceflow.fence')
    expect(lacking).toContain('GRANT CREATE ON SCHEMA onceflow')
    await server.query(
      `GRANT USAGE, CREATE ON SCHEMA onceflow TO weak;
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA onceflow TO weak;
       GRANT SELECT, INSERT, UPDATE, DELETE ON public.item TO weak`,
    )
    expect(await problems({ spec })).toEqual([])
    const rig = newRig(server, spec)
    await resolve(rig, 1)
    const sink = await openTask(rig, 1)
    const shape = await sink.resolveTable(source, itemShape)
    const many = Array.from({ length: 300 }, (_, id) => row(shape, [`${id}`, 'a', '1'], 'update'))
    const { txn, result } = await sealed(sink, many, 1)
    expect(result.kind).toBe('sealed')
    await sink.abort(txn)
    await sink.close()
  })

  test('tells of a server that cannot be reached or refuses us', async () => {
    expect((await problems({ spec: { port: 1 } })).join()).toContain('SINK_UNREACHABLE')
    expect((await problems({ spec: { user: 'nobody' } })).join()).toContain('SINK_AUTH')
    expect((await problems({ spec: { database: 'none' } })).join()).toContain('SINK_AUTH')
  })
})

test('the sink says what it claims', () => {
  const rig = newRig(server)
  expect(rig.factory.claim(rig.request).guarantee).toBe('exactly-once')
})

test('C89: a server that is out of prepared transactions is a limit, and retried', async () => {
  const rig = newRig(server)
  await resolve(rig, 1)
  const sink = await openTask(rig, 1)
  const shape = await sink.resolveTable(source, itemShape)
  for (let n = 0; n < 8; n += 1) {
    await server.query(`BEGIN; SELECT 1; PREPARE TRANSACTION 'foreign ${n}'`)
  }
  expect(await codeOf(sealed(sink, [row(shape, ['1', 'a', '1'])], 1))).toBe('SINK_LIMIT')
  await server.query("ROLLBACK PREPARED 'foreign 0'")
  expect((await sealed(sink, [row(shape, ['1', 'a', '1'])], 2)).result.kind).toBe('sealed')
  await sink.close()
})
