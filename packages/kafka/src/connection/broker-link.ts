import { failure, OnceflowError } from '@onceflow/model'
import type { Clock, TimerHandle } from '@onceflow/ports'
import { type Answer, type Api, agreedVersion, decodeResponse, encodeRequest } from '../wire/api.ts'
import type { CommonConnectionOptions, ConnectionSettings } from './connection-options.ts'
import {
  Broker,
  ConnectionPool,
  encodedRequest,
  type KafkajsBroker,
  type KafkajsConnection,
  type KafkajsConnectionPool,
} from './kafkajs-internals.ts'
import { linkFailure } from './link-failure.ts'

export interface LinkOptions {
  readonly host: string
  readonly port: number
  readonly common: CommonConnectionOptions
  readonly settings: ConnectionSettings
  readonly clock: Clock
}

const fetchKey = 1

/**
 * Two connections to one broker: one that long polls may block, and one for everything else.
 *
 * - A link is good until its first connection error or timeout, then broken for ever: whoever needs
 *   the broker makes a new link, which asks for the versions and authenticates again.
 * - Each connection is opened once, however many requests wait for it (kafkajs itself would open a
 *   socket for each of them).
 * - No request waits longer than its timeout on the monotonic clock.
 */
export class BrokerLink {
  readonly address: string
  private readonly options: LinkOptions
  private readonly connections: KafkajsConnectionPool
  private readonly broker: KafkajsBroker
  private readonly opening = new Map<KafkajsConnection, Promise<unknown>>()
  private readonly timers = new Set<TimerHandle>()
  private readonly rejections = new Set<(error: Error) => void>()
  private ready: Promise<void> | undefined
  private stage: 'new' | 'connected' = 'new'
  private throttledUntilMs = 0
  private state: 'good' | 'broken' = 'good'

  constructor(options: LinkOptions) {
    const { host, port, common } = options
    this.options = options
    this.address = `${host}:${port}`
    this.connections = new ConnectionPool({ ...common, host, port })
    this.broker = new Broker({
      connectionPool: this.connections,
      logger: common.logger,
      authenticationTimeout: options.settings.connectTimeoutMs,
    })
  }

  get usable(): boolean {
    return this.state === 'good'
  }

  /** It has answered before, so it will most likely answer again. */
  get proven(): boolean {
    return this.state === 'good' && this.stage === 'connected'
  }

  /** Connects, learns the versions, authenticates. Rejects with an OnceflowError. */
  connect(): Promise<void> {
    this.ready ??= this.guarded('connecting', this.connectTimeoutMs(), async () => {
      await this.broker.connect()
      this.stage = 'connected'
    })
    return this.ready
  }

  /** Sends one request of the agreed version. Rejects with an OnceflowError. */
  async call<Request, Response extends Answer>(
    api: Api<Request, Response>,
    request: Request,
    timeoutMs: number = this.options.settings.requestTimeoutMs,
  ): Promise<Response> {
    await this.connect()
    const version = agreedVersion(api, this.broker.versions ?? {})
    // While the broker throttles us, kafkajs holds requests back, and the broker its answers.
    const throttledMs = Math.max(0, this.throttledUntilMs - this.options.clock.monotonicMs())
    return this.guarded(api.name, timeoutMs + throttledMs, async () => {
      const connection = await this.openConnection(api.key === fetchKey ? 1 : 0)
      return connection.send<Response>({
        request: {
          apiKey: api.key,
          apiVersion: version,
          apiName: api.name,
          encode: async () => encodedRequest(encodeRequest(api, request, version)),
        },
        response: {
          decode: async (payload) => {
            const response = decodeResponse(api, payload, version)
            this.noteThrottle(response.throttleMs)
            return { response, clientSideThrottleTime: response.throttleMs }
          },
          parse: async (decoded) => (decoded as { response: Response }).response,
        },
        requestTimeout: null,
        logResponseError: false,
      })
    })
  }

  /** Ends both connections at once and rejects what is in flight. */
  destroy(cause: Error): void {
    if (this.state === 'broken') return
    this.state = 'broken'
    for (const timer of this.timers) timer.cancel()
    for (const reject of this.rejections) reject(cause)
    for (const connection of this.connections.pool) {
      connection.requestQueue.rejectAll(cause)
      connection.requestQueue.destroy()
      // disconnect sets the state; it ends the socket politely, which a dead peer never answers.
      connection.disconnect().catch(() => undefined)
      connection.socket?.destroy()
    }
  }

  private noteThrottle(throttleMs: number): void {
    if (throttleMs <= 0) return
    this.throttledUntilMs = this.options.clock.monotonicMs() + throttleMs
  }

  private async openConnection(index: 0 | 1): Promise<KafkajsConnection> {
    const connection = this.connections.pool[index]
    if (connection === undefined) throw new TypeError('kafkajs has two connections for a broker')
    if (connection.isConnected()) return connection
    const opening = this.opening.get(connection) ?? connection.connect()
    this.opening.set(connection, opening)
    try {
      await opening
    } finally {
      this.opening.delete(connection)
    }
    return connection
  }

  /** Connecting is a TCP and TLS handshake, ApiVersions, and up to three rounds of SASL. */
  private connectTimeoutMs(): number {
    return 2 * this.options.settings.connectTimeoutMs
  }

  /** Runs one step with a timeout; its first failure of the connection breaks the link. */
  private async guarded<T>(what: string, timeoutMs: number, step: () => Promise<T>): Promise<T> {
    let timer: TimerHandle | undefined
    let rejectNow: (error: Error) => void = () => undefined
    const stopped = new Promise<never>((_resolve, reject) => {
      rejectNow = reject
      timer = this.options.clock.after(timeoutMs, () => {
        const detail = `${what}: ${this.address} did not answer within ${timeoutMs} ms`
        reject(new OnceflowError(failure('SOURCE_UNREACHABLE', { detail })))
      })
      this.timers.add(timer)
      this.rejections.add(reject)
    })
    stopped.catch(() => undefined)
    try {
      if (this.state === 'broken') throw new Error('the link is closed')
      return await Promise.race([step(), stopped])
    } catch (thrown) {
      const error = linkFailure(thrown, { what, address: this.address })
      if (error.failure.code !== 'SOURCE_UNSUPPORTED') this.destroy(error)
      throw error
    } finally {
      this.rejections.delete(rejectNow)
      if (timer !== undefined) {
        timer.cancel()
        this.timers.delete(timer)
      }
    }
  }
}
