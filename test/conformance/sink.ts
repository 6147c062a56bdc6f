// The promises of ports/sink, numbered, each a test; run on the twin and on every sink. A sink of a
// user's own can be run through it too: it needs a harness only.
import {
  type Attempt,
  attempt,
  type CheckpointNumber,
  checkpointNumber,
  clusterUid,
  failureOf,
  type LedgerHead,
  leaderEpoch,
  offset,
  type PipelineUid,
  type Position,
  revision,
  type SinkName,
  subtask,
} from '@onceflow/model'
import type {
  AnySink,
  CommitPermit,
  DecidedSet,
  DecidedTransaction,
  KnownCheckpoint,
  SealOrder,
  SinkScope,
} from '@onceflow/ports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

export interface Pair {
  readonly key: string
  readonly value: string
}

/** A target of its own, empty, and what a test may do to it. */
export interface SinkHarness {
  readonly pipeline: PipelineUid
  readonly sink: SinkName
  /** Another instance over the same target. */
  create(): AnySink
  /** What invoke takes, for rows that are written (a later value of a key replaces the earlier). */
  batch(sink: AnySink, pairs: readonly Pair[]): Promise<unknown>
  /** What a reader who waits for commits sees. */
  visible(): Promise<readonly Pair[]>
  close(): Promise<void>
}

type Current = () => World

export function describeSink(name: string, make: () => Promise<SinkHarness>): void {
  describe(`${name} keeps the promises of a two-phase sink`, () => {
    let world: World
    beforeEach(async () => {
      world = new World(await make())
    })
    afterEach(() => world.close())
    const current = (): World => world

    transactionPromises(current)
    resolvePromises(current)
    fencePromises(current)
    ledgerPromises(current)
  })
}

function transactionPromises(current: Current): void {
  test('SK1: sealed rows are invisible, and visible after the commit', async () => {
    const world = current()
    const { sink, txn } = await world.sealFirst(1, [{ key: '1', value: 'a' }])
    expect(await world.visible()).toEqual([])
    expect(await sink.commit(txn, permit(1, 1))).toEqual({ kind: 'committed' })
    expect(await world.visible()).toEqual([{ key: '1', value: 'a' }])
  })

  test('SK2: a second commit is committed, and changes nothing', async () => {
    const world = current()
    const { sink, txn } = await world.sealFirst(1, [{ key: '1', value: 'a' }])
    await sink.commit(txn, permit(1, 1))
    const again = await world.seal(sink, { n: 2, pairs: [{ key: '1', value: 'b' }] })
    await sink.commit(again, permit(2, 1))
    expect(await sink.commit(txn, permit(1, 1))).toEqual({ kind: 'committed' })
    expect(await world.visible()).toEqual([{ key: '1', value: 'b' }])
  })

  test('SK3: an aborted transaction leaves nothing, also when aborted twice', async () => {
    const world = current()
    const { sink, txn } = await world.sealFirst(1, [{ key: '1', value: 'a' }])
    await sink.abort(txn)
    await sink.abort(txn)
    const open = await sink.beginTransaction(world.context)
    await sink.invoke(open, await world.batch(sink, [{ key: '2', value: 'b' }]), world.context)
    await sink.abort(open)
    expect(await world.visible()).toEqual([])
    await world.resolve(2, {})
    expect(await world.visible()).toEqual([])
  })

  test('SK4: an epoch without rows seals empty', async () => {
    const world = current()
    await world.resolve(1, {})
    const sink = await world.openTask(1)
    const txn = await sink.beginTransaction(world.context)
    expect(await sink.preCommit(txn, order(1))).toEqual({ kind: 'empty' })
  })

  test('SK5: the next epoch is gathered while one is sealed and committed', async () => {
    const world = current()
    await world.resolve(1, {})
    const sink = await world.openTask(1)
    const first = await sink.beginTransaction(world.context)
    await sink.invoke(first, await world.batch(sink, [{ key: '1', value: 'a' }]), world.context)
    const next = await world.batch(sink, [{ key: '1', value: 'b' }])
    const sealing = sink.preCommit(first, order(1))
    const second = await sink.beginTransaction(world.context)
    await sink.invoke(second, next, world.context)
    expect((await sealing).kind).toBe('sealed')
    const committing = sink.commit(first, permit(1, 1))
    await sink.invoke(second, await world.batch(sink, [{ key: '2', value: 'c' }]), world.context)
    expect(await committing).toEqual({ kind: 'committed' })
    expect(await world.visible()).toEqual([{ key: '1', value: 'a' }])
    await sink.preCommit(second, order(2))
    await sink.commit(second, permit(2, 1))
    expect(await world.visible()).toEqual([
      { key: '1', value: 'b' },
      { key: '2', value: 'c' },
    ])
  })
}

