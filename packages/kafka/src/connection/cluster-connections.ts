import { failure, OnceflowError } from '@onceflow/model'
import type { Clock } from '@onceflow/ports'
import type { BrokerNode } from '../wire/metadata.ts'
import { BrokerLink } from './broker-link.ts'
import type { CommonConnectionOptions, ConnectionSettings } from './connection-options.ts'

export interface ClusterOptions {
  /** `host:port` of the spec: for the start, and for when no broker of metadata answers. */
  readonly bootstrap: readonly string[]
  readonly common: CommonConnectionOptions
  readonly settings: ConnectionSettings
  readonly clock: Clock
}

/**
 * The links of one reader to a cluster. At most one usable link exists for an address; a broken one
 * is replaced at the next request for it.
 */
export class ClusterConnections {
  private readonly options: ClusterOptions
  private readonly links = new Map<string, BrokerLink>()
  private readonly nodes = new Map<number, string>()
  private nextChoice = 0
  private state: 'open' | 'closed' = 'open'

  constructor(options: ClusterOptions) {
    this.options = options
  }

  /** The brokers as the newest metadata names them. */
  learn(brokers: readonly BrokerNode[]): void {
    if (brokers.length === 0) return
    this.nodes.clear()
    for (const broker of brokers) this.nodes.set(broker.id, `${broker.host}:${broker.port}`)
    const wanted = new Set([...this.nodes.values(), ...this.options.bootstrap])
    for (const [address, link] of this.links) {
      if (wanted.has(address)) continue
      link.destroy(new Error('the broker has left the cluster'))
      this.links.delete(address)
    }
  }

  /** The link to a broker; undefined when metadata does not name it. */
  broker(id: number): BrokerLink | undefined {
    const address = this.nodes.get(id)
    return address === undefined ? undefined : this.link(address)
  }

  /**
   * A connected link to any broker: those that answered before first, then the others of metadata,
   * then the bootstrap list, each once. Rejects with the failure of the last one.
   */
  async any(): Promise<BrokerLink> {
    const known = [...this.nodes.values()]
    const start = this.nextChoice++ % Math.max(known.length, 1)
    const rotated = [...known.slice(start), ...known.slice(0, start)]
    const proven = rotated.filter((address) => this.links.get(address)?.proven === true)
    const order = [...proven, ...rotated, ...this.options.bootstrap]
    let last: OnceflowError | undefined
    for (const address of new Set(order)) {
      const link = this.link(address)
      try {
        await link.connect()
        return link
      } catch (thrown) {
        if (!(thrown instanceof OnceflowError)) throw thrown
        // Wrong credentials are wrong everywhere: the other brokers need not be asked.
        if (thrown.failure.code === 'SOURCE_AUTH') throw thrown
        last = thrown
      }
    }
    throw last ?? closed('no broker is named')
  }

  close(): void {
    this.state = 'closed'
    for (const link of this.links.values()) link.destroy(closed('the reader is closed'))
    this.links.clear()
  }

  private link(address: string): BrokerLink {
    const known = this.links.get(address)
    if (known?.usable === true) return known
    if (this.state === 'closed') throw closed('the reader is closed')
    const colon = address.lastIndexOf(':')
    const link = new BrokerLink({
      host: address.slice(0, colon).replace(/^\[|\]$/g, ''),
      port: Number(address.slice(colon + 1)),
      common: this.options.common,
      settings: this.options.settings,
      clock: this.options.clock,
    })
    this.links.set(address, link)
    return link
  }
}

const closed = (detail: string): OnceflowError =>
  new OnceflowError(failure('SOURCE_UNREACHABLE', { detail }))
