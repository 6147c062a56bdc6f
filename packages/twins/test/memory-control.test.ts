import { clusterUid, incarnation, type LeaderEpoch, leaderEpoch, workerId } from '@onceflow/model'
import type { GateEvent, LeaderLinkEvent, LeaderMessage, WorkerMessage } from '@onceflow/ports'
import { ManualClock, MemoryControl } from '@onceflow/twins'
import { describe, expect, test } from 'vitest'

const epoch: LeaderEpoch = leaderEpoch(7n)
const hello: WorkerMessage = {
  kind: 'hello',
  worker: workerId('w1'),
  incarnation: incarnation('i1'),
  version: '0.1.0',
  seen: epoch,
  tasksMax: 4,
  tasks: [],
}
const heartbeat: LeaderMessage = { kind: 'heartbeat', leaderEpoch: epoch }
const welcome: LeaderMessage = {
  kind: 'welcome',
  leaderEpoch: epoch,
  cluster: clusterUid('cluster01'),
  heartbeatIntervalMs: 1_000,
}

const textOf = (event: GateEvent | LeaderLinkEvent): string =>
  event.kind === 'message' ? event.message.kind : event.kind

function setUp() {
  const clock = new ManualClock()
  const control = new MemoryControl({ clock })
  const gate = control.gate('a:1')
  const link = control.link('w1')
  const atGate: string[] = []
  const atLink: string[] = []
  gate.onEvent((event) => void atGate.push(textOf(event)))
  link.onEvent((event) => void atLink.push(textOf(event)))
  return { clock, control, gate, link, atGate, atLink }
}

describe('the memory control link', () => {
  test('connects when a gate accepts, and carries messages in order', async () => {
    const { clock, gate, link, atGate, atLink } = setUp()
    link.start()
    await clock.run(250)
    expect(link.send(hello)).toBe('closed')
    gate.accept()
    await clock.run(100)
    expect(link.send(hello)).toBe('queued')
    const [id] = gate.links()
    if (id === undefined) throw new Error('a link is open')
    gate.send(id, welcome)
    gate.send(id, heartbeat)
    await clock.run(0)
    expect(atGate).toEqual(['connected', 'hello'])
    expect(atLink).toEqual(['connected', 'welcome', 'heartbeat'])
    await link.stop()
    await clock.run(1_000)
    expect(atGate.at(-1)).toBe('disconnected')
    expect(gate.send(id, heartbeat)).toBe('closed')
  })

  test('a cut worker comes back on another link when it is healed', async () => {
    const { clock, control, gate, link, atLink } = setUp()
    gate.accept()
    link.start()
    await clock.run(0)
    const before = gate.links()
    control.hold('w1', 'to-worker')
    const [id] = before
    if (id === undefined) throw new Error('a link is open')
    expect(gate.send(id, welcome)).toBe('queued')
    control.cut('w1')
    await clock.run(1_000)
    expect(gate.links()).toEqual([])
    control.heal('w1')
    await clock.run(200)
    expect(gate.links()).toHaveLength(1)
    expect(gate.links()).not.toEqual(before)
    expect(atLink).toEqual(['connected', 'disconnected', 'connected'])
  })

  test('a worker moves to the gate that leads', async () => {
    const { clock, control, gate, link } = setUp()
    const other = control.gate('b:1')
    gate.accept()
    link.start()
    await clock.run(0)
    expect(gate.links()).toHaveLength(1)
    gate.redirect('b:1')
    other.accept()
    await clock.run(100)
    expect([gate.links().length, other.links().length]).toEqual([0, 1])
  })

  test('a delay keeps the order, and a hold keeps back', async () => {
    const { clock, control, gate, link, atGate } = setUp()
    gate.accept()
    link.start()
    await clock.run(0)
    control.delay('w1', 50)
    link.send(hello)
    link.send({ kind: 'draining', leaderEpoch: epoch })
    await clock.run(60)
    expect(atGate).toEqual(['connected', 'hello'])
    control.hold('w1', 'to-leader')
    await clock.run(500)
    expect(atGate).toEqual(['connected', 'hello'])
    control.release('w1', 'to-leader')
    await clock.run(50)
    expect(atGate).toEqual(['connected', 'hello', 'draining'])
  })
})