function resolvePromises(current: Current): void {
  const pairs = [{ key: '1', value: 'a' }]

  test('SK6: RESOLVE commits a handle that is decided, from its serialised form', async () => {
    const world = current()
    const { sink, txn } = await world.sealFirst(1, pairs)
    const open = [world.handle(sink, txn, 1)]
    await sink.close()
    const known = [record(1, 1, 'committed')]
    const plan = { known, open, heads: [world.head(1, 1)], newest: 1 }
    expect(await world.resolve(2, plan)).toBe('done')
    expect(await world.visible()).toEqual(pairs)
    expect(await world.resolve(2, plan)).toBe('done')
    expect(await world.resolve(3, plan)).toBe('done')
    expect(await world.visible()).toEqual(pairs)
  })

  test('SK7: RESOLVE commits what it finds decided without being asked', async () => {
    const world = current()
    const { sink } = await world.sealFirst(1, pairs)
    await sink.close()
    const known = [record(1, 1, 'completed')]
    expect(await world.resolve(2, { known, heads: [world.head(1, 1)], newest: 1 })).toBe('done')
    expect(await world.visible()).toEqual(pairs)
  })

  test.each<[string, readonly KnownCheckpoint[]]>([
    ['what nobody decided', []],
    ['what was undone', [record(1, 1, 'undone')]],
  ])('SK8: RESOLVE rolls back %s', async (_, known) => {
    const world = current()
    const { sink, txn } = await world.sealFirst(1, pairs)
    const lost = [world.handle(sink, txn, 1)]
    await sink.close()
    expect(await world.resolve(2, { known, newest: 1 })).toBe('done')
    expect(await world.visible()).toEqual([])
    const decided = [record(1, 1, 'committed')]
    const later = await world.phases(3, { known: decided, open: lost, newest: 1 })
    expect(later.lost).toEqual(['0/1'])
  })

  test('SK9: what is at or below the retire mark stops RESOLVE, and stays', async () => {
    const world = current()
    const { sink, txn } = await world.sealFirst(1, pairs)
    const open = [world.handle(sink, txn, 1)]
    await sink.close()
    expect(await world.resolve(2, { mark: 1, newest: 4 })).toBe('ORPHAN_BELOW_MARK')
    const known = [record(1, 1, 'committed')]
    const plan = { known, open, heads: [world.head(1, 1)], newest: 1 }
    expect(await world.resolve(2, plan)).toBe('done')
    expect(await world.visible()).toEqual(pairs)
  })
}

function fencePromises(current: Current): void {
  test('SK10: a task of a lower attempt seals nothing any more, and opens no more', async () => {
    const world = current()
    await world.resolve(1, {})
    const sink = await world.openTask(1)
    const txn = await sink.beginTransaction(world.context)
    await sink.invoke(txn, await world.batch(sink, [{ key: '1', value: 'a' }]), world.context)
    await world.resolve(2, {})
    expect(await codeOf(sink.preCommit(txn, order(1)))).toBe('FENCED')
    expect(await codeOf(world.openTask(1))).toBe('FENCED')
    expect(await world.visible()).toEqual([])
  })

  test('SK11: no task opens before its attempt was resolved', async () => {
    expect(await codeOf(current().openTask(1))).toBe('FENCED')
  })

  test('SK12: a resolver that is stale touches nothing of the higher attempt', async () => {
    const world = current()
    await world.resolve(1, {})
    await world.resolve(3, {})
    const sink = await world.openTask(3)
    const txn = await world.seal(sink, { n: 1, pairs: [{ key: '1', value: 'a' }] })
    expect(['FENCED', 'stale']).toContain(await world.resolve(2, {}))
    expect(await sink.commit(txn, permit(1, 3))).toEqual({ kind: 'committed' })
    expect(await world.visible()).toEqual([{ key: '1', value: 'a' }])
  })
}

function ledgerPromises(current: Current): void {
  test('SK13: heads that the target does not have are named', async () => {
    const world = current()
    const heads = [world.head(4, 1)]
    const phases = await world.phases(2, { heads, newest: 4 })
    expect(phases).toMatchObject({ word: 'missing', missing: ['0/4'] })
  })

  test('SK14: a row above the newest decided checkpoint is said to be ahead', async () => {
    const world = current()
    const { sink, txn } = await world.sealFirst(5, [{ key: '1', value: 'a' }])
    await sink.commit(txn, permit(5, 1))
    await sink.close()
    expect(await world.resolve(2, { known: [record(4, 1, 'completed')], newest: 4 })).toBe('ahead')
  })
}

interface Plan {
  readonly known?: readonly KnownCheckpoint[]
  readonly open?: readonly DecidedTransaction<unknown>[]
  readonly heads?: readonly LedgerHead[]
  readonly newest?: number
  readonly mark?: number
}

interface Phases {
  /** How far it came: the word of the last answer, or the code of the failure that stopped it. */
  readonly word: string
  readonly lost: readonly string[]
  readonly missing: readonly string[]
}

/** The steps of a pipeline over one harness, in the order in which a worker takes them. */
class World {
  readonly #harness: SinkHarness
  readonly #opened: AnySink[] = []
  context: unknown

