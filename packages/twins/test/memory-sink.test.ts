import {
  attempt,
  type Change,
  checkpointNumber,
  clusterUid,
  leaderEpoch,
  pipelineUid,
  revision,
  sinkName,
  subtask,
  type TableShape,
  unchanged,
} from '@onceflow/model'
import type { CommitPermit, SinkScope } from '@onceflow/ports'
import { MemoryDatabase, MemorySink, type MemoryTransaction } from '@onceflow/twins'
import { describe, expect, test } from 'vitest'

const shape: TableShape = {
  source: { schema: 'public', table: 'accounts' },
  columns: [
    { name: 'id', type: 'bigint', nullable: false, keyOrdinal: 0 },
    { name: 'balance', type: 'bigint', nullable: true, keyOrdinal: undefined },
    { name: 'note', type: 'text', nullable: true, keyOrdinal: undefined },
  ],
  keyColumns: [0],
  origin: 'record',
}
const at = {
  origin: { lsn: undefined, commitTimeMs: 0 },
  position: { topic: 't', partition: 0, offset: 0n },
}
const upsert = (id: string, balance: string, note: Change['kind'] | typeof unchanged): Change => ({
  kind: 'upsert',
  op: 'update',
  shape,
  cells: [id, balance, note],
  keyChange: 'none',
  ...at,
})
const scopeOf = (number: bigint): SinkScope => ({
  cluster: clusterUid('cluster01'),
  pipeline: pipelineUid('pipeline01'),
  sink: sinkName('target'),
  attempt: attempt(number),
  leaderEpoch: leaderEpoch(3n),
})
const order = (n: bigint) => ({ checkpoint: checkpointNumber(n), from: [], to: [] })
const permit = (n: bigint, number: bigint) =>
  ({
    checkpoint: checkpointNumber(n),
    attempt: attempt(number),
    leaderEpoch: leaderEpoch(3n),
    decision: revision(9n),
  }) as CommitPermit
const nothing = { open: [], known: [], retireMark: checkpointNumber(0n) }
const expectation = (n: bigint) => ({ heads: [], newestDecided: checkpointNumber(n) })

async function recovered(database: MemoryDatabase, number: bigint): Promise<MemorySink> {
  const sink = new MemorySink(database)
  await sink.openRecovery(scopeOf(number))
  await sink.recoverAndCommit(nothing)
  await sink.recoverAndAbort()
  await sink.finishRecovery(expectation(100n))
  return sink
}

async function sealed(database: MemoryDatabase, n: bigint, changes: Change[]) {
  const number = 1n
  const sink = new MemorySink(database)
  await sink.openTask({ ...scopeOf(number), subtask: subtask(0), heads: [] }, undefined)
  const txn = await sink.beginTransaction()
  await sink.invoke(txn, changes)
  const result = await sink.preCommit(txn, order(n))
  return { sink, txn, result }
}

const restored = (sink: MemorySink, txn: MemoryTransaction): MemoryTransaction =>
  sink.transactionSerializer.deserialize(1, sink.transactionSerializer.serialize(txn))

describe('the memory sink', () => {
  test('shows nothing before the commit, and unchanged cells keep their value', async () => {
    const database = new MemoryDatabase()
    await recovered(database, 1n)
    const { sink, txn } = await sealed(database, 1n, [upsert('1', '10', 'upsert')])
    expect(database.rows('public.accounts')).toEqual([])
    expect(await sink.commit(restored(sink, txn), permit(1n, 1n))).toEqual({ kind: 'committed' })
    const second = await sealed(database, 2n, [upsert('1', '11', unchanged)])
    await second.sink.commit(second.txn, permit(2n, 1n))
    expect(database.rows('public.accounts')).toEqual([{ id: '1', balance: '11', note: 'upsert' }])
    expect(database.ledger.map(({ checkpoint }) => checkpoint)).toEqual([1n, 2n])
  })

  test('an unknown commit is settled by calling again; a second one says committed', async () => {
    const database = new MemoryDatabase()
    await recovered(database, 1n)
    const { sink, txn } = await sealed(database, 1n, [upsert('1', '10', 'upsert')])
    database.failNextCommits('not-applied-unknown', 'applied-unknown')
    expect((await sink.commit(txn, permit(1n, 1n))).kind).toBe('unknown')
    expect(database.prepared.size).toBe(1)
    expect((await sink.commit(txn, permit(1n, 1n))).kind).toBe('unknown')
    expect((await sink.commit(txn, permit(1n, 1n))).kind).toBe('committed')
    database.ledger.length = 0
    expect((await sink.commit(txn, permit(1n, 1n))).kind).toBe('lost')
  })

  test('a fenced attempt cannot seal, and RESOLVE rolls back what is not decided', async () => {
    const database = new MemoryDatabase()
    await recovered(database, 1n)
    const old = await sealed(database, 1n, [upsert('1', '10', 'upsert')])
    const idle = await old.sink.beginTransaction()
    await recovered(database, 2n)
    expect(database.prepared.size).toBe(0)
    await expect(old.sink.preCommit(idle, order(2n))).rejects.toThrow('FENCED')
    const stale = new MemorySink(database)
    await expect(stale.openRecovery(scopeOf(1n))).rejects.toThrow('FENCED')
  })

  test('RESOLVE commits decided handles and compares the ledger', async () => {
    const database = new MemoryDatabase()
    await recovered(database, 1n)
    const old = await sealed(database, 4n, [upsert('1', '10', 'upsert')])
    const sink = new MemorySink(database)
    await sink.openRecovery(scopeOf(2n))
    const n = checkpointNumber(4n)
    const handle = { checkpoint: n, attempt: attempt(1n), subtask: subtask(0), txn: old.txn }
    const decided = await sink.recoverAndCommit({ ...nothing, open: [handle] })
    expect(decided).toEqual({ kind: 'done', lost: [] })
    const ahead = await sink.finishRecovery(expectation(3n))
    expect(ahead.kind).toBe('ahead')
    const head = {
      sink: sinkName('target'),
      subtask: subtask(0),
      checkpoint: n,
      attempt: attempt(1n),
    }
    expect(await sink.finishRecovery({ heads: [head], newestDecided: n })).toEqual({ kind: 'done' })
    const missing = { ...head, subtask: subtask(1) }
    const finished = await sink.finishRecovery({ heads: [missing], newestDecided: n })
    expect(finished).toMatchObject({ kind: 'missing', heads: [missing] })
  })
})
