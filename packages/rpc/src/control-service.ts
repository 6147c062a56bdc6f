import type { MethodDefinition } from '@grpc/grpc-js'
import { fail, OnceflowError } from '@onceflow/model'
import type { LeaderMessage, WorkerMessage } from '@onceflow/ports'
import type {
  ConnectRequest,
  ConnectRequest__Output,
} from './generated/onceflow/v1/ConnectRequest.ts'
import type {
  ConnectResponse,
  ConnectResponse__Output,
} from './generated/onceflow/v1/ConnectResponse.ts'
import type { FindLeaderRequest } from './generated/onceflow/v1/FindLeaderRequest.ts'
import type { FindLeaderResponse__Output } from './generated/onceflow/v1/FindLeaderResponse.ts'
import { leaderMessageFromWire, leaderMessageToWire } from './leader-message-wire.ts'
import { type Codec, codec, method } from './messages.ts'
import { workerMessageFromWire, workerMessageToWire } from './worker-message-wire.ts'

/**
 * The stream carries bytes that we encode ourselves: so a message's size is known before it is
 * queued, and one that cannot be read ends its link with a reason instead of a decoder's text.
 */
const connect: MethodDefinition<Buffer, Buffer> = {
  path: '/onceflow.v1.ControlService/Connect',
  requestStream: true,
  responseStream: true,
  requestSerialize: (bytes) => bytes,
  requestDeserialize: (bytes) => bytes,
  responseSerialize: (bytes) => bytes,
  responseDeserialize: (bytes) => bytes,
}

export type FindLeaderMethod = MethodDefinition<FindLeaderRequest, FindLeaderResponse__Output>

export interface ControlServiceDefinition {
  readonly FindLeader: FindLeaderMethod
  readonly Connect: MethodDefinition<Buffer, Buffer>
}

export function controlService(): ControlServiceDefinition {
  return { FindLeader: method('onceflow.v1.ControlService', 'FindLeader'), Connect: connect }
}

let requests: Codec<ConnectRequest, ConnectRequest__Output> | undefined
let responses: Codec<ConnectResponse, ConnectResponse__Output> | undefined
const requestCodec = () => {
  requests ??= codec('onceflow.v1.ConnectRequest')
  return requests
}
const responseCodec = () => {
  responses ??= codec('onceflow.v1.ConnectResponse')
  return responses
}

export const encodeWorkerMessage = (message: WorkerMessage): Buffer =>
  requestCodec().encode(workerMessageToWire(message))

/** Throws INVALID_ARGUMENT for bytes that are no message of ours. */
export const decodeWorkerMessage = (bytes: Buffer): WorkerMessage =>
  readable(() => workerMessageFromWire(requestCodec().decode(bytes)))

export const encodeLeaderMessage = (message: LeaderMessage): Buffer =>
  responseCodec().encode(leaderMessageToWire(message))

/** Throws INVALID_ARGUMENT for bytes that are no message of ours. */
export const decodeLeaderMessage = (bytes: Buffer): LeaderMessage =>
  readable(() => leaderMessageFromWire(responseCodec().decode(bytes)))

// What a peer sends cannot break an invariant of ours: a name out of its alphabet or bytes that are
// no message are the peer's failure.
function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (thrown) {
    if (thrown instanceof OnceflowError) throw thrown
    const text = thrown instanceof Error ? thrown.message : String(thrown)
    return fail('INVALID_ARGUMENT', { detail: `a control message cannot be read: ${text}` })
  }
}

/** Refuses a message that the other side would not take, naming its kind. */
export function checkSize(bytes: Buffer, kind: string, messageBytesMax: number): void {
  if (bytes.length <= messageBytesMax) return
  const size = `${bytes.length} bytes, limit messageBytesMax ${messageBytesMax}`
  fail('LIMIT_EXCEEDED', { detail: `a control message ${kind} is too large: ${size}` })
}
