import { createServer, type Server, type Socket } from 'node:net'
import { OnceflowError } from '@onceflow/model'
import { afterEach, describe, expect, test } from 'vitest'
import { BrokerLink } from '../src/connection/broker-link.ts'
import { connectionOptions } from '../src/connection/connection-options.ts'
import { defaultKafkaSettings } from '../src/source-settings.ts'
import { metadataApi } from '../src/wire/metadata.ts'
import { kafkaSpec } from './support/source-under-test.ts'
import { keepingJournal, systemClock } from './support/system-clock.ts'

const settings = { ...defaultKafkaSettings, connectTimeoutMs: 300, requestTimeoutMs: 300 }
/** Kafka's answer to ApiVersions v0: no error, and Metadata from 0 to 12. */
const apiVersions = Buffer.from('0000' + '00000001' + '00030000000c', 'hex')

interface FakeBroker {
  readonly port: number
  readonly sockets: Set<Socket>
  close(): Promise<void>
}

/** `answer` gets the correlation id of each request and sends what it likes. */
async function fakeBroker(
  answer: (socket: Socket, request: { readonly api: number; readonly id: Buffer }) => void,
): Promise<FakeBroker> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      answer(socket, { api: data.readInt16BE(4), id: data.subarray(8, 12) })
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    port,
    sockets,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

const framed = (id: Buffer, payload: Buffer): Buffer => {
  const size = Buffer.alloc(4)
  size.writeInt32BE(4 + payload.length)
  return Buffer.concat([size, id, payload])
}

describe('a link to a broker that misbehaves', () => {
  const opened: { close(): Promise<void> }[] = []
  const links: BrokerLink[] = []

  afterEach(async () => {
    for (const link of links.splice(0)) link.destroy(new Error('the test is over'))
    await Promise.all(opened.splice(0).map((each) => each.close()))
  })

  const linkTo = async (port: number): Promise<BrokerLink> => {
    const common = await connectionOptions({
      spec: kafkaSpec({ brokers: [] }),
      settings,
      journal: keepingJournal(),
      resolveSecret: () => '',
    })
    const link = new BrokerLink({ host: '127.0.0.1', port, common, settings, clock: systemClock })
    links.push(link)
    return link
  }

  const failureOf = async (link: BrokerLink): Promise<string> => {
    try {
      await link.call(metadataApi, { topics: [] })
      return 'answered'
    } catch (thrown) {
      if (!(thrown instanceof OnceflowError)) throw thrown
      expect(link.usable).toBe(false)
      return thrown.message
    }
  }

  test('nobody listens', async () => {
    const broker = await fakeBroker(() => undefined)
    await broker.close()
    expect(await failureOf(await linkTo(broker.port))).toMatch(/SOURCE_UNREACHABLE.*ECONNREFUSED/)
  })

  test('it accepts and is silent', async () => {
    const broker = await fakeBroker(() => undefined)
    opened.push(broker)
    expect(await failureOf(await linkTo(broker.port))).toMatch(/did not answer within 600 ms/)
  })

  test('it answers the versions and then no more', async () => {
    const broker = await fakeBroker((socket, { api, id }) => {
      if (api === 18) socket.write(framed(id, apiVersions))
    })
    opened.push(broker)
    expect(await failureOf(await linkTo(broker.port))).toMatch(/Metadata.*within 300 ms/)
  })

  test('it closes the connection in the middle of a request', async () => {
    const broker = await fakeBroker((socket, { api, id }) => {
      if (api === 18) socket.write(framed(id, apiVersions))
      else socket.end()
    })
    opened.push(broker)
    expect(await failureOf(await linkTo(broker.port))).toMatch(/SOURCE_UNREACHABLE.*Closed/)
  })

  test('its answer is nonsense', async () => {
    const broker = await fakeBroker((socket, { api, id }) => {
      const payload = api === 18 ? apiVersions : Buffer.alloc(40, 0xff)
      socket.write(framed(id, payload))
    })
    opened.push(broker)
    expect(await failureOf(await linkTo(broker.port))).toMatch(/SOURCE_PROTOCOL/)
  })

  test('it is no Kafka broker at all', async () => {
    const broker = await fakeBroker((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))
    opened.push(broker)
    expect(await failureOf(await linkTo(broker.port))).toMatch(/SOURCE_UNREACHABLE/)
  })

  test('many requests at once open one connection, and a destroyed link rejects them all', async () => {
    const broker = await fakeBroker((socket, { api, id }) => {
      if (api === 18) socket.write(framed(id, apiVersions))
    })
    opened.push(broker)
    const link = await linkTo(broker.port)
    const calls = Array.from({ length: 5 }, () => link.call(metadataApi, { topics: [] }))
    await new Promise((done) => setTimeout(done, 100))
    expect(broker.sockets.size).toBe(1)
    link.destroy(new Error('enough'))
    const results = await Promise.allSettled(calls)
    expect(results.map((result) => result.status)).toEqual(Array(5).fill('rejected'))
  })

  test('an idle link arms no timers: kafkajs as shipped fires one every millisecond', async () => {
    const broker = await fakeBroker((socket, { api, id }) => {
      if (api === 18) socket.write(framed(id, apiVersions))
    })
    opened.push(broker)
    const link = await linkTo(broker.port)
    await link.connect()
    const original = globalThis.setTimeout
    let armed = 0
    globalThis.setTimeout = Object.assign((...words: Parameters<typeof original>) => {
      armed++
      return original(...words)
    }, original)
    try {
      await new Promise((done) => original(done, 200))
    } finally {
      globalThis.setTimeout = original
    }
    expect(armed).toBeLessThan(10)
  })
})