  constructor(harness: SinkHarness) {
    this.#harness = harness
  }

  #create(): AnySink {
    const sink = this.#harness.create()
    this.#opened.push(sink)
    return sink
  }

  #scope(a: number): SinkScope {
    const { pipeline, sink } = this.#harness
    const cluster = clusterUid('conformance1')
    return { cluster, pipeline, sink, attempt: attemptOf(a), leaderEpoch: leaderEpoch(3n) }
  }

  async openTask(a: number): Promise<AnySink> {
    const sink = this.#create()
    this.context = await sink.openTask(
      { ...this.#scope(a), subtask: subtask(0), heads: [] },
      undefined,
    )
    return sink
  }

  batch(sink: AnySink, pairs: readonly Pair[]): Promise<unknown> {
    return this.#harness.batch(sink, pairs)
  }

  async visible(): Promise<readonly Pair[]> {
    const pairs = await this.#harness.visible()
    return [...pairs].sort((a, b) => (a.key < b.key ? -1 : 1))
  }

  async seal(sink: AnySink, what: { readonly n: number; readonly pairs: readonly Pair[] }) {
    const txn: unknown = await sink.beginTransaction(this.context)
    await sink.invoke(txn, await this.batch(sink, what.pairs), this.context)
    expect((await sink.preCommit(txn, order(what.n))).kind).toBe('sealed')
    return txn
  }

  /** Attempt 1 from its beginning to the seal of n. */
  async sealFirst(n: number, pairs: readonly Pair[]) {
    await this.resolve(1, {})
    const sink = await this.openTask(1)
    return { sink, txn: await this.seal(sink, { n, pairs }) }
  }

  handle(sink: AnySink, txn: unknown, n: number): DecidedTransaction<unknown> {
    const { transactionSerializer: serializer } = sink
    const json = JSON.parse(JSON.stringify(serializer.serialize(txn)))
    return {
      checkpoint: numberOf(n),
      attempt: attemptOf(1),
      subtask: subtask(0),
      txn: serializer.deserialize(serializer.version, json),
    }
  }

  head(n: number, a: number): LedgerHead {
    const { sink } = this.#harness
    return { sink, subtask: subtask(0), checkpoint: numberOf(n), attempt: attemptOf(a) }
  }

  async resolve(a: number, plan: Plan): Promise<string> {
    return (await this.phases(a, plan)).word
  }

  async phases(a: number, plan: Plan): Promise<Phases> {
    const sink = this.#create()
    try {
      return await run(sink, this.#scope(a), plan)
    } catch (thrown) {
      return { word: failureOf(thrown).code, lost: [], missing: [] }
    } finally {
      await sink.close()
    }
  }

  async close(): Promise<void> {
    for (const sink of this.#opened) await sink.close()
    await this.#harness.close()
  }
}

async function run(sink: AnySink, scope: SinkScope, plan: Plan): Promise<Phases> {
  const decided: DecidedSet<unknown> = {
    known: plan.known ?? [],
    open: plan.open ?? [],
    retireMark: numberOf(plan.mark ?? 0),
  }
  await sink.openRecovery(scope)
  const commit = await sink.recoverAndCommit(decided)
  if (commit.kind === 'stopped') return { word: commit.failure.code, lost: [], missing: [] }
  const lost = commit.lost.map((one) => `${one.subtask}/${one.checkpoint}`)
  const abort = await sink.recoverAndAbort(decided)
  if (abort.kind === 'stopped') return { word: abort.failure.code, lost, missing: [] }
  const newestDecided = numberOf(plan.newest ?? 0)
  const finish = await sink.finishRecovery({ heads: plan.heads ?? [], newestDecided })
  const heads = finish.kind === 'missing' ? finish.heads : []
  const missing = heads.map((head) => `${head.subtask}/${head.checkpoint}`)
  return { word: finish.kind, lost, missing }
}

const numberOf = (n: number): CheckpointNumber => checkpointNumber(BigInt(n))
const attemptOf = (a: number): Attempt => attempt(BigInt(a))

const positionAt = (place: number): Position => ({
  topic: 'conformance',
  topicId: '',
  partition: 0,
  offset: offset(BigInt(place)),
  leaderEpoch: -1,
})

const order = (n: number): SealOrder => ({
  checkpoint: numberOf(n),
  from: [positionAt(n * 10)],
  to: [positionAt(n * 10 + 10)],
})

const permit = (n: number, a: number): CommitPermit =>
  ({
    checkpoint: numberOf(n),
    attempt: attemptOf(a),
    leaderEpoch: leaderEpoch(3n),
    decision: revision(9n),
  }) as CommitPermit

const record = (n: number, a: number, state: KnownCheckpoint['state']): KnownCheckpoint => ({
  checkpoint: numberOf(n),
  attempt: attemptOf(a),
  state,
})

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'none'
  } catch (thrown) {
    return failureOf(thrown).code
  }
}
