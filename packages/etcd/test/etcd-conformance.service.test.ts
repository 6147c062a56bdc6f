import { setTimeout as sleep } from 'node:timers/promises'
import { EtcdMetadataStore } from '@onceflow/etcd'
import { afterAll, beforeAll } from 'vitest'
import { describeMetadataStore } from '../../../test/conformance/metadata-store.ts'
import { AnswerCutter } from './answer-cutter.ts'
import { EtcdServer } from './etcd-server.ts'

let server: EtcdServer
let cutter: AnswerCutter
let prefixes = 0

beforeAll(async () => {
  server = await EtcdServer.start()
  cutter = await AnswerCutter.start(server.port)
})
afterAll(async () => {
  await cutter?.stop()
  await server?.stop()
})

describeMetadataStore('etcd', async () => {
  prefixes += 1
  const prefix = `onceflow/test${prefixes}/`
  const endpoints = [`http://localhost:${cutter.port}`]
  const opened: EtcdMetadataStore[] = []
  const connect = (): EtcdMetadataStore => {
    const store = new EtcdMetadataStore({ endpoints, prefix })
    opened.push(store)
    return store
  }
  const store = connect()
  // Connected: what is cut is the answer to a request, not a connection being made.
  await store.range({ prefix: '', limit: 1 })
  return {
    store,
    connect,
    passTime: async (durationMs) => {
      await sleep(durationMs)
    },
    loseNextAnswer: () => cutter.arm(),
    close: async () => {
      for (const each of opened) await each.close()
    },
  }
})
