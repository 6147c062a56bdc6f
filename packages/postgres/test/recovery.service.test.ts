import type { AnySink } from '@onceflow/ports'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { postgresFailPoints } from '../src/index.ts'
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
const fence = async () => {
  const rows = await server.query(
    `SELECT attempt::text FROM onceflow.fence WHERE pipeline_uid = '${rig.scope(1).pipeline}'`,
  )
  return rows[0]?.['attempt']
}
const rows = (shape: Parameters<typeof row>[0], ids: readonly number[]) =>
  ids.map((id) => row(shape, [String(id), `name ${id}`, '1']))

/** Handles as a record carries them: through their serialised form. */
function open(sink: AnySink, txn: unknown) {
  const { transactionSerializer: serializer } = sink
  const json = JSON.parse(JSON.stringify(serializer.serialize(txn)))
  const base = head(rig, 1, 1)
  return {
    checkpoint: base.checkpoint,
    attempt: base.attempt,
    subtask: base.subtask,
    txn: serializer.deserialize(serializer.version, json),
  }
}

async function sealOne(a: number, n: number) {
  const sink = await openTask(rig, a)
  const shape = await sink.resolveTable(source, itemShape)
  const { txn } = await sealed(sink, rows(shape, [n]), n)
  return { sink, txn, shape }
}

const gate = () => {
  let open: () => void = () => undefined
  const passed = new Promise<void>((go) => {
    open = go
  })
  return { open, passed }
}

/** Holds whoever reaches the point until told; tells when somebody is there. */
function hold(point: string) {
  const arrived = gate()
  const leave = gate()
  rig.points.actions.set(point, () => {
    rig.points.actions.delete(point)
    arrived.open()
    return leave.passed
  })
  return { arrived: arrived.passed, release: leave.open }
}

