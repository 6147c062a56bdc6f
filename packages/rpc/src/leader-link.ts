import {
  Client,
  type ClientDuplexStream,
  credentials,
  type ServiceError,
  type StatusObject,
  status,
} from '@grpc/grpc-js'
import { failureOf, failureText } from '@onceflow/model'
import type {
  Clock,
  LeaderLink,
  LeaderLinkEvent,
  LeaderMessage,
  RandomSource,
  TimerHandle,
  WorkerMessage,
} from '@onceflow/ports'
import { BoundedWriter } from './bounded-writer.ts'
import {
  checkSize,
  controlService,
  decodeLeaderMessage,
  encodeWorkerMessage,
} from './control-service.ts'
import { findLeader } from './leader-search.ts'
import type { RpcLimits } from './limits.ts'
import { refusalOf } from './status-details.ts'

// The worker's side of the control stream: search, dial, one session, wait, and again.
//
// - There is at most one session, and every connected event is followed by one disconnected event
//   before the next connected one.
// - send takes messages only within a session that the leader has accepted.
// - A wait between two tries grows from backoffMinMs to backoffMaxMs, with jitter, and starts anew
//   after a session that was accepted: the first try after a broken stream is almost at once.

interface Session {
  readonly address: string
  readonly client: Client
  readonly call: ClientDuplexStream<Buffer, Buffer>
  readonly writer: BoundedWriter
  readonly dialTimer: TimerHandle
  state: 'dialling' | 'accepted' | 'over'
  cause: string
}

/** How a session ended: after it had been accepted, or before; and who leads, if that was told. */
interface SessionEnd {
  readonly accepted: 'yes' | 'no'
  readonly leaderAddress: string | undefined
}

export interface LeaderLinkOptions {
  /** Of any coordinators, host:port. */
  readonly addresses: readonly string[]
  readonly clock: Clock
  readonly random: RandomSource
  readonly limits: RpcLimits
}

/** After so many redirects in a row the search starts anew: the coordinators disagree. */
const redirectsMax = 3

export class StreamLeaderLink implements LeaderLink {
  readonly #options: LeaderLinkOptions
  readonly #listeners: ((event: LeaderLinkEvent) => void)[] = []
  #session: Session | undefined
  #wait: { readonly timer: TimerHandle; readonly done: () => void } | undefined
  #running: Promise<void> | undefined
  #stopping: 'yes' | 'no' = 'no'
  #avoid: string | undefined

  constructor(options: LeaderLinkOptions) {
    this.#options = options
  }

