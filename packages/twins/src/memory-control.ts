import { invariant } from '@onceflow/model'
import type {
  Clock,
  GateEvent,
  LeaderLink,
  LeaderLinkEvent,
  LeaderMessage,
  LinkId,
  WorkerGate,
  WorkerMessage,
} from '@onceflow/ports'

export interface MemoryControlOptions {
  readonly clock: Clock
  /** How long a worker waits before it dials again; 100 unless given. */
  readonly redialMs?: number
}

/** Messages from the worker to the leader, or from the leader to the worker. */
export type Direction = 'to-leader' | 'to-worker'

/**
 * Control streams between coordinators and workers in one process. Delivery is asynchronous and in
 * order; a test may hold, delay, break or cut the streams of a worker by its name.
 *
 * Invariants: a worker has at most one open link; a message is delivered in order or not at all;
 * a closed link delivers nothing more, and tells both ends once.
 */
export class MemoryControl {
  readonly #clock: Clock
  readonly #redialMs: number
  readonly #gates = new Map<string, MemoryGate>()
  readonly #links = new Map<string, MemoryLeaderLink>()
  #streams = 0

  constructor(options: MemoryControlOptions) {
    this.#clock = options.clock
    this.#redialMs = options.redialMs ?? 100
  }

  /** The gate of the coordinator at this address; asking again gives a new one (a restart). */
  gate(address: string): MemoryGate {
    this.#gates.get(address)?.stop('the coordinator is gone')
    const gate = new MemoryGate(address)
    this.#gates.set(address, gate)
    return gate
  }

  /** The link of the worker of this name; asking again gives a new one (a restart). */
  link(name: string): MemoryLeaderLink {
    this.#links.get(name)?.abandon('the worker is gone')
    const link = new MemoryLeaderLink({
      clock: this.#clock,
      redialMs: this.#redialMs,
      dial: () => this.#dial(name),
    })
    this.#links.set(name, link)
    return link
  }

  /** Breaks the stream; the worker dials again. */
  disconnect(name: string, cause = 'twin: disconnected'): void {
    this.#link(name).stream()?.break(cause)
  }

  /** Breaks the stream and lets no new one come up until heal(). */
  cut(name: string): void {
    this.#link(name).reachable = 'no'
    this.disconnect(name, 'twin: cut')
  }

  heal(name: string): void {
    this.#link(name).reachable = 'yes'
  }

  /** Keeps messages of the worker's present stream back until release(); the stream stays up. */
  hold(name: string, direction: Direction): void {
    this.#link(name).stream()?.hold(direction)
  }

  release(name: string, direction: Direction): void {
    this.#link(name).stream()?.release(direction)
  }

  /** Each message of the worker's present stream takes this long. */
  delay(name: string, delayMs: number): void {
    this.#link(name).stream()?.setDelay(delayMs)
  }

  #link(name: string): MemoryLeaderLink {
    const link = this.#links.get(name)
    invariant(link !== undefined, `no worker is named ${name}`)
    return link
  }

  #dial(name: string): Stream | undefined {
    const link = this.#link(name)
    if (link.reachable === 'no') return undefined
    for (const gate of this.#gates.values()) {
      if (!gate.accepting()) continue
      this.#streams += 1
      const stream = new Stream(`${name}#${this.#streams}`, { clock: this.#clock, gate, link })
      gate.admit(stream, name)
      return stream
    }
    return undefined
  }
}

interface Ends {
  readonly clock: Clock
  readonly gate: MemoryGate
  readonly link: MemoryLeaderLink
}

interface Lane {
  readonly queue: (() => void)[]
  holding: 'yes' | 'no'
  pumping: 'yes' | 'no'
}

class Stream {
  readonly id: LinkId
  readonly address: string
  readonly #ends: Ends
  readonly #lanes = { 'to-leader': emptyLane(), 'to-worker': emptyLane() }
  #delayMs = 0
  #open: 'yes' | 'no' = 'yes'

  constructor(id: LinkId, ends: Ends) {
    this.id = id
    this.address = ends.gate.address
    this.#ends = ends
  }

  toLeader(message: WorkerMessage): 'queued' | 'closed' {
    const { gate } = this.#ends
    return this.#push('to-leader', () => gate.tell({ kind: 'message', link: this.id, message }))
  }

  toWorker(message: LeaderMessage): 'queued' | 'closed' {
    const { link } = this.#ends
    return this.#push('to-worker', () => link.tell({ kind: 'message', message }))
  }

