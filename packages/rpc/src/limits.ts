/** Every bound of the control plane; tests shorten the times, nobody else should have to. */
export interface RpcLimits {
  /** One message of the control stream, either way; a server takes no larger one of any service. */
  readonly messageBytesMax: number
  /** Messages waiting for a peer that does not read; beyond it the link is closed (R13). */
  readonly queueBytesMax: number
  readonly linksMax: number
  /** From the start of a stream to its Hello, and from a dial to the leader's answer. */
  readonly connectMs: number
  /** For FindLeader; asked of every coordinator at once. */
  readonly findLeaderMs: number
  readonly keepaliveMs: number
  readonly keepaliveTimeoutMs: number
  readonly backoffMinMs: number
  readonly backoffMaxMs: number
  /** How long a stopping server waits for its peers to end before it cuts them off. */
  readonly shutdownMs: number
  /** For a call that comes without a deadline, and the longest that is kept. */
  readonly callMs: number
  readonly callMsMax: number
}

const mebibyte = 1024 * 1024

export const rpcLimits: RpcLimits = {
  messageBytesMax: 8 * mebibyte,
  queueBytesMax: 32 * mebibyte,
  linksMax: 1000,
  connectMs: 3000,
  findLeaderMs: 1500,
  keepaliveMs: 5000,
  keepaliveTimeoutMs: 2000,
  backoffMinMs: 50,
  // While nobody leads every worker asks at this rhythm; it adds to the time of a takeover.
  backoffMaxMs: 700,
  shutdownMs: 5000,
  callMs: 30_000,
  callMsMax: 600_000,
}
