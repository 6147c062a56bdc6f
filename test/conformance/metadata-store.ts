// The promises of ports/metadata-store, numbered, each a test; run on the twin and on every adapter.
import type { Revision } from '@onceflow/model'
import type { MetadataStore, StoredValue, TxnOutcome, TxnRequest, Write } from '@onceflow/ports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

/** A store of its own, empty, and what a test may do to it. */
export interface MetadataStoreHarness {
  readonly store: MetadataStore
  /** Another client of the same store, closed with the harness. */
  connect(): MetadataStore
  /** Lets time go by, for leases and hints. */
  passTime(durationMs: number): Promise<void>
  /** The next Txn of `store` takes effect, but its answer is lost. Absent: cannot be had. */
  readonly loseNextAnswer?: () => void
  close(): Promise<void>
}

const put = (key: string, value: string): Write => ({ kind: 'put', key, value })
const write = (...writes: readonly Write[]): TxnRequest => ({ compares: [], writes, elseReads: [] })
const absent = (key: string) => ({ kind: 'absent', key }) as const

function applied(outcome: TxnOutcome): Revision {
  if (outcome.kind !== 'applied') throw new Error(`applied was expected: ${describeOf(outcome)}`)
  return outcome.revision
}

function refused(outcome: TxnOutcome): readonly (StoredValue | undefined)[] {
  if (outcome.kind !== 'refused') throw new Error(`refused was expected: ${describeOf(outcome)}`)
  return outcome.reads
}

const describeOf = (outcome: TxnOutcome): string =>
  outcome.kind === 'applied' || outcome.kind === 'refused'
    ? outcome.kind
    : `${outcome.kind}: ${outcome.cause}`

async function read(store: MetadataStore, key: string): Promise<StoredValue | undefined> {
  const page = await store.range({ prefix: key, limit: 1 })
  return page.values.find((value) => value.key === key)
}

export function describeMetadataStore(
  name: string,
  make: () => Promise<MetadataStoreHarness>,
): void {
  describe(`${name} keeps the promises of a metadata store`, () => {
    let harness: MetadataStoreHarness
    let store: MetadataStore

    beforeEach(async () => {
      harness = await make()
      store = harness.store
    })
    afterEach(async () => {
      await harness.close()
    })
    const current = (): MetadataStoreHarness => harness

    txnPromises(current)
    comparePromises(current)
    rangePromises(current)
    leasePromises(current)
    watchPromises(current)

    test('M20 a closed store answers no request', async () => {
      await store.close()
      await expect(store.range({ prefix: '', limit: 1 })).rejects.toThrow('METADATA_UNREACHABLE')
      expect((await store.txn(write(put('k', 'v')))).kind).toBe('not-applied')
    })
  })
}

type Current = () => MetadataStoreHarness

