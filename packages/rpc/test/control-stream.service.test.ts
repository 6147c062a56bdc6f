import { leaderEpoch } from '@onceflow/model'
import { afterEach, describe, expect, test } from 'vitest'
import { barrierWanted, commitOf, Stage, until, welcome } from './control-plane.ts'

const stage = new Stage()
afterEach(() => stage.clear())

test('messages of one link keep their order, both ways', async () => {
  const leader = await stage.coordinator()
  leader.server.gate.accept()
  const worker = stage.worker([leader.address])
  await until('hello', () => leader.messages().length === 1)
  expect(leader.events.map(({ kind }) => kind)).toEqual(['connected', 'message'])
  const link = leader.onlyLink()

  const count = 500
  for (let n = 0; n < count; n += 1) {
    expect(leader.server.gate.send(link, commitOf(n))).toBe('queued')
    expect(worker.link.send(barrierWanted(`r${n}`))).toBe('queued')
  }
  await until('all arrived', () => worker.messages().length === count)
  await until('all arrived', () => leader.messages().length === count + 1)
  const numbers = worker.messages().map((one) => (one.kind === 'commit' ? one.checkpoint : -1n))
  expect(numbers).toEqual(Array.from({ length: count }, (_, n) => BigInt(n)))
  const reasons = leader.messages().map((one) => (one.kind === 'barrier-wanted' ? one.reason : ''))
  expect(reasons.slice(1)).toEqual(Array.from({ length: count }, (_, n) => `r${n}`))
})

describe('a link that ends', () => {
  test('by the worker is given as disconnected once', async () => {
    const leader = await stage.coordinator()
    leader.server.gate.accept()
    const worker = stage.worker([leader.address])
    await until('hello', () => leader.messages().length === 1)
    worker.link.send(barrierWanted('last words'))
    await worker.link.stop()
    await until('gone', () => leader.events.at(-1)?.kind === 'disconnected')
    expect(leader.events.map(({ kind }) => kind)).toEqual([
      'connected',
      'message',
      'message',
      'disconnected',
    ])
    expect(leader.server.gate.send(leader.onlyLink(), welcome())).toBe('closed')
    expect(worker.link.send(barrierWanted('too late'))).toBe('closed')
  })

  test('by the leader is found again by the worker', async () => {
    const leader = await stage.coordinator()
    leader.server.gate.accept()
    const worker = stage.worker([leader.address])
    await until('hello', () => leader.messages().length === 1)
    leader.server.gate.send(leader.onlyLink(), welcome())
    leader.server.gate.close(leader.onlyLink(), 'no heartbeat for 5 s')
    await until('again', () => worker.count('connected') === 2)
    expect(worker.messages()).toHaveLength(1)
    const ended = worker.events.find((event) => event.kind === 'disconnected')
    expect(ended).toMatchObject({ cause: 'no heartbeat for 5 s' })
    expect(leader.events.filter(({ kind }) => kind === 'disconnected')).toHaveLength(1)
  })

  test('because the leader is gone is tried again until a leader is there', async () => {
    const first = await stage.coordinator()
    first.server.gate.accept()
    const worker = stage.worker([first.address])
    await until('hello', () => first.messages().length === 1)
    await first.server.stop()
    await until('broken', () => worker.count('disconnected') === 1)
    const second = await stage.coordinator({ listen: first.address })
    second.server.gate.accept()
    await until('hello', () => second.messages().length === 1)
  })
})

