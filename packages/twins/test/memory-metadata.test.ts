import type { TxnRequest } from '@onceflow/ports'
import { ManualClock, MemoryMetadata } from '@onceflow/twins'
import { describe, expect, test } from 'vitest'
import { describeMetadataStore } from '../../../test/conformance/metadata-store.ts'

describeMetadataStore('the memory twin', async () => {
  const clock = new ManualClock()
  const server = new MemoryMetadata(clock)
  const store = server.connect()
  return {
    store,
    connect: () => server.connect(),
    passTime: (durationMs) => clock.run(durationMs),
    loseNextAnswer: () => store.failNextTxns('applied'),
    close: () => store.close(),
  }
})

const putOnce = (value: string): TxnRequest => ({
  compares: [{ kind: 'absent', key: 'k' }],
  writes: [{ kind: 'put', key: 'k', value }],
  elseReads: ['k'],
})

describe('the faults of the memory twin', () => {
  test('a late Txn takes effect when it is delivered, after another was applied', async () => {
    const server = new MemoryMetadata(new ManualClock())
    const store = server.connect()
    store.failNextTxns('late', 'lost', 'not-applied')
    expect((await store.txn(putOnce('late'))).kind).toBe('unknown')
    expect((await store.txn(putOnce('lost'))).kind).toBe('unknown')
    expect((await store.txn(putOnce('refused'))).kind).toBe('not-applied')
    expect(server.keys()).toEqual([])
    expect((await store.txn(putOnce('first'))).kind).toBe('applied')
    expect(store.deliverLate()).toMatchObject([{ kind: 'refused' }])
    expect(server.get('k')?.value).toBe('first')
  })

  test('a cut client is cut alone, and gets a hint when it is back', async () => {
    const server = new MemoryMetadata(new ManualClock())
    const [cut, other] = [server.connect(), server.connect()]
    let hints = 0
    cut.watch('', () => {
      hints += 1
    })
    cut.disconnect()
    expect((await cut.txn(putOnce('cut'))).kind).toBe('unknown')
    await expect(cut.grantLease(2_000)).rejects.toThrow('METADATA_UNREACHABLE')
    expect((await other.txn(putOnce('other'))).kind).toBe('applied')
    await Promise.resolve()
    expect(hints).toBe(0)
    cut.connect()
    await Promise.resolve()
    expect(hints).toBe(1)
  })

  test('a held request takes effect when it is released', async () => {
    const server = new MemoryMetadata(new ManualClock())
    const store = server.connect()
    store.hold()
    const held = store.txn(putOnce('held'))
    await Promise.resolve()
    expect(server.keys()).toEqual([])
    store.release()
    expect((await held).kind).toBe('applied')
  })
})