function txnPromises(current: Current): void {
  test('M1 a Txn is atomic: all of its writes have one revision, or none is there', async () => {
    const { store } = current()
    const stored = applied(await store.txn(write(put('a', '1'), put('b', '2'))))
    const both = await store.range({ prefix: '', limit: 10 })
    expect(both.values).toEqual([
      { key: 'a', value: '1', created: stored, modified: stored },
      { key: 'b', value: '2', created: stored, modified: stored },
    ])
    const request = {
      compares: [absent('c'), absent('a')],
      writes: [put('c', '3'), { kind: 'delete', key: 'b' } as const],
      elseReads: ['a', 'c', 'b'],
    }
    const reads = refused(await store.txn(request))
    expect(reads.map((value) => value?.value)).toEqual(['1', undefined, '2'])
  })

  test('M2 revisions grow from Txn to Txn, over all clients', async () => {
    const { store, connect } = current()
    const other = connect()
    const revisions: bigint[] = []
    for (const client of [store, other, store, other]) {
      revisions.push(applied(await client.txn(write(put('k', String(revisions.length))))))
    }
    expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => (a < b ? -1 : 1)))
  })

  test('M3 of two Txns that need the key absent, one is applied', async () => {
    const { store, connect } = current()
    const clients = [store, connect(), connect(), store]
    const outcomes = await Promise.all(
      clients.map((client, index) =>
        client.txn({
          compares: [absent('leader')],
          writes: [put('leader', `node-${index}`)],
          elseReads: ['leader'],
        }),
      ),
    )
    const winners = outcomes.filter((outcome) => outcome.kind === 'applied')
    expect(winners).toHaveLength(1)
    const winner = await read(store, 'leader')
    for (const outcome of outcomes) {
      if (outcome.kind === 'applied') continue
      expect(refused(outcome)).toEqual([winner])
    }
  })

  test('M4 a refused Txn writes nothing and reads what was asked, in order', async () => {
    const { store } = current()
    const created = applied(await store.txn(write(put('x', 'old'))))
    const modified = applied(await store.txn(write(put('x', 'new'))))
    const outcome = await store.txn({
      compares: [absent('x')],
      writes: [put('x', 'never'), put('y', 'never')],
      elseReads: ['y', 'x'],
    })
    expect(refused(outcome)).toEqual([undefined, { key: 'x', value: 'new', created, modified }])
    expect(outcome).toMatchObject({ revision: modified })
  })

  test('M5 a Txn beyond the bounds is refused before it is sent', async () => {
    const { store } = current()
    const large = 'é'.repeat(512 * 1024)
    await expect(store.txn(write(put('k', `${large}x`)))).rejects.toThrow('LIMIT_EXCEEDED')
    const many = Array.from({ length: 121 }, (_, index) => put(`k${index}`, ''))
    await expect(store.txn(write(...many))).rejects.toThrow('LIMIT_EXCEEDED')
    expect((await store.range({ prefix: '', limit: 10 })).values).toEqual([])
    applied(await store.txn(write(put('k', large))))
    expect((await read(store, 'k'))?.value).toBe(large)
    const full = {
      compares: many.slice(1).map(({ key }) => absent(key)),
      writes: many.slice(1),
      elseReads: many.slice(1).map(({ key }) => key),
    }
    applied(await store.txn(full))
    expect(refused(await store.txn(full))).toHaveLength(120)
  })

  test('M6 an unknown Txn is settled by repeating it: our value in it says that it is stored', async (context) => {
    const { store, loseNextAnswer } = current()
    if (loseNextAnswer === undefined) {
      context.skip('no answer can be lost here')
      return
    }
    const decide = (unique: string): TxnRequest => ({
      compares: [absent('record')],
      writes: [put('record', unique)],
      elseReads: ['record'],
    })
    loseNextAnswer()
    expect((await store.txn(decide('ours'))).kind).toBe('unknown')
    expect(refused(await store.txn(decide('ours')))[0]?.value).toBe('ours')
    loseNextAnswer()
    const second = await store.txn(write(put('counted', 'once')))
    expect(second.kind).toBe('unknown')
    const counted = await read(store, 'counted')
    expect(counted?.created).toBe(counted?.modified)
  })

  test('M7 values are text, digit for digit and sign for sign', async () => {
    const { store } = current()
    const values = ['', '9007199254740993', 'ä€😀\u0000\n', '{"a":1.10}']
    applied(await store.txn(write(...values.map((value, index) => put(`v${index}`, value)))))
    const page = await store.range({ prefix: 'v', limit: 10 })
    expect(page.values.map(({ value }) => value)).toEqual(values)
  })
}

