/**
 * The few internals of kafkajs that this room stands on, with their types: sockets, framing,
 * correlation ids, ApiVersions, SASL and TLS. Requests and records are our own. kafkajs is frozen
 * at 2.2.4, and no other version may be used, since none of this is its public interface.
 */
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { invariant } from '@onceflow/model'
import type { ISocketFactory } from 'kafkajs'

export interface KafkajsLogger {
  namespace(name: string): KafkajsLogger
  debug(message: string, extra?: object): void
  info(message: string, extra?: object): void
  warn(message: string, extra?: object): void
  error(message: string, extra?: object): void
}

export interface KafkajsSasl {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
  readonly username: string
  readonly password: string
}

export interface ConnectionOptions {
  readonly host: string
  readonly port: number
  readonly clientId: string
  readonly ssl: object | null
  readonly sasl: KafkajsSasl | null
  readonly connectionTimeout: number
  readonly requestTimeout: number
  /** Off: kafkajs compares wall clocks; our own timers on the monotonic clock do this work. */
  readonly enforceRequestTimeout: false
  readonly maxInFlightRequests: number | null
  readonly reauthenticationThreshold: number
  readonly logger: KafkajsLogger
  readonly socketFactory: ISocketFactory
}

/** What kafkajs reads of an encoded request body. */
interface EncodedRequest {
  readonly buf: Buffer
  readonly buffer: Buffer
  size(): number
}

export interface ProtocolCall<Response> {
  readonly request: {
    readonly apiKey: number
    readonly apiVersion: number
    readonly apiName: string
    encode(): Promise<EncodedRequest>
  }
  readonly response: {
    decode(payload: Buffer): Promise<{ readonly clientSideThrottleTime: number }>
    parse(decoded: object): Promise<Response>
  }
  readonly requestTimeout: null
  readonly logResponseError: false
}

export interface KafkajsConnection {
  readonly socket: Socket | TLSSocket | undefined
  readonly requestQueue: { rejectAll(error: Error): void; destroy(): void }
  isConnected(): boolean
  connect(): Promise<unknown>
  disconnect(): Promise<unknown>
  send<Response>(call: ProtocolCall<Response>): Promise<Response>
}

export interface KafkajsConnectionPool {
  /** Index 1 carries Fetch, index 0 everything else. */
  readonly pool: readonly KafkajsConnection[]
}

export type VersionRanges = {
  readonly [apiKey: number]: { readonly minVersion: number; readonly maxVersion: number }
}

export interface KafkajsBroker {
  readonly versions: VersionRanges | null
  /** Connects connection 0, asks for the versions, authenticates. */
  connect(): Promise<void>
}

interface Pending {
  readonly pending: readonly unknown[]
  readonly throttledUntil: number
}

const load = createRequire(import.meta.url)
const required = '2.2.4'
const found = (load('kafkajs/package.json') as { version: string }).version
invariant(found === required, `kafkajs is ${required}, whose internals are used, not ${found}`)

export const ConnectionPool = load('kafkajs/src/network/connectionPool') as new (
  options: ConnectionOptions,
) => KafkajsConnectionPool

export const Broker = load('kafkajs/src/broker') as new (options: {
  readonly connectionPool: KafkajsConnectionPool
  readonly logger: KafkajsLogger
  readonly authenticationTimeout: number
}) => KafkajsBroker

const queue = (
  load('kafkajs/src/network/requestQueue') as {
    prototype: { scheduleCheckPendingRequests(this: Pending): void }
  }
).prototype

const idlePatch = Symbol.for('onceflow.kafkajs.idle-patch')
if (!Object.hasOwn(queue, idlePatch)) {
  // As shipped, an idle queue arms a timer with a negative delay for ever: 850 wake-ups a second
  // for each connection. With nothing pending and no throttle there is nothing to check.
  const original = queue.scheduleCheckPendingRequests
  queue.scheduleCheckPendingRequests = function whenSomethingIsPending(this: Pending): void {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) original.call(this)
  }
  Object.defineProperty(queue, idlePatch, { value: true })
}

/** Hands finished bytes to kafkajs in the form it expects of a request body. */
export function encodedRequest(bytes: Buffer): EncodedRequest {
  return { buf: bytes, buffer: bytes, size: () => bytes.length }
}
