import {
  attempt,
  checkpointNumber,
  clusterUid,
  incarnation,
  leaderEpoch,
  pipelineUid,
  revision,
  workerId,
} from '@onceflow/model'
import type {
  GateEvent,
  LeaderLink,
  LeaderLinkEvent,
  LeaderMessage,
  WorkerGate,
  WorkerMessage,
} from '@onceflow/ports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

/** A control plane in which coordinators and a worker can be put. */
export interface ControlHarness {
  /** A coordinator; it does not lead until accept is called. */
  coordinator(): Promise<{ readonly gate: WorkerGate; readonly address: string }>
  /** A worker that knows every coordinator made so far; not started. */
  worker(): LeaderLink
  close(): Promise<void>
}

const deadlineMs = 15_000

async function until(what: string, holds: () => boolean): Promise<void> {
  const started = performance.now()
  while (!holds()) {
    if (performance.now() - started > deadlineMs) throw new Error(`not in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const hello: WorkerMessage = {
  kind: 'hello',
  worker: workerId('w1'),
  incarnation: incarnation('i1'),
  version: '0.1.0',
  seen: leaderEpoch(0n),
  tasksMax: 8,
  tasks: [],
}

const welcome: LeaderMessage = {
  kind: 'welcome',
  leaderEpoch: leaderEpoch(5n),
  cluster: clusterUid('cluster01'),
  heartbeatIntervalMs: 1000,
}

const stamp = {
  pipeline: pipelineUid('pipeline01'),
  attempt: attempt(1n),
  leaderEpoch: leaderEpoch(5n),
}

const commitOf = (n: number): LeaderMessage => ({
  kind: 'commit',
  ...stamp,
  checkpoint: checkpointNumber(BigInt(n)),
  revision: revision(9n),
})

const wantedOf = (n: number): WorkerMessage => ({
  kind: 'barrier-wanted',
  ...stamp,
  subtask: 0 as never,
  reason: `${n}`,
})

/** What both sides of a control link were told, in order. */
class Told {
  readonly gate: GateEvent[] = []
  readonly link: LeaderLinkEvent[] = []

  kinds(): { readonly gate: string[]; readonly link: string[] } {
    return { gate: this.gate.map(({ kind }) => kind), link: this.link.map(({ kind }) => kind) }
  }

  linkIds(): string[] {
    return this.gate.flatMap((event) => (event.kind === 'connected' ? [event.link] : []))
  }

  count(side: 'gate' | 'link', kind: string): number {
    return this.kinds()[side].filter((one) => one === kind).length
  }
}

/** The promises of WorkerGate and LeaderLink, which any pair of adapters must keep. */
export function describeControlLink(name: string, make: () => Promise<ControlHarness>): void {
  describe(`a control link: ${name}`, () => {
    let harness: ControlHarness
    let told: Told

    beforeEach(async () => {
      harness = await make()
      told = new Told()
    })
    afterEach(() => harness.close())

    async function leading(): Promise<WorkerGate> {
      const { gate } = await harness.coordinator()
      gate.onEvent((event) => told.gate.push(event))
      gate.accept()
      return gate
    }

    async function connected(): Promise<LeaderLink> {
      const link = harness.worker()
      link.onEvent((event) => {
        told.link.push(event)
        if (event.kind === 'connected') link.send(hello)
      })
      link.start()
      await until('hello', () => told.count('gate', 'message') === 1)
      return link
    }

    test('is told as connected on both sides before its first message', async () => {
      await leading()
      await connected()
      expect(told.kinds()).toEqual({ gate: ['connected', 'message'], link: ['connected'] })
    })

    test('takes nothing before it is connected', async () => {
      await harness.coordinator()
      const link = harness.worker()
      expect(link.send(hello)).toBe('closed')
      link.start()
      expect(link.send(hello)).toBe('closed')
      await link.stop()
    })

    test('keeps the order of messages, both ways at once', async () => {
      const gate = await leading()
      const link = await connected()
      const [id] = told.linkIds()
      const count = 200
      for (let n = 0; n < count; n += 1) {
        expect(gate.send(id ?? '', commitOf(n))).toBe('queued')
        expect(link.send(wantedOf(n))).toBe('queued')
      }
      await until('all', () => told.count('link', 'message') === count)
      await until('all', () => told.count('gate', 'message') === count + 1)
      const numbers = told.link.flatMap((event) =>
        event.kind === 'message' && event.message.kind === 'commit'
          ? [Number(event.message.checkpoint)]
          : [],
      )
      const reasons = told.gate.flatMap((event) =>
        event.kind === 'message' && event.message.kind === 'barrier-wanted'
          ? [Number(event.message.reason)]
          : [],
      )
      const expected = Array.from({ length: count }, (_, n) => n)
      expect(numbers).toEqual(expected)
      expect(reasons).toEqual(expected)
    })

    test.each(['the leader', 'the worker'])(
      'that %s gives up ends once on both sides, and another one follows',
      async (who) => {
        const gate = await leading()
        const link = await connected()
        const [first] = told.linkIds()
        if (who === 'the leader') gate.close(first ?? '', 'a test')
        else link.reconnect('a test')
        await until('again', () => told.count('gate', 'message') === 2)
        await until('told', () => told.count('gate', 'disconnected') === 1)
        expect(told.kinds().link).toEqual(['connected', 'disconnected', 'connected'])
        const [, second] = told.linkIds()
        expect(second).not.toBe(first)
        expect(gate.send(first ?? '', welcome)).toBe('closed')
        expect(gate.send(second ?? '', welcome)).toBe('queued')
        await until('welcome', () => told.count('link', 'message') === 1)
      },
    )

    test('ends when its coordinator stops leading, and comes up at the next leader', async () => {
      const first = await leading()
      const next = await harness.coordinator()
      next.gate.onEvent((event) => told.gate.push(event))
      await connected()
      first.redirect(next.address)
      await until('ended', () => told.count('gate', 'disconnected') === 1)
      next.gate.accept()
      await until('hello', () => told.count('gate', 'message') === 2)
      expect(told.link.filter(({ kind }) => kind === 'connected').at(-1)).toEqual({
        kind: 'connected',
        address: next.address,
      })
    })

    test('does not come up where nobody leads', async () => {
      const { gate } = await harness.coordinator()
      gate.onEvent((event) => told.gate.push(event))
      const link = harness.worker()
      link.onEvent((event) => told.link.push(event))
      link.start()
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(told.kinds()).toEqual({ gate: [], link: [] })
      gate.accept()
      await until('connected', () => told.count('link', 'connected') === 1)
    })

    test('that was stopped stays down', async () => {
      await leading()
      const link = await connected()
      await link.stop()
      await until('ended', () => told.count('gate', 'disconnected') === 1)
      expect(link.send(hello)).toBe('closed')
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(told.count('gate', 'connected')).toBe(1)
    })
  })
}