  onEvent(listener: (event: LeaderLinkEvent) => void): void {
    this.#listeners.push(listener)
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Throws LIMIT_EXCEEDED for a message that no leader would take. */
  send(message: WorkerMessage): 'queued' | 'closed' {
    const session = this.#session
    if (session?.state !== 'accepted') return 'closed'
    const bytes = encodeWorkerMessage(message)
    checkSize(bytes, message.kind, this.#options.limits.messageBytesMax)
    if (session.writer.send(bytes) === 'queued') return 'queued'
    this.#cut(session, `it reads too slowly: queueBytesMax ${this.#options.limits.queueBytesMax}`)
    return 'closed'
  }

  reconnect(cause: string): void {
    if (this.#session !== undefined) this.#cut(this.#session, cause)
    this.#wait?.done()
  }

  async stop(): Promise<void> {
    this.#stopping = 'yes'
    this.#wait?.done()
    const session = this.#session
    if (session === undefined) return this.#running
    // What was sent before is delivered: the stream is ended, not cut, unless the leader does not
    // answer its end.
    session.writer.finish()
    const timer = this.#options.clock.after(this.#options.limits.connectMs, () =>
      this.#cut(session, 'the leader did not end the stream in time'),
    )
    await this.#running
    timer.cancel()
  }

  async #run(): Promise<void> {
    let failures = 0
    while (this.#stopping === 'no') {
      const accepted = await this.#tryOnce()
      if (this.#isStopping()) return
      failures = accepted === 'yes' ? 0 : failures + 1
      await this.#pause(this.#backoffMs(failures))
    }
  }

  #isStopping(): boolean {
    return this.#stopping === 'yes'
  }

  /** One search, and a session with whom it found; a refusal that names the leader is followed. */
  async #tryOnce(): Promise<'yes' | 'no'> {
    const { addresses, limits } = this.#options
    const search = { addresses, deadlineMs: limits.findLeaderMs, avoid: this.#avoid }
    let address = await findLeader(search)
    for (let redirects = 0; address !== undefined && redirects < redirectsMax; redirects += 1) {
      if (this.#isStopping()) return 'no'
      const end = await this.#converse(address)
      this.#avoid = address
      if (end.accepted === 'yes') return 'yes'
      address = end.leaderAddress
    }
    return 'no'
  }

  /** Resolves when the session is over. */
  #converse(address: string): Promise<SessionEnd> {
    const { promise, resolve } = Promise.withResolvers<SessionEnd>()
    const session = this.#dial(address)
    const { call } = session
    this.#session = session
    call.on('metadata', () => this.#accepted(session))
    call.on('data', (bytes: Buffer) => this.#receive(session, bytes))
    call.on('drain', () => session.writer.drained())
    // The status follows every error; without a listener the error would be thrown.
    call.on('error', () => undefined)
    call.on('end', () => call.end())
    call.on('status', (ended: StatusObject) => resolve(this.#over(session, ended)))
    return promise
  }

  #dial(address: string): Session {
    const { clock, limits } = this.#options
    const client = new Client(address, credentials.createInsecure(), channelOptions(limits))
    const { path, requestSerialize, responseDeserialize } = controlService().Connect
    const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize)
    const session: Session = {
      address,
      client,
      call,
      writer: new BoundedWriter(call, limits.queueBytesMax),
      dialTimer: clock.after(limits.connectMs, () => this.#cut(session, 'no answer in time')),
      state: 'dialling',
      cause: '',
    }
    return session
  }

  #accepted(session: Session): void {
    if (session.state !== 'dialling') return
    session.dialTimer.cancel()
    session.state = 'accepted'
    this.#tell({ kind: 'connected', address: session.address })
  }

  #receive(session: Session, bytes: Buffer): void {
    if (session.state !== 'accepted') return
    const message = this.#read(session, bytes)
    if (message !== undefined) this.#tell({ kind: 'message', message })
  }

  #read(session: Session, bytes: Buffer): LeaderMessage | undefined {
    try {
      return decodeLeaderMessage(bytes)
    } catch (thrown) {
      this.#cut(session, failureText(failureOf(thrown)))
      return undefined
    }
  }

  /** Ends a session from our side; its status follows, and with it the end of the session. */
  #cut(session: Session, cause: string): void {
    if (session.cause === '') session.cause = cause
    session.writer.discard()
    session.call.cancel()
  }

  #over(session: Session, ended: StatusObject): SessionEnd {
    session.dialTimer.cancel()
    session.client.close()
    const wasAccepted = session.state === 'accepted'
    session.state = 'over'
    this.#session = undefined
    const refusal = ended.code === status.OK ? undefined : refusalOf(ended as ServiceError)
    if (wasAccepted) {
      const told = refusal === undefined ? 'the leader ended the stream' : refusal.failure.detail
      const cause = session.cause === '' ? told : session.cause
      this.#tell({ kind: 'disconnected', cause })
    }
    return { accepted: wasAccepted ? 'yes' : 'no', leaderAddress: refusal?.leaderAddress }
  }

  #tell(event: LeaderLinkEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  #pause(delayMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const done = () => {
      this.#wait?.timer.cancel()
      this.#wait = undefined
      resolve()
    }
    this.#wait = { timer: this.#options.clock.after(delayMs, done), done }
    return promise
  }

  #backoffMs(failures: number): number {
    const { backoffMinMs, backoffMaxMs } = this.#options.limits
    const full = Math.min(backoffMaxMs, backoffMinMs * 2 ** Math.min(failures, 20))
    return full * (0.5 + this.#options.random.fraction() / 2)
  }
}

/** A channel for each session: no back-off and no stream of an earlier one lives on in it. */
const channelOptions = (limits: RpcLimits) => ({
  'grpc.enable_channelz': 0,
  'grpc.enable_retries': 0,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.keepalive_time_ms': limits.keepaliveMs,
  'grpc.keepalive_timeout_ms': limits.keepaliveTimeoutMs,
  'grpc.max_receive_message_length': limits.messageBytesMax,
})
