import { fail } from '@onceflow/model'

export interface HostAndPort {
  readonly host: string
  readonly port: number
}

/** Parts of `host:port` or `[v6]:port`; throws CONFIG_INVALID. */
export function hostAndPort(address: string): HostAndPort {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(address)
  const port = Number(match?.[3])
  if (match === null || port > 65_535) {
    return fail('CONFIG_INVALID', { detail: `${address} is not host:port` })
  }
  return { host: match[1] ?? match[2] ?? '', port }
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)

/**
 * There is no authentication yet, so that whoever reaches the port owns the cluster: an address
 * beyond loopback is refused unless the operator said that the network is trusted.
 */
export function checkBind(address: string, insecureBind: 'yes' | 'no'): HostAndPort {
  const parts = hostAndPort(address)
  if (insecureBind === 'no' && !isLoopback(parts.host)) {
    return fail('BIND_REFUSED', { detail: `${address} can be reached from other machines` })
  }
  return parts
}
