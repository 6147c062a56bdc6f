import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js'
import { failure, OnceflowError } from '@onceflow/model'
import type { Clock } from '@onceflow/ports'
import { type AdminMethod, type AdminMethods, changingMethods, serviceOf } from './admin-methods.ts'
import { findLeader } from './leader-search.ts'
import { rpcLimits } from './limits.ts'
import { method as methodOf } from './messages.ts'
import { RefusedCall } from './refused-call.ts'
import { type ResourceJson, resourceJson } from './resource-json.ts'
import { type Refusal, refusalOf } from './status-details.ts'

export interface AdminClientOptions {
  /** Of any coordinators, host:port. */
  readonly addresses: readonly string[]
  readonly clock: Clock
  /** For one call, the search for the leader not included. */
  readonly deadlineMs?: number
}

export type AdminResponse<M extends AdminMethod> = ResourceJson<AdminMethods[M]['received']>

const triesMax = 4
const waitBetweenTriesMs = 300
const messageBytesMax = 4 * 1024 * 1024

/**
 * Asks the leader, wherever it is. A call that reads is tried again while no leader answers, a
 * bounded number of times; one that changes something only when it was refused unread.
 */
export class AdminClient {
  readonly #options: AdminClientOptions
  #avoid: string | undefined
  #connected: { readonly address: string; readonly client: Client } | undefined

  constructor(options: AdminClientOptions) {
    this.#options = options
  }

  /** Throws an OnceflowError: the leader's own, or COORDINATOR_UNREACHABLE. */
  async call<M extends AdminMethod>(
    name: M,
    request: AdminMethods[M]['request'],
  ): Promise<AdminResponse<M>> {
    for (let tries = 1; ; tries += 1) {
      const outcome = await this.#tryOnce(name, request)
      if (outcome.kind === 'answered') return outcome.response
      const { refusal } = outcome
      const repeats = tries < triesMax && mayRepeat(name, outcome)
      // A coordinator that did not answer in time may be frozen while another one leads already.
      if (repeats || outcome.sent === 'too-late') this.#leave()
      if (!repeats) throw thrownOf(refusal)
      if (refusal.leaderAddress !== undefined) this.#connect(refusal.leaderAddress)
      else await this.#wait(waitBetweenTriesMs)
    }
  }

  close(): void {
    this.#connected?.client.close()
    this.#connected = undefined
  }

  #leave(): void {
    this.#avoid = this.#connected?.address
    this.close()
  }

  async #tryOnce<M extends AdminMethod>(
    name: M,
    request: AdminMethods[M]['request'],
  ): Promise<Outcome<M>> {
    const connected = this.#connected ?? (await this.#find())
    if (connected === undefined) {
      return { kind: 'refused', sent: 'no', refusal: nobody(this.#options.addresses) }
    }
    const { path, requestSerialize, responseDeserialize } = methodOf<
      AdminMethods[M]['request'],
      AdminMethods[M]['received']
    >(`onceflow.v1.${serviceOf[name]}`, name)
    const { promise, resolve } = Promise.withResolvers<Outcome<M>>()
    const deadline = Date.now() + (this.#options.deadlineMs ?? rpcLimits.callMs)
    connected.client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      { deadline },
      (error: ServiceError | null, response?: AdminMethods[M]['received']) => {
        if (error !== null) resolve(refusedBy(error))
        else resolve({ kind: 'answered', response: resourceJson(response) as AdminResponse<M> })
      },
    )
    return promise
  }

  async #find(): Promise<{ readonly client: Client } | undefined> {
    const { addresses } = this.#options
    const search = { addresses, deadlineMs: rpcLimits.findLeaderMs, avoid: this.#avoid }
    const address = await findLeader(search)
    return address === undefined ? undefined : this.#connect(address)
  }

  #connect(address: string): { readonly client: Client } {
    const client = new Client(address, credentials.createInsecure(), {
      'grpc.enable_channelz': 0,
      'grpc.enable_retries': 0,
      'grpc.max_receive_message_length': messageBytesMax,
    })
    this.#connected = { address, client }
    return this.#connected
  }

  #wait(delayMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#options.clock.after(delayMs, resolve)
    return promise
  }
}

interface Refused {
  readonly kind: 'refused'
  /** no: nothing was asked yet; too-late: the deadline passed, and so did the caller's patience. */
  readonly sent: 'yes' | 'no' | 'too-late'
  readonly refusal: Refusal
}

const refusedBy = (error: ServiceError): Refused => ({
  kind: 'refused',
  sent: error.code === status.DEADLINE_EXCEEDED ? 'too-late' : 'yes',
  refusal: refusalOf(error),
})

type Outcome<M extends AdminMethod> =
  | { readonly kind: 'answered'; readonly response: AdminResponse<M> }
  | Refused

const nobody = (addresses: readonly string[]): Refusal => {
  const detail = `no coordinator at ${addresses.join(', ')} knows a leader`
  return { failure: failure('COORDINATOR_UNREACHABLE', { detail }) }
}

function mayRepeat(name: AdminMethod, { refusal, sent }: Refused): boolean {
  if (refusal.failure.code === 'NOT_LEADER' || sent === 'no') return true
  if (sent === 'too-late') return false
  return refusal.failure.code === 'COORDINATOR_UNREACHABLE' && !changingMethods.includes(name)
}

function thrownOf(refusal: Refusal): OnceflowError {
  const { failure: cause, fields = [] } = refusal
  if (fields.length === 0) return new OnceflowError(cause)
  return new RefusedCall(cause, fields)
}