describe('who does not lead', () => {
  test('names the leader, and the worker goes there', async () => {
    const leader = await stage.coordinator()
    leader.server.gate.accept()
    const follower = await stage.coordinator()
    follower.server.gate.redirect(leader.address)
    stage.worker([follower.address])
    await until('hello', () => leader.messages().length === 1)
    expect(follower.events).toEqual([])
  })

  test('closes its links when it stops leading', async () => {
    const old = await stage.coordinator()
    old.server.gate.accept()
    const next = await stage.coordinator()
    const worker = stage.worker([old.address, next.address])
    await until('hello', () => old.messages().length === 1)
    next.server.gate.accept()
    old.server.gate.redirect(next.address)
    await until('hello', () => next.messages().length === 1)
    expect(worker.events.map(({ kind }) => kind)).toEqual([
      'connected',
      'disconnected',
      'connected',
    ])
    expect(old.events.at(-1)?.kind).toBe('disconnected')
  })

  test('is passed over although it answers first', async () => {
    const idle = await stage.coordinator()
    const leader = await stage.coordinator()
    leader.server.gate.accept()
    stage.worker(['127.0.0.1:1', idle.address, leader.address])
    await until('hello', () => leader.messages().length === 1)
  })

  test('but says that it does is left when the worker knows better', async () => {
    const stale = await stage.coordinator()
    stale.server.gate.accept()
    const leader = await stage.coordinator()
    const worker = stage.worker([stale.address, leader.address])
    await until('hello', () => stale.messages().length === 1)
    leader.server.gate.accept()
    worker.link.reconnect('its epoch is lower than one seen')
    await until('hello', () => leader.messages().length === 1)
  })
})

describe('a frozen peer', () => {
  const limits = { keepaliveMs: 200, keepaliveTimeoutMs: 200, findLeaderMs: 300, connectMs: 1000 }

  test('is noticed by both sides', async () => {
    const leader = await stage.coordinator({ limits })
    const proxy = await stage.proxy(leader.address)
    leader.server.gate.accept()
    const searched = await stage.coordinator()
    searched.server.gate.redirect(proxy.address)
    const worker = stage.worker([searched.address], limits)
    await until('hello', () => leader.messages().length === 1)
    proxy.freeze()
    await until('noticed', () => worker.count('disconnected') === 1)
    await until('noticed', () => leader.events.at(-1)?.kind === 'disconnected')
  })

  test('does not keep the worker from finding another leader', async () => {
    const frozen = await stage.coordinator()
    const proxy = await stage.proxy(frozen.address)
    proxy.freeze()
    const leader = await stage.coordinator()
    leader.server.gate.accept()
    stage.worker([proxy.address, leader.address], limits)
    await until('hello', () => leader.messages().length === 1)
  })
})

