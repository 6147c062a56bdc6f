import { setTimeout as sleep } from 'node:timers/promises'
import { EtcdMetadataStore } from '@onceflow/etcd'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EtcdServer } from './etcd-server.ts'

const isFull = process.env['ONCEFLOW_TEST_FULL'] === '1'

describe.runIf(isFull)('three members of etcd', () => {
  let servers: EtcdServer[] = []
  beforeAll(async () => {
    servers = await EtcdServer.startCluster(['one', 'two', 'three'])
  })
  afterAll(async () => {
    for (const server of servers) await server.stop()
  })

  test('each killed in turn: a counter by compare never loses and never repeats a step', async () => {
    const endpoints = servers.map((server) => server.endpoint)
    const store = new EtcdMetadataStore({ endpoints, prefix: 'onceflow/test/' })
    const { lease } = await store.grantLease(10_000)
    let count = 0
    const step = async (): Promise<void> => {
      // Unique values settle an unknown outcome by sending the same Txn again (R2).
      const next = String(count + 1)
      const current =
        count === 0
          ? ({ kind: 'absent', key: 'n' } as const)
          : ({ kind: 'value', key: 'n', value: String(count) } as const)
      const outcome = await store.txn({
        compares: [current],
        writes: [{ kind: 'put', key: 'n', value: next }],
        elseReads: ['n'],
      })
      if (outcome.kind === 'applied') count += 1
      else if (outcome.kind === 'refused') {
        expect(outcome.reads[0]?.value).toBe(next)
        count += 1
      } else await sleep(50)
    }
    for (const server of servers) {
      const before = count
      for (let tries = 0; tries < 50; tries += 1) await step()
      await server.kill()
      for (let tries = 0; count < before + 100; tries += 1) {
        if (tries === 2_000) throw new Error('two of three members take no Txn')
        await step()
      }
      for (let tries = 0; ; tries += 1) {
        const state = await store.keepLeaseAlive(lease).catch(() => 'unknown')
        if (state === 'alive') break
        if (state === 'gone' || tries === 100) throw new Error(`the lease is ${state}`)
        await sleep(50)
      }
      await server.restart()
    }
    const page = await store.range({ prefix: 'n', limit: 1 })
    expect(page.values[0]?.value).toBe(String(count))
    await store.close()
  })
})
