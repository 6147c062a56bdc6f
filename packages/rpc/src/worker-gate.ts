import {
  Metadata,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { type Failure, failure, failureOf } from '@onceflow/model'
import type {
  Clock,
  GateEvent,
  LeaderMessage,
  LinkId,
  TimerHandle,
  WorkerGate,
  WorkerMessage,
} from '@onceflow/ports'
import { BoundedWriter } from './bounded-writer.ts'
import { checkSize, decodeWorkerMessage, encodeLeaderMessage } from './control-service.ts'
import type { FindLeaderResponse } from './generated/onceflow/v1/FindLeaderResponse.ts'
import type { RpcLimits } from './limits.ts'
import { type Refusal, statusOf } from './status-details.ts'

// The coordinator's side of the control streams.
//
// - A link is in #links from its connected event to its disconnected event, and each is given once.
// - Nothing is written to a link that has left #links.
// - While another leads, #links is empty: redirect closes them, and a new stream is refused.

/** Who leads, as this coordinator knows it. */
export type Leadership =
  | { readonly kind: 'leading' }
  | { readonly kind: 'following'; readonly leaderAddress: string | undefined }

interface Link {
  readonly id: LinkId
  readonly call: ServerDuplexStream<Buffer, Buffer>
  readonly writer: BoundedWriter
  readonly helloTimer: TimerHandle
  greeted: 'yes' | 'no'
}

export interface WorkerGateOptions {
  readonly clock: Clock
  readonly limits: RpcLimits
  /** host:port that workers and clients are told while this coordinator leads. */
  readonly advertised: () => string
  readonly onLeadership: (leadership: Leadership) => void
}

export class StreamGate implements WorkerGate {
  readonly #options: WorkerGateOptions
  readonly #links = new Map<LinkId, Link>()
  readonly #listeners: ((event: GateEvent) => void)[] = []
  #leadership: Leadership = { kind: 'following', leaderAddress: undefined }
  #linkCount = 0

  constructor(options: WorkerGateOptions) {
    this.#options = options
  }

  get leadership(): Leadership {
    return this.#leadership
  }

  get implementation(): UntypedServiceImplementation {
    return {
      FindLeader: (_call: ServerUnaryCall<unknown, unknown>, reply: LeaderReply) =>
        reply(null, this.#findLeader()),
      Connect: (call: ServerDuplexStream<Buffer, Buffer>) => this.#connect(call),
    }
  }

  onEvent(listener: (event: GateEvent) => void): void {
    this.#listeners.push(listener)
  }

  /** Throws LIMIT_EXCEEDED for a message that no worker would take. */
  send(id: LinkId, message: LeaderMessage): 'queued' | 'closed' {
    const link = this.#links.get(id)
    if (link === undefined) return 'closed'
    const bytes = encodeLeaderMessage(message)
    checkSize(bytes, message.kind, this.#options.limits.messageBytesMax)
    if (link.writer.send(bytes) === 'queued') return 'queued'
    const limit = `queueBytesMax ${this.#options.limits.queueBytesMax}`
    this.#refuse(link, failure('WORKER_LOST', { detail: `it reads too slowly: ${limit}` }))
    return 'closed'
  }

  close(id: LinkId, cause: string): void {
    const link = this.#links.get(id)
    if (link !== undefined) this.#refuse(link, failure('WORKER_LOST', { detail: cause }))
  }

  redirect(leaderAddress: string | undefined): void {
    this.#become({ kind: 'following', leaderAddress })
    for (const link of this.#links.values()) this.#refuse(link, notLeader(), leaderAddress)
  }

  accept(): void {
    this.#become({ kind: 'leading' })
  }

  /** Ends every stream: what was written before is delivered, then the worker sees the end. */
  endAll(cause: string): void {
    this.#become({ kind: 'following', leaderAddress: undefined })
    for (const link of this.#links.values()) {
      if (this.#leave(link, cause) === 'left') link.writer.finish()
    }
  }

  #tell(event: GateEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  #become(leadership: Leadership): void {
    this.#leadership = leadership
    this.#options.onLeadership(leadership)
  }

  #findLeader(): FindLeaderResponse {
    return this.#leadership.kind === 'leading'
      ? { leaderAddress: this.#options.advertised(), answeredByLeader: true }
      : { leaderAddress: this.#leadership.leaderAddress ?? '', answeredByLeader: false }
  }

  #connect(call: ServerDuplexStream<Buffer, Buffer>): void {
    if (this.#leadership.kind === 'following') {
      refuseCall(call, {
        failure: notLeader(),
        leaderAddress: this.#leadership.leaderAddress,
      })
      return
    }
    const { limits } = this.#options
    if (this.#links.size >= limits.linksMax) {
      const detail = `there are linksMax ${limits.linksMax} control streams already`
      refuseCall(call, { failure: failure('LIMIT_EXCEEDED', { detail }) })
      return
    }
    this.#linkCount += 1
    const link = this.#open(call, `link-${this.#linkCount}`)
    this.#links.set(link.id, link)
    // The worker takes the headers for our consent: without them it would wait for a first message.
    call.sendMetadata(new Metadata())
    this.#tell({ kind: 'connected', link: link.id, peer: call.getPeer() })
  }

  #open(call: ServerDuplexStream<Buffer, Buffer>, id: LinkId): Link {
    const { clock, limits } = this.#options
    const link: Link = {
      id,
      call,
      writer: new BoundedWriter(call, limits.queueBytesMax),
      helloTimer: clock.after(limits.connectMs, () => {
        this.#refuse(link, failure('WORKER_LOST', { detail: 'it sent no hello in time' }))
      }),
      greeted: 'no',
    }
    call.on('data', (bytes: Buffer) => this.#receive(link, bytes))
    call.on('drain', () => link.writer.drained())
    call.on('end', () => {
      if (this.#leave(link, 'the worker ended the stream') === 'left') call.end()
    })
    call.on('cancelled', () => this.#leave(link, 'the stream broke'))
    call.on('error', (error: Error) => this.#leave(link, `the stream broke: ${error.message}`))
    call.on('close', () => this.#leave(link, 'the stream closed'))
    return link
  }

  #receive(link: Link, bytes: Buffer): void {
    if (!this.#links.has(link.id)) return
    const message = this.#read(link, bytes)
    if (message === undefined) return
    if (link.greeted === 'no' && message.kind !== 'hello') {
      const detail = `the first message is ${message.kind}, not hello`
      this.#refuse(link, failure('INVALID_ARGUMENT', { detail }))
      return
    }
    link.greeted = 'yes'
    link.helloTimer.cancel()
    this.#tell({ kind: 'message', link: link.id, message })
  }

  #read(link: Link, bytes: Buffer): WorkerMessage | undefined {
    try {
      return decodeWorkerMessage(bytes)
    } catch (thrown) {
      this.#refuse(link, failureOf(thrown))
      return undefined
    }
  }

  #refuse(link: Link, cause: Failure, leaderAddress?: string): void {
    if (this.#leave(link, cause.detail) === 'was-gone') return
    link.writer.discard()
    refuseCall(link.call, { failure: cause, leaderAddress })
  }

  #leave(link: Link, cause: string): 'left' | 'was-gone' {
    link.helloTimer.cancel()
    if (!this.#links.delete(link.id)) return 'was-gone'
    this.#tell({ kind: 'disconnected', link: link.id, cause })
    return 'left'
  }
}

type LeaderReply = sendUnaryData<FindLeaderResponse>

const notLeader = (): Failure => failure('NOT_LEADER', { detail: 'this coordinator does not lead' })

// grpc-js takes an emitted error for the status to end with, after what was written before it.
function refuseCall(call: ServerDuplexStream<Buffer, Buffer>, refusal: Refusal): void {
  call.emit('error', statusOf(refusal))
}