describe('RESOLVE', () => {
  test('rolls back a seal that nobody decided', async () => {
    await resolve(rig, 1)
    const { sink } = await sealOne(1, 1)
    await sink.close()
    expect(await resolve(rig, 2)).toEqual({
      commit: { kind: 'done', lost: [] },
      abort: { kind: 'done', rolledBack: 1 },
      finish: { kind: 'done' },
    })
    expect(await prepared()).toEqual([])
    expect(await fence()).toBe('2')
    const next = await sealOne(2, 2)
    await next.sink.commit(next.txn, permit(2, 2))
    expect((await items()).map(({ id }) => id)).toEqual(['2'])
    await next.sink.close()
  })

  test('commits what is decided, wherever it was sealed', async () => {
    await resolve(rig, 1)
    const { sink, txn } = await sealOne(1, 1)
    await sink.close()
    const set = decided([known(1, 1, 'committed')], [open(sink, txn)])
    const result = await resolve(rig, 2, { decided: set, heads: [head(rig, 1, 1)], newest: 1 })
    expect(result.finish).toEqual({ kind: 'done' })
    expect(await items()).toHaveLength(1)
  })

  test('commits a decided one that it was not asked for (a failover brings it back)', async () => {
    await resolve(rig, 1)
    const { sink } = await sealOne(1, 1)
    await sink.close()
    const set = decided([known(1, 1, 'completed')])
    await resolve(rig, 2, { decided: set, heads: [head(rig, 1, 1)], newest: 1 })
    expect(await items()).toHaveLength(1)
  })

  test('rolls back an undone one', async () => {
    await resolve(rig, 1)
    const { sink } = await sealOne(1, 1)
    await sink.close()
    const set = decided([known(1, 1, 'undone')])
    expect((await resolve(rig, 2, { decided: set, newest: 1 })).abort).toMatchObject({
      rolledBack: 1,
    })
    expect(await items()).toEqual([])
  })

  test('names a decided transaction that a person rolled back as lost', async () => {
    await resolve(rig, 1)
    const { sink, txn } = await sealOne(1, 1)
    await server.query(`ROLLBACK PREPARED '${(await prepared())[0]}'`)
    expect(await sink.commit(txn, permit(1, 1))).toMatchObject({
      kind: 'lost',
      failure: { code: 'DATA_LOSS' },
    })
    await sink.close()
    const set = decided([known(1, 1, 'committed')], [open(sink, txn)])
    const result = await resolve(rig, 2, { decided: set, heads: [head(rig, 1, 1)], newest: 1 })
    expect(result.commit).toMatchObject({ lost: [{ subtask: 0, checkpoint: 1n }] })
    expect(result.finish).toMatchObject({ kind: 'missing', failure: { code: 'DATA_LOSS' } })
    // The fence is up all the same: the attempt that was lost cannot write any more.
    expect(await fence()).toBe('2')
  })

  test('stops when a person committed what was not decided', async () => {
    await resolve(rig, 1)
    const { sink } = await sealOne(1, 5)
    await sink.close()
    await server.query(`COMMIT PREPARED '${(await prepared())[0]}'`)
    expect((await resolve(rig, 2, { newest: 4 })).finish).toMatchObject({
      kind: 'ahead',
      failure: { code: 'SINK_AHEAD' },
    })
  })

  test('stops at an orphan at or below the retire mark', async () => {
    await resolve(rig, 1)
    const { sink } = await sealOne(1, 5)
    await sink.close()
    expect(await resolve(rig, 2, { decided: decided([], [], 5), newest: 9 })).toMatchObject({
      commit: { kind: 'stopped', failure: { code: 'ORPHAN_BELOW_MARK' } },
    })
    expect(await prepared()).toHaveLength(1)
    await server.query(`ROLLBACK PREPARED '${(await prepared())[0]}'`)
  })

  test('touches nothing that is not of its sink, and reports what is damaged', async () => {
    await resolve(rig, 1)
    const { cluster, pipeline } = rig.scope(1)
    const ours = `onceflow:${cluster}:${pipeline}:target:`
    const others = [
      `${ours}0:1`,
      `${ours}0:1:1:1`,
      `${ours}x:1:1`,
      `onceflow:${cluster}:${pipeline}:target-2:0:1:1`,
      `onceflow:${cluster}:pipelineother:target:0:1:1`,
      'somebody else',
    ]
    for (const gid of others) {
      await server.query(`BEGIN; SELECT 1; PREPARE TRANSACTION '${gid}'`)
    }
    expect((await resolve(rig, 2)).abort).toEqual({ kind: 'done', rolledBack: 0 })
    expect(await prepared()).toEqual([...others].sort())
    for (const gid of others.slice(0, 3)) {
      expect(rig.warnings.some((line) => line.includes(gid))).toBe(true)
    }
    expect(rig.warnings.some((line) => line.includes('somebody'))).toBe(false)
    for (const gid of others) await server.query(`ROLLBACK PREPARED '${gid}'`)
  })

  test('drops the staging tables of lower attempts', async () => {
    await resolve(rig, 1)
    const sink = await openTask(rig, 1)
    const shape = await sink.resolveTable(source, itemShape)
    const many = Array.from({ length: 300 }, (_, index) => index)
    await sealed(sink, rows(shape, many), 1)
    await sink.close()
    const staging = () =>
      server.query(
        `SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 's%${rig.scope(1).pipeline}%'`,
      )
    expect(await staging()).toHaveLength(1)
    await resolve(rig, 2)
    expect(await staging()).toEqual([])
  })
})