describe('bounds', () => {
  test('a message larger than the limit is refused before it is sent', async () => {
    const limits = { messageBytesMax: 10_000 }
    const leader = await stage.coordinator({ limits })
    leader.server.gate.accept()
    const worker = stage.worker([leader.address], limits)
    await until('hello', () => leader.messages().length === 1)
    const large = barrierWanted('x'.repeat(20_000))
    expect(() => worker.link.send(large)).toThrow(/LIMIT_EXCEEDED.*barrier-wanted.*messageBytesMax/)
    expect(worker.link.send(barrierWanted('small'))).toBe('queued')
    await until('the next one', () => leader.messages().length === 2)
  })

  test('a message larger than what the peer takes ends the link', async () => {
    const leader = await stage.coordinator({ limits: { messageBytesMax: 10_000 } })
    leader.server.gate.accept()
    const worker = stage.worker([leader.address])
    await until('hello', () => leader.messages().length === 1)
    worker.link.send(barrierWanted('x'.repeat(20_000)))
    await until('ended', () => worker.count('disconnected') === 1)
    await until('ended', () => leader.events.some(({ kind }) => kind === 'disconnected'))
    expect(worker.events.find(({ kind }) => kind === 'disconnected')).toMatchObject({
      cause: expect.stringContaining('RESOURCE_EXHAUSTED'),
    })
  })

  test('a peer that does not read fills a bounded queue, then the link is closed', async () => {
    const limits = { queueBytesMax: 1_000_000, keepaliveMs: 60_000 }
    const leader = await stage.coordinator({ limits })
    const proxy = await stage.proxy(leader.address)
    leader.server.gate.accept()
    const searched = await stage.coordinator()
    searched.server.gate.redirect(proxy.address)
    const worker = stage.worker([searched.address], limits)
    await until('hello', () => leader.messages().length === 1)
    proxy.freeze()
    const message = barrierWanted('x'.repeat(10_000))
    let sent = 0
    await until('full', () => {
      for (let n = 0; n < 20; n += 1) {
        if (worker.link.send(message) === 'closed') return true
        sent += 1
      }
      return false
    })
    expect(sent).toBeGreaterThan(100)
    await until('closed', () => worker.count('disconnected') === 1)
    expect(worker.events.at(-1)).toMatchObject({ cause: expect.stringContaining('queueBytesMax') })
  })

  test('a peer that reads slowly gets everything, in order', async () => {
    const leader = await stage.coordinator()
    leader.server.gate.accept()
    const worker = stage.worker([leader.address])
    await until('hello', () => leader.messages().length === 1)
    const text = 'x'.repeat(100_000)
    for (let n = 0; n < 100; n += 1) worker.link.send(barrierWanted(`${n} ${text}`))
    await until('all', () => leader.messages().length === 101)
    const order = leader
      .messages()
      .slice(1)
      .map((one) => (one.kind === 'barrier-wanted' ? Number.parseInt(one.reason, 10) : -1))
    expect(order).toEqual(Array.from({ length: 100 }, (_, n) => n))
  })

  test('a stream without hello is closed', async () => {
    const leader = await stage.coordinator({ limits: { connectMs: 200 } })
    leader.server.gate.accept()
    const worker = stage.worker([leader.address], {}, null)
    await until('closed', () => worker.count('disconnected') === 1)
    expect(leader.events[1]).toMatchObject({ kind: 'disconnected', cause: /hello/ })
  })

  test('a stream whose first message is no hello is closed', async () => {
    const leader = await stage.coordinator()
    leader.server.gate.accept()
    const draining = { kind: 'draining', leaderEpoch: leaderEpoch(1n) } as const
    stage.worker([leader.address], {}, draining)
    await until('closed', () => leader.events.length > 1)
    expect(leader.events[1]).toMatchObject({
      kind: 'disconnected',
      cause: expect.stringContaining('draining, not hello'),
    })
  })
})

describe('shutdown', () => {
  test('delivers what was sent, ends the streams, and takes no new ones', async () => {
    const leader = await stage.coordinator()
    leader.server.gate.accept()
    const worker = stage.worker([leader.address])
    await until('hello', () => leader.messages().length === 1)
    for (let n = 0; n < 100; n += 1) leader.server.gate.send(leader.onlyLink(), commitOf(n))
    await leader.server.stop()
    expect(worker.messages()).toHaveLength(100)
    await until('ended', () => worker.count('disconnected') === 1)
    expect(leader.events.at(-1)).toMatchObject({
      kind: 'disconnected',
      cause: 'the coordinator stops',
    })
  })

  test('does not wait for a frozen peer', async () => {
    const leader = await stage.coordinator({ limits: { shutdownMs: 300 } })
    const proxy = await stage.proxy(leader.address)
    leader.server.gate.accept()
    const searched = await stage.coordinator()
    searched.server.gate.redirect(proxy.address)
    stage.worker([searched.address])
    await until('hello', () => leader.messages().length === 1)
    proxy.freeze()
    await leader.server.stop()
  })
})

test('an address beyond loopback is refused', async () => {
  await expect(stage.coordinator({ listen: '0.0.0.0:0' })).rejects.toThrow(/BIND_REFUSED/)
  await expect(stage.coordinator({ listen: '[::]:0' })).rejects.toThrow(/BIND_REFUSED/)
  await expect(stage.coordinator({ listen: 'nonsense' })).rejects.toThrow(/CONFIG_INVALID/)
})

test('a port that is taken is a failure with its address', async () => {
  const first = await stage.coordinator()
  await expect(stage.coordinator({ listen: first.address })).rejects.toThrow(
    `cannot listen on ${first.address}`,
  )
})