function comparePromises(current: Current): void {
  test('M8 created compares the create revision: a key made again is another key', async () => {
    const { store } = current()
    const first = applied(await store.txn(write(put('k', '1'))))
    applied(await store.txn(write(put('k', '2'))))
    const ifFirst = (next: string): TxnRequest => ({
      compares: [{ kind: 'created', key: 'k', revision: first }],
      writes: [put('k', next)],
      elseReads: [],
    })
    applied(await store.txn(ifFirst('3')))
    applied(await store.txn(write({ kind: 'delete', key: 'k' })))
    refused(await store.txn(ifFirst('4')))
    const again = applied(await store.txn(write(put('k', '5'))))
    refused(await store.txn(ifFirst('6')))
    expect(again).toBeGreaterThan(first)
    expect(await read(store, 'k')).toMatchObject({ value: '5', created: again })
  })

  test('M9 modified compares the revision of the last write', async () => {
    const { store } = current()
    const first = applied(await store.txn(write(put('k', '1'))))
    const swap = (at: Revision, next: string): TxnRequest => ({
      compares: [{ kind: 'modified', key: 'k', revision: at }],
      writes: [put('k', next)],
      elseReads: ['k'],
    })
    const second = applied(await store.txn(swap(first, '2')))
    expect(refused(await store.txn(swap(first, '3')))[0]).toMatchObject({ modified: second })
    refused(await store.txn({ ...swap(second, '3'), compares: [absentAt('other', second)] }))
    expect(await read(store, 'k')).toMatchObject({ value: '2', created: first, modified: second })
  })

  test('M10 value compares the whole text', async () => {
    const { store } = current()
    applied(await store.txn(write(put('k', '7'))))
    const ifValue = (value: string, key = 'k'): TxnRequest => ({
      compares: [{ kind: 'value', key, value }],
      writes: [put('seen', value)],
      elseReads: ['k'],
    })
    refused(await store.txn(ifValue('70')))
    refused(await store.txn(ifValue('')))
    refused(await store.txn(ifValue('7', 'missing')))
    refused(await store.txn(ifValue('', 'missing')))
    applied(await store.txn(ifValue('7')))
  })
}

const absentAt = (key: string, at: Revision) => ({ kind: 'modified', key, revision: at }) as const

function rangePromises(current: Current): void {
  test('M11 a range holds the keys of its prefix and no neighbour', async () => {
    const { store } = current()
    const keys = ['p', 'p.', 'p/', 'p/1', 'p/é', 'p/\u{1f600}', 'p0', 'q/1', 'p/~']
    applied(await store.txn(write(...keys.map((key) => put(key, key)))))
    const page = await store.range({ prefix: 'p/', limit: 100 })
    expect(page.more).toBe('no')
    expect(page.values.map(({ key }) => key)).toEqual(['p/', 'p/1', 'p/~', 'p/é', 'p/\u{1f600}'])
  })

  test('M12 pages follow one another in both orders, with nothing twice', async () => {
    const { store } = current()
    const keys = Array.from({ length: 25 }, (_, index) => `n/${String(index).padStart(3, '0')}`)
    applied(await store.txn(write(...keys.map((key) => put(key, '')), put('n', ''), put('n0', ''))))
    const up: string[] = []
    let page = await store.range({ prefix: 'n/', limit: 10 })
    for (; ; page = await store.range({ prefix: 'n/', limit: 10, after: up.at(-1) ?? '' })) {
      up.push(...page.values.map(({ key }) => key))
      if (page.more === 'no') break
    }
    expect(up).toEqual(keys)
    const order = 'descending' as const
    const down: string[] = []
    page = await store.range({ prefix: 'n/', limit: 10, order })
    for (
      ;
      ;
      page = await store.range({ prefix: 'n/', limit: 10, order, before: down.at(-1) ?? '' })
    ) {
      down.push(...page.values.map(({ key }) => key))
      if (page.more === 'no') break
    }
    expect(down).toEqual([...keys].reverse())
  })

  test('M13 after and before bound a range, together too, and more says if there is more', async () => {
    const { store } = current()
    applied(await store.txn(write(...['1', '2', '3', '4', '5'].map((n) => put(`b/${n}`, n)))))
    const keysOf = async (request: { after?: string; before?: string; limit?: number }) => {
      const page = await store.range({ prefix: 'b/', limit: 10, order: 'descending', ...request })
      return [...page.values.map(({ value }) => value), page.more].join(' ')
    }
    expect(await keysOf({ after: 'b/2' })).toBe('5 4 3 no')
    expect(await keysOf({ after: 'b/1', before: 'b/4' })).toBe('3 2 no')
    expect(await keysOf({ after: 'b/1', limit: 4 })).toBe('5 4 3 2 no')
    expect(await keysOf({ after: 'b/1', limit: 3 })).toBe('5 4 3 yes')
    expect(await keysOf({ after: 'b/5' })).toBe('no')
    expect(await keysOf({ after: 'c' })).toBe('no')
    expect(await keysOf({ before: 'a' })).toBe('no')
  })

  test('M14 keysOnly leaves the values away', async () => {
    const { store } = current()
    const stored = applied(await store.txn(write(put('k', 'value'))))
    const page = await store.range({ prefix: '', limit: 1, keysOnly: 'yes' })
    expect(page.values).toEqual([{ key: 'k', value: '', created: stored, modified: stored }])
    expect(page.revision).toBe(stored)
  })
}