describe('a writer of a lower attempt', () => {
  const after: readonly string[] = [
    'sink.postgres.seal.fence.after',
    'sink.postgres.seal.stage.after',
    'sink.postgres.seal.merge.after',
    'sink.postgres.seal.ledger.after',
    'sink.postgres.seal.prepare.before',
  ]
  test.each(after)('is ended when it holds the fence (%s)', async (point) => {
    await resolve(rig, 1)
    const sink = await openTask(rig, 1)
    const shape = await sink.resolveTable(source, itemShape)
    const held = hold(point)
    const sealing = codeOf(sealed(sink, rows(shape, [1]), 1))
    await held.arrived
    expect((await resolve(rig, 2)).finish).toEqual({ kind: 'done' })
    held.release()
    expect(await sealing).toBe('SINK_UNREACHABLE')
    expect(await prepared()).toEqual([])
    await sink.close()
  })

  test('is refused when it reads the fence later', async () => {
    await resolve(rig, 1)
    const sink = await openTask(rig, 1)
    const shape = await sink.resolveTable(source, itemShape)
    const held = hold('sink.postgres.seal.fence.before')
    const sealing = codeOf(sealed(sink, rows(shape, [1]), 1))
    await held.arrived
    await resolve(rig, 2)
    held.release()
    expect(await sealing).toBe('FENCED')
    await sink.close()
    expect(await codeOf(openTask(rig, 1))).toBe('FENCED')
  })

  test('that prepares between the list and the fence is finished by its decision', async () => {
    await resolve(rig, 1)
    const sink = await openTask(rig, 1)
    const shape = await sink.resolveTable(source, itemShape)
    const writer = hold('sink.postgres.seal.prepare.before')
    const sealing = sealed(sink, rows(shape, [1]), 1)
    await writer.arrived
    const resolver = rig.create()
    await resolver.openRecovery(rig.scope(2))
    await resolver.recoverAndCommit(decided())
    expect(await resolver.recoverAndAbort(decided())).toEqual({ kind: 'done', rolledBack: 0 })
    writer.release()
    await sealing
    expect(await prepared()).toHaveLength(1)
    const expectation = { heads: [], newestDecided: head(rig, 0, 0).checkpoint }
    expect(await resolver.finishRecovery(expectation)).toEqual({ kind: 'done' })
    expect(await prepared()).toEqual([])
    await resolver.close()
    await sink.close()
  })
})

describe('a resolver', () => {
  test('that was paused finds that it is stale, and does nothing', async () => {
    await resolve(rig, 1)
    const held = hold('sink.postgres.resolve.read-fence')
    const stale = resolve(rig, 2)
    await held.arrived
    await resolve(rig, 3)
    const { sink, txn } = await sealOne(3, 1)
    held.release()
    expect(await stale).toMatchObject({ commit: { kind: 'stopped', failure: { code: 'FENCED' } } })
    expect(await prepared()).toHaveLength(1)
    expect(await sink.commit(txn, permit(1, 3))).toEqual({ kind: 'committed' })
    await sink.close()
    expect(await resolve(rig, 2)).toMatchObject({
      commit: { kind: 'stopped', failure: { code: 'FENCED', class: 'fence' } },
    })
  })

  const points = postgresFailPoints.filter((name) => name.startsWith('sink.postgres.resolve.'))
  test.each(points)('that dies at %s is followed by one that finishes', async (point) => {
    await resolve(rig, 1)
    const one = await sealOne(1, 1)
    await one.sink.close()
    rig.points.actions.set(point, () => {
      rig.points.actions.delete(point)
      return Promise.reject(new Error('the process is gone'))
    })
    const set = decided([known(1, 1, 'committed')], [open(one.sink, one.txn)])
    const what = { decided: set, heads: [head(rig, 1, 1)], newest: 1 }
    await resolve(rig, 2, what).catch(() => undefined)
    rig.points.actions.clear()
    expect((await resolve(rig, 2, what)).finish).toEqual({ kind: 'done' })
    expect((await resolve(rig, 3, what)).finish).toEqual({ kind: 'done' })
    expect(await items()).toHaveLength(1)
    expect(await prepared()).toEqual([])
  })

  test('waits for a person who holds the fence', async () => {
    await resolve(rig, 1)
    const blocking = server.query(
      `BEGIN; SELECT 1 FROM onceflow.fence WHERE pipeline_uid = '${rig.scope(1).pipeline}'
       FOR UPDATE; SELECT pg_sleep(2); COMMIT`,
    )
    await vi.waitFor(async () => {
      expect(
        await server.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"),
      ).toHaveLength(1)
    })
    expect((await resolve(rig, 2)).finish).toEqual({ kind: 'done' })
    await blocking
  })
})
