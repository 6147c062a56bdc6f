import {
  type ServerUnaryCall,
  type ServiceDefinition,
  type StatusObject,
  type sendUnaryData,
  status,
  type UntypedHandleCall,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { failure, failureOf, InvariantViolation, OnceflowError } from '@onceflow/model'
import type { AdminHandler, Clock, Journal } from '@onceflow/ports'
import { type AdminCalls, adminCalls } from './admin-calls.ts'
import { type AdminMethod, serviceOf } from './admin-methods.ts'
import type { RpcLimits } from './limits.ts'
import { packageDefinition } from './messages.ts'
import { RefusedCall } from './refused-call.ts'
import { statusOf } from './status-details.ts'
import type { Leadership } from './worker-gate.ts'

export interface AdminOptions {
  readonly handler: AdminHandler
  readonly leadership: () => Leadership
  readonly limits: RpcLimits
  readonly clock: Clock
  readonly journal: Journal
}

export interface ServedService {
  readonly definition: ServiceDefinition
  readonly implementation: UntypedServiceImplementation
}

/** The services of the admin API, each method behind the checks that are the same for all. */
export function adminServices(options: AdminOptions): readonly ServedService[] {
  const calls = adminCalls(options.handler)
  const methods = Object.keys(serviceOf) as AdminMethod[]
  const names = [...new Set(Object.values(serviceOf))]
  return names.map((name) => {
    const own = methods.filter((method) => serviceOf[method] === name)
    const handlers = own.map((method) => [method, served(method, calls, options)])
    return {
      definition: packageDefinition()[`onceflow.v1.${name}`] as ServiceDefinition,
      implementation: Object.fromEntries(handlers) as UntypedServiceImplementation,
    }
  })
}

function served(method: AdminMethod, calls: AdminCalls, options: AdminOptions): UntypedHandleCall {
  const answer = calls[method] as (request: unknown) => Promise<unknown>
  return (call: ServerUnaryCall<unknown, unknown>, reply: sendUnaryData<unknown>) => {
    const leadership = options.leadership()
    if (leadership.kind === 'following') {
      const { leaderAddress } = leadership
      const detail =
        leaderAddress === undefined
          ? 'this coordinator does not lead, and knows of no leader'
          : `this coordinator does not lead; ${leaderAddress} does`
      reply(statusOf({ failure: failure('NOT_LEADER', { detail }), leaderAddress }))
      return
    }
    const replyOnce = onlyOnce(reply)
    const waitMs = timeLeftMs(call, options.limits)
    const timer = options.clock.after(waitMs, () => replyOnce(tooLate(method, waitMs)))
    void answer(call.request)
      .then(
        (response) => replyOnce(null, response),
        (thrown: unknown) => replyOnce(refusalStatus(thrown, { method, journal: options.journal })),
      )
      .finally(() => timer.cancel())
  }
}

function onlyOnce(reply: sendUnaryData<unknown>): sendUnaryData<unknown> {
  let replied: 'yes' | 'no' = 'no'
  return (error, value) => {
    if (replied === 'yes') return
    replied = 'yes'
    reply(error, value)
  }
}

function timeLeftMs(call: ServerUnaryCall<unknown, unknown>, limits: RpcLimits): number {
  const deadline = Number(call.getDeadline())
  const asked = Number.isFinite(deadline) ? deadline - Date.now() : limits.callMs
  return Math.max(0, Math.min(asked, limits.callMsMax))
}

const tooLate = (method: AdminMethod, waitMs: number): Partial<StatusObject> => ({
  ...statusOf({
    failure: failure('COORDINATOR_UNREACHABLE', {
      detail: `${method} was not answered in ${Math.round(waitMs)} ms`,
      hint: 'the change may still happen: look at the resource before asking again',
    }),
  }),
  code: status.DEADLINE_EXCEEDED,
})

interface Place {
  readonly method: AdminMethod
  readonly journal: Journal
}

/**
 * Our own failures are told as they are. Anything else may hold what nobody outside should read: it
 * goes to the log, and the caller learns only that it does.
 */
function refusalStatus(thrown: unknown, place: Place): StatusObject {
  if (thrown instanceof RefusedCall) {
    return statusOf({ failure: thrown.failure, fields: thrown.fields })
  }
  if (thrown instanceof OnceflowError) {
    const { failure: cause } = thrown
    const fields =
      cause.field === undefined ? [] : [{ field: cause.field, description: cause.detail }]
    return statusOf({ failure: cause, fields })
  }
  const stack = thrown instanceof Error ? thrown.stack : undefined
  place.journal.write('error', 'an admin call failed', {
    method: place.method,
    reason: failureOf(thrown).detail,
    stack,
  })
  if (thrown instanceof InvariantViolation) stopProcess(thrown)
  return statusOf({
    failure: failure('UNEXPECTED', { detail: `${place.method} failed inside the leader` }),
  })
}

/** A broken invariant is caught by nobody: it goes on as an uncaught exception, after the reply. */
function stopProcess(broken: InvariantViolation): void {
  setImmediate(() => {
    throw broken
  })
}