function leasePromises(current: Current): void {
  const hold = (lease: string): TxnRequest => write({ kind: 'put', key: 'held', value: 'v', lease })

  test('M15 a key with a lease stays for the TTL, and vanishes after it', async () => {
    const { store, passTime } = current()
    const { lease, ttlMs } = await store.grantLease(2_000)
    expect(ttlMs).toBeGreaterThanOrEqual(2_000)
    applied(await store.txn(hold(lease)))
    await passTime(ttlMs * 0.6)
    expect(await read(store, 'held')).toBeDefined()
    await vanishes(current(), ttlMs * 5)
    expect(await store.keepLeaseAlive(lease)).toBe('gone')
  })

  test('M16 a lease that is kept alive does not end', async () => {
    const { store, passTime } = current()
    const { lease, ttlMs } = await store.grantLease(2_000)
    applied(await store.txn(hold(lease)))
    for (let beat = 0; beat < 8; beat += 1) {
      await passTime(ttlMs / 4)
      expect(await store.keepLeaseAlive(lease)).toBe('alive')
    }
    expect(await read(store, 'held')).toBeDefined()
    await store.revokeLease(lease)
  })

  test('M17 revoking a lease deletes its keys at once, and a key put again without it stays', async () => {
    const { store } = current()
    const { lease } = await store.grantLease(60_000)
    const free = { kind: 'put', key: 'free', value: 'v', lease } as const
    applied(await store.txn(write({ kind: 'put', key: 'held', value: 'v', lease }, free)))
    applied(await store.txn(write(put('free', 'mine'))))
    await store.revokeLease(lease)
    const page = await store.range({ prefix: '', limit: 10 })
    expect(page.values.map(({ key }) => key)).toEqual(['free'])
    expect(await store.keepLeaseAlive(lease)).toBe('gone')
    await store.revokeLease(lease)
    const { kind } = await store.txn(hold(lease))
    expect(kind).toBe('not-applied')
    expect(await read(store, 'held')).toBeUndefined()
  })
}

async function vanishes(harness: MetadataStoreHarness, withinMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < withinMs; waitedMs += 100) {
    if ((await read(harness.store, 'held')) === undefined) return
    await harness.passTime(100)
  }
  throw new Error(`the key of an ended lease was still there after ${withinMs} ms`)
}

function watchPromises(current: Current): void {
  test('M18 a change under a prefix is hinted at in the end, also one of another client', async () => {
    const { store, connect, passTime } = current()
    let hints = 0
    const subscription = store.watch('w/', () => {
      hints += 1
    })
    await passTime(300)
    hints = 0
    applied(await connect().txn(write(put('w/1', 'v'))))
    for (let waitedMs = 0; waitedMs < 10_000 && hints === 0; waitedMs += 50) await passTime(50)
    expect(hints).toBeGreaterThan(0)
    subscription.cancel()
    await passTime(300)
    hints = 0
    applied(await store.txn(write(put('w/2', 'v'))))
    await passTime(300)
    expect(hints).toBe(0)
  })

  test('M19 the end of a lease is hinted at', async () => {
    const { store, passTime } = current()
    const { lease } = await store.grantLease(2_000)
    applied(await store.txn(write({ kind: 'put', key: 'w/l', value: 'v', lease })))
    let hints = 0
    const subscription = store.watch('w/', () => {
      hints += 1
    })
    await passTime(300)
    hints = 0
    for (let waitedMs = 0; waitedMs < 15_000 && hints === 0; waitedMs += 100) await passTime(100)
    expect(hints).toBeGreaterThan(0)
    expect(await read(store, 'w/l')).toBeUndefined()
    subscription.cancel()
  })
}
