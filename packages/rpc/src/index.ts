// The adapter to gRPC: the control stream and the admin API.
import type { LeaderLink } from '@onceflow/ports'
import { type LeaderLinkOptions, StreamLeaderLink } from './leader-link.ts'
import { rpcLimits } from './limits.ts'

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
