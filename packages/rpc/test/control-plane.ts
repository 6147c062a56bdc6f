import { connect, createServer, type Server, type Socket } from 'node:net'
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
  AdminHandler,
  Clock,
  GateEvent,
  LeaderLink,
  LeaderLinkEvent,
  LeaderMessage,
  LinkId,
  WorkerMessage,
} from '@onceflow/ports'
import { RecordingJournal, SeededRandom } from '@onceflow/twins'
import { createLeaderLink, type RpcLimits, RpcServer } from '../src/index.ts'

/** A test waits this long for what should take milliseconds. */
const deadlineMs = 10_000

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
}

export async function until(what: string, holds: () => boolean): Promise<void> {
  const started = performance.now()
  while (!holds()) {
    if (performance.now() - started > deadlineMs) throw new Error(`not in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** A coordinator as far as gRPC sees one, with everything it was told. */
export interface Coordinator {
  readonly server: RpcServer
  readonly address: string
  readonly events: GateEvent[]
  readonly journal: RecordingJournal
  messages(): WorkerMessage[]
  onlyLink(): LinkId
}

export interface CoordinatorOptions {
  readonly limits?: Partial<RpcLimits>
  readonly listen?: string
  readonly advertise?: string
  readonly admin?: AdminHandler
}

/** Whatever a test started is stopped in the reverse order, however the test ended. */
export class Stage {
  readonly #stops: (() => Promise<unknown> | unknown)[] = []

  later(stop: () => Promise<unknown> | unknown): void {
    this.#stops.push(stop)
  }

  async clear(): Promise<void> {
    for (const stop of this.#stops.splice(0).reverse()) await stop()
  }

  async coordinator(options: CoordinatorOptions = {}): Promise<Coordinator> {
    const journal = new RecordingJournal()
    const server = new RpcServer({
      listen: options.listen ?? '127.0.0.1:0',
      advertise: options.advertise,
      insecureBind: 'no',
      admin: options.admin,
      clock: systemClock,
      journal,
      limits: { shutdownMs: 500, ...options.limits },
    })
    const events: GateEvent[] = []
    server.gate.onEvent((event) => events.push(event))
    await server.start()
    this.later(() => server.stop())
    return {
      server,
      address: server.address,
      events,
      journal,
      messages: () => events.flatMap((event) => (event.kind === 'message' ? [event.message] : [])),
      onlyLink: () => {
        const links = events.filter((event) => event.kind === 'connected')
        if (links.length !== 1) throw new Error(`there were ${links.length} links`)
        return links[0]?.link ?? ''
      },
    }
  }

  /** first: what the worker says once it is connected; hello unless given, null for nothing. */
  worker(
    addresses: readonly string[],
    limits: Partial<RpcLimits> = {},
    first: WorkerMessage | null = hello(),
  ): Worker {
    const link = createLeaderLink({
      addresses,
      clock: systemClock,
      random: new SeededRandom(7),
      limits,
    })
    const events: LeaderLinkEvent[] = []
    link.onEvent((event) => {
      events.push(event)
      if (event.kind === 'connected' && first !== null) link.send(first)
    })
    link.start()
    this.later(() => link.stop())
    const count = (kind: LeaderLinkEvent['kind']) =>
      events.filter((event) => event.kind === kind).length
    return {
      link,
      events,
      count,
      messages: () => events.flatMap((event) => (event.kind === 'message' ? [event.message] : [])),
    }
  }

  async proxy(target: string): Promise<Proxy> {
    const proxy = await openProxy(target)
    this.later(() => proxy.close())
    return proxy
  }
}

export interface Worker {
  readonly link: LeaderLink
  readonly events: LeaderLinkEvent[]
  count(kind: LeaderLinkEvent['kind']): number
  messages(): LeaderMessage[]
}

/** Carries bytes until it is frozen: then both sides stay connected and hear nothing. */
export interface Proxy {
  readonly address: string
  freeze(): void
  close(): Promise<void>
}

async function openProxy(target: string): Promise<Proxy> {
  const [host, port] = target.split(':')
  const sockets: Socket[] = []
  const server: Server = createServer((near) => {
    const far = connect(Number(port), host)
    sockets.push(near, far)
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the proxy has no port')
  return {
    address: `127.0.0.1:${bound.port}`,
    freeze: () => {
      for (const socket of sockets) {
        socket.unpipe()
        socket.pause()
      }
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const hello = (): WorkerMessage => ({
  kind: 'hello',
  worker: workerId('w1'),
  incarnation: incarnation('i1'),
  version: '0.1.0',
  seen: leaderEpoch(0n),
  tasksMax: 8,
  tasks: [],
})

export const welcome = (): LeaderMessage => ({
  kind: 'welcome',
  leaderEpoch: leaderEpoch(5n),
  cluster: clusterUid('cluster01'),
  heartbeatIntervalMs: 1000,
})

const stamp = {
  pipeline: pipelineUid('pipeline01'),
  attempt: attempt(1n),
  leaderEpoch: leaderEpoch(5n),
}

export const commitOf = (n: number): LeaderMessage => ({
  kind: 'commit',
  ...stamp,
  checkpoint: checkpointNumber(BigInt(n)),
  revision: revision(9n),
})

export const barrierWanted = (reason: string): WorkerMessage => ({
  kind: 'barrier-wanted',
  ...stamp,
  subtask: 0 as never,
  reason,
})