  break(cause: string): void {
    if (this.#open === 'no') return
    this.#open = 'no'
    this.#ends.gate.forget(this, cause)
    this.#ends.link.lost(this, cause)
  }

  hold(direction: Direction): void {
    this.#lanes[direction].holding = 'yes'
  }

  release(direction: Direction): void {
    this.#lanes[direction].holding = 'no'
    this.#pump(direction)
  }

  setDelay(delayMs: number): void {
    this.#delayMs = delayMs
  }

  #push(direction: Direction, deliver: () => void): 'queued' | 'closed' {
    if (this.#open === 'no') return 'closed'
    this.#lanes[direction].queue.push(deliver)
    this.#pump(direction)
    return 'queued'
  }

  #pump(direction: Direction): void {
    const lane = this.#lanes[direction]
    if (lane.pumping === 'yes' || lane.queue.length === 0) return
    lane.pumping = 'yes'
    const step = () => {
      lane.pumping = 'no'
      if (this.#open === 'no' || lane.holding === 'yes') return
      lane.queue.shift()?.()
      this.#pump(direction)
    }
    if (this.#delayMs > 0) this.#ends.clock.after(this.#delayMs, step)
    else queueMicrotask(step)
  }
}

const emptyLane = (): Lane => ({ queue: [], holding: 'no', pumping: 'no' })

/** The coordinator's side. Starts closed: accept() opens it. */
export class MemoryGate implements WorkerGate {
  readonly address: string
  redirectedTo: string | undefined
  readonly #streams = new Map<LinkId, Stream>()
  readonly #listeners: ((event: GateEvent) => void)[] = []
  #accepting: 'yes' | 'no' = 'no'

  constructor(address: string) {
    this.address = address
  }

  onEvent(listener: (event: GateEvent) => void): void {
    this.#listeners.push(listener)
  }

  send(link: LinkId, message: LeaderMessage): 'queued' | 'closed' {
    return this.#streams.get(link)?.toWorker(message) ?? 'closed'
  }

  close(link: LinkId, cause: string): void {
    this.#streams.get(link)?.break(cause)
  }

  redirect(leaderAddress: string | undefined): void {
    this.redirectedTo = leaderAddress
    this.stop('the coordinator does not lead')
  }

  accept(): void {
    this.redirectedTo = undefined
    this.#accepting = 'yes'
  }

  /** As when the process dies: every stream breaks, and none comes up. */
  stop(cause: string): void {
    this.#accepting = 'no'
    for (const stream of [...this.#streams.values()]) stream.break(cause)
  }

  accepting(): boolean {
    return this.#accepting === 'yes'
  }

  /** Links that are open now. */
  links(): readonly LinkId[] {
    return [...this.#streams.keys()]
  }

  admit(stream: Stream, peer: string): void {
    this.#streams.set(stream.id, stream)
    queueMicrotask(() => this.tell({ kind: 'connected', link: stream.id, peer }))
  }

  forget(stream: Stream, cause: string): void {
    this.#streams.delete(stream.id)
    queueMicrotask(() => this.tell({ kind: 'disconnected', link: stream.id, cause }))
  }

  tell(event: GateEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}

interface LinkOptions {
  readonly clock: Clock
  readonly redialMs: number
  readonly dial: () => Stream | undefined
}

/** The worker's side. Dials until a gate accepts it. */
export class MemoryLeaderLink implements LeaderLink {
  reachable: 'yes' | 'no' = 'yes'
  readonly #options: LinkOptions
  readonly #listeners: ((event: LeaderLinkEvent) => void)[] = []
  #stream: Stream | undefined
  #running: 'yes' | 'no' = 'no'

  constructor(options: LinkOptions) {
    this.#options = options
  }

  onEvent(listener: (event: LeaderLinkEvent) => void): void {
    this.#listeners.push(listener)
  }

  start(): void {
    invariant(this.#running === 'no', 'a link is started once')
    this.#running = 'yes'
    this.#dial()
  }

  send(message: WorkerMessage): 'queued' | 'closed' {
    return this.#stream?.toLeader(message) ?? 'closed'
  }

  reconnect(cause: string): void {
    this.#stream?.break(cause)
  }

  async stop(): Promise<void> {
    this.abandon('the worker stops')
  }

  /** As when the process dies. */
  abandon(cause: string): void {
    this.#running = 'no'
    this.#stream?.break(cause)
  }

  stream(): Stream | undefined {
    return this.#stream
  }

  lost(stream: Stream, cause: string): void {
    if (this.#stream !== stream) return
    this.#stream = undefined
    queueMicrotask(() => this.tell({ kind: 'disconnected', cause }))
    this.#redialLater()
  }

  tell(event: LeaderLinkEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  #redialLater(): void {
    if (this.#running === 'no') return
    this.#options.clock.after(this.#options.redialMs, () => this.#dial())
  }

  #dial(): void {
    if (this.#running === 'no' || this.#stream !== undefined) return
    const stream = this.#options.dial()
    if (stream === undefined) {
      this.#redialLater()
      return
    }
    this.#stream = stream
    queueMicrotask(() => this.tell({ kind: 'connected', address: stream.address }))
  }
}
