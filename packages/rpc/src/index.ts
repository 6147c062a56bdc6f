// The adapter to gRPC: the control stream and the admin API.
import type { LeaderLink } from '@onceflow/ports'
import { type LeaderLinkOptions, StreamLeaderLink } from './leader-link.ts'
import { rpcLimits } from './limits.ts'

export { AdminClient, type AdminClientOptions, type AdminResponse } from './admin-client.ts'
export type { AdminMethod, AdminMethods } from './admin-methods.ts'
export { checkBind } from './bind-address.ts'
export { type RpcLimits, rpcLimits } from './limits.ts'
export { RpcServer, type RpcServerOptions } from './rpc-server.ts'

/** A worker's link; limits that are not given are those of rpcLimits. */
export function createLeaderLink(
  options: Omit<LeaderLinkOptions, 'limits'> & {
    readonly limits?: Partial<LeaderLinkOptions['limits']>
  },
): LeaderLink {
  return new StreamLeaderLink({ ...options, limits: { ...rpcLimits, ...options.limits } })
}
export { RefusedCall } from './refused-call.ts'
export type { FieldProblem } from './status-details.ts'
export { structToWire } from './struct-wire.ts'
