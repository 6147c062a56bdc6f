import { setTimeout as sleep } from 'node:timers/promises'
import { EtcdMetadataStore } from '@onceflow/etcd'
import type { TxnRequest } from '@onceflow/ports'
import { Etcd3 } from 'etcd3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EtcdServer, freePort } from './etcd-server.ts'

const put = (key: string, value: string, lease?: string): TxnRequest => ({
  compares: [],
  writes: [{ kind: 'put', key, value, ...(lease === undefined ? {} : { lease }) }],
  elseReads: [],
})

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; waitedMs < 30_000; waitedMs += 50) {
    if (await holds()) return
    await sleep(50)
  }
  throw new Error(`not within 30 s: ${what}`)
}

describe('etcd in trouble', () => {
  let server: EtcdServer
  let store: EtcdMetadataStore

  beforeEach(async () => {
    server = await EtcdServer.start()
    store = new EtcdMetadataStore({ endpoints: [server.endpoint], prefix: 'onceflow/test/' })
  })
  afterEach(async () => {
    server.signal('SIGCONT')
    await store.close()
    await server.stop()
  })

  test('frozen: a Txn is unknown at its deadline, and may be stored after the thaw', async () => {
    expect((await store.txn(put('k', 'before'))).kind).toBe('applied')
    server.signal('SIGSTOP')
    const sentMs = performance.now()
    expect((await store.txn(put('k', 'frozen'))).kind).toBe('unknown')
    const waitedMs = performance.now() - sentMs
    expect(waitedMs).toBeGreaterThan(1_900)
    expect(waitedMs).toBeLessThan(10_000)
    await expect(store.range({ prefix: '', limit: 1 })).rejects.toThrow('METADATA_UNREACHABLE')
    await expect(store.grantLease(2_000)).rejects.toThrow('METADATA_UNREACHABLE')
    server.signal('SIGCONT')
    await until('a Txn after the thaw', async () => {
      return (await store.txn(put('k', 'after'))).kind === 'applied'
    })
    const page = await store.range({ prefix: 'k', limit: 1 })
    expect(page.values[0]?.value).toBe('after')
  })

  test('frozen past the TTL: the keepalive rejects, and says gone after the thaw', async () => {
    const { lease } = await store.grantLease(2_000)
    await store.txn(put('held', 'v', lease))
    server.signal('SIGSTOP')
    await expect(store.keepLeaseAlive(lease)).rejects.toThrow('METADATA_UNREACHABLE')
    await sleep(2_500)
    server.signal('SIGCONT')
    await until('the end of the lease', async () => {
      return (await store.keepLeaseAlive(lease).catch(() => 'unknown')) === 'gone'
    })
    expect((await store.range({ prefix: 'held', limit: 1 })).values).toEqual([])
  })

  test('down: nothing was sent, so nothing is stored; failures do not stop later calls', async () => {
    const { lease } = await store.grantLease(30_000)
    expect((await store.txn(put('k', 'before', lease))).kind).toBe('applied')
    await server.kill()
    await until('a refused connection', async () => {
      return (await store.txn(put('k', 'down'))).kind === 'not-applied'
    })
    for (let count = 0; count < 10; count += 1) {
      expect((await store.txn(put('k', 'down'))).kind).toBe('not-applied')
    }
    await server.restart()
    const outcome = await store.txn(put('other', 'after'))
    expect(outcome.kind).toBe('applied')
    expect(await store.keepLeaseAlive(lease)).toBe('alive')
    const page = await store.range({ prefix: 'k', limit: 1 })
    expect(page.values[0]?.value).toBe('before')
  })

  test('restarted and compacted under a watch: it goes on giving hints', async () => {
    const raw = new Etcd3({ hosts: server.endpoint })
    let hints = 0
    store.watch('w/', () => {
      hints += 1
    })
    await until('a watch', () => hints > 0)
    for (let count = 0; count < 20; count += 1) await store.txn(put('w/k', String(count)))
    await until('hints', () => hints > 1)
    await server.kill()
    hints = 0
    await server.restart()
    await until('a compaction', async () => {
      const { header } = await raw.kv.range({ key: Buffer.from('x') })
      return raw.kv.compact({ revision: header.revision, physical: true }).then(
        () => true,
        () => false,
      )
    })
    await until('the hint of a reconnect', () => hints > 0)
    await sleep(200)
    hints = 0
    await store.txn(put('w/k', 'after'))
    await until('a hint after the reconnect', () => hints > 0)
    raw.close()
  })

  test('a store with a live watch closes, gives no more hints and lets the process end', async () => {
    let hints = 0
    store.watch('w/', () => {
      hints += 1
    })
    await until('a watch', () => hints > 0)
    await store.close()
    hints = 0
    const other = new EtcdMetadataStore({ endpoints: [server.endpoint], prefix: 'onceflow/test/' })
    await other.txn(put('w/k', 'v'))
    await sleep(300)
    expect(hints).toBe(0)
    await other.close()
    await store.close()
  })

  test('what etcd finds too large, or has too many parts, is not applied', async () => {
    const large = 'x'.repeat(690 * 1024)
    const wide: TxnRequest = {
      compares: [{ kind: 'value', key: 'a', value: large }],
      writes: [{ kind: 'put', key: 'b', value: large }],
      elseReads: [],
    }
    expect((await store.txn(wide)).kind).toBe('refused')
    expect((await store.txn(put('b', 'x'.repeat(1024 * 1024)))).kind).toBe('applied')
    await expect(store.txn(put('b', 'x'.repeat(1024 * 1024 + 1)))).rejects.toThrow('LIMIT_EXCEEDED')
    const raw = new Etcd3({ hosts: server.endpoint })
    const tooLarge = raw.put('c').value('x'.repeat(1_600_000)).exec()
    await expect(tooLarge).rejects.toThrow('3 INVALID_ARGUMENT: etcdserver: request is too large')
    const operations = Array.from({ length: 129 }, (_, index) => ({
      request_put: { key: Buffer.from(`k${index}`), value: Buffer.from('v') },
    }))
    const limit = raw.kv.txn({ success: operations.slice(1) })
    expect((await limit).succeeded).toBe(true)
    await expect(raw.kv.txn({ success: operations })).rejects.toThrow('3 INVALID_ARGUMENT')
    raw.close()
  })

  test('a page beyond the size of one answer comes in smaller pages', async () => {
    const value = 'x'.repeat(1024 * 1024)
    for (let index = 0; index < 20; index += 1) {
      await store.txn(put(`big/${String(index).padStart(2, '0')}`, value))
    }
    const keys: string[] = []
    for (let more = 'yes'; more === 'yes'; ) {
      const after = keys.at(-1)
      const request = { prefix: 'big/', limit: 100, ...(after === undefined ? {} : { after }) }
      const page = await store.range(request)
      keys.push(...page.values.map(({ key }) => key))
      more = page.more
    }
    expect(keys).toHaveLength(20)
    expect(keys).toEqual([...keys].sort())
    expect((await store.status()).databaseBytes).toBeGreaterThan(20n * 1024n * 1024n)
  })
})

test('an endpoint where nothing listens is told apart from an answer that was lost', async () => {
  const endpoints = [`http://localhost:${await freePort()}`]
  const store = new EtcdMetadataStore({ endpoints, prefix: 'onceflow/test/' })
  expect((await store.txn(put('k', 'v'))).kind).toBe('not-applied')
  await expect(store.grantLease(2_000)).rejects.toThrow('METADATA_UNREACHABLE')
  await store.close()
  expect(() => new EtcdMetadataStore({ endpoints, prefix: 'onceflow' })).toThrow('CONFIG_INVALID')
})
