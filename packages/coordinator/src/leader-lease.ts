import { keys } from '@onceflow/checkpoint'
import { type LeaderEpoch, leaderEpoch, type Revision, revision } from '@onceflow/model'
import type {
  Clock,
  Journal,
  LeaseId,
  MetadataStore,
  RandomSource,
  TimerHandle,
} from '@onceflow/ports'

/**
 * Leadership on a lease of ours (etcd.md, LeaderLease). Invariants:
 * - the leader epoch is the create revision of the key, as told by the Txn that made it;
 * - `valid` counts from the sending of the last acknowledged keepalive, on the monotonic clock, and
 *   ends a margin before the store may let the key go: two leaders never both think they lead;
 * - victory is inferred from the Txn alone, never from a watch or a read.
 */
export interface LeaseSettings {
  readonly ttlMs: number
  readonly marginMs: number
  readonly keepaliveMs: number
  /** How often a follower looks for the key. */
  readonly pollMs: number
}

export const defaultLeaseSettings: LeaseSettings = {
  ttlMs: 5_000,
  marginMs: 1_500,
  keepaliveMs: 1_000,
  pollMs: 500,
}

export interface LeaderIdentity {
  readonly node: string
  /** Where workers and clients reach this coordinator. */
  readonly address: string
}

export interface LeaseDeps {
  readonly store: MetadataStore
  readonly clock: Clock
  readonly random: RandomSource
  readonly journal: Journal
  readonly identity: LeaderIdentity
  readonly settings: LeaseSettings
}

/** The leader's key: who leads and where. */
export interface LeaderKey extends LeaderIdentity {
  readonly v: 1
  readonly unique: string
}

export const parseLeaderKey = (text: string): LeaderKey => JSON.parse(text) as LeaderKey

interface Won {
  readonly lease: LeaseId
  readonly epoch: LeaderEpoch
  readonly ttlMs: number
  readonly deadlineMs: number
}

/** A won election. `onLost` of keep() is called once, when it is over. */
export class Leadership {
  readonly leaderEpoch: LeaderEpoch
  readonly #deps: LeaseDeps
  readonly #lease: LeaseId
  /** Never more than the store granted. */
  readonly #ttlMs: number
  #deadlineMs: number
  #over: 'no' | 'yes' = 'no'
  #timer: TimerHandle | undefined
  #deadline: TimerHandle | undefined
  #onLost: (cause: string) => void = () => undefined

  constructor(deps: LeaseDeps, won: Won) {
    this.#deps = deps
    this.#lease = won.lease
    this.leaderEpoch = won.epoch
    this.#deadlineMs = won.deadlineMs
    this.#ttlMs = won.ttlMs
  }

  /** R8: whether the leader may still act. */
  valid(): boolean {
    return this.#over === 'no' && this.#deps.clock.monotonicMs() < this.#deadlineMs
  }

  keep(onLost: (cause: string) => void): void {
    this.#onLost = onLost
    this.#schedule()
    this.#watchDeadline()
  }

  #schedule(): void {
    const { clock, settings } = this.#deps
    this.#timer = clock.after(settings.keepaliveMs, () => {
      void this.#keepalive().then(() => {
        if (this.#over === 'no') this.#schedule()
      })
    })
  }

  async #keepalive(): Promise<void> {
    const { store, clock, settings } = this.#deps
    const sentMs = clock.monotonicMs()
    try {
      const answer = await store.keepLeaseAlive(this.#lease)
      if (answer === 'gone') {
        this.end('the lease is gone')
        return
      }
      this.#deadlineMs = Math.max(this.#deadlineMs, sentMs + this.#ttlMs - settings.marginMs)
      this.#watchDeadline()
    } catch {
      // Not acknowledged: the deadline stays, and ends the leadership by itself.
    }
  }

  #watchDeadline(): void {
    if (this.#over === 'yes') return
    const { clock } = this.#deps
    this.#deadline?.cancel()
    const leftMs = Math.max(0, this.#deadlineMs - clock.monotonicMs())
    this.#deadline = clock.after(leftMs, () => {
      if (this.valid()) this.#watchDeadline()
      else this.end('no keepalive was acknowledged in time')
    })
  }

  end(cause: string): void {
    if (this.#over === 'yes') return
    this.#over = 'yes'
    this.#timer?.cancel()
    this.#deadline?.cancel()
    this.#onLost(cause)
  }

  /** Clean end: our own key is deleted, so that a standby need not wait for the lease. */
  async resign(): Promise<void> {
    const mayAct = this.valid()
    this.end('resigned')
    if (!mayAct) return
    const at: Revision = revision(this.leaderEpoch)
    const deletion = {
      compares: [{ kind: 'created', key: keys.leaderKey, revision: at }],
      writes: [{ kind: 'delete', key: keys.leaderKey }],
      elseReads: [],
    } as const
    // Without an answer the key goes with its lease.
    await this.#deps.store.txn(deletion).catch(() => undefined)
    await this.#deps.store.revokeLease(this.#lease).catch(() => undefined)
  }
}

/** Waits until this process leads; `stopped` ends it, `onFollow` tells who leads till then. */
export async function campaign(
  deps: LeaseDeps,
  options: {
    readonly stopped: () => boolean
    readonly onFollow: (leader: LeaderKey | undefined) => void
  },
): Promise<Leadership | undefined> {
  let wake: () => void = () => undefined
  const watch = deps.store.watch(keys.leaderKey, () => wake())
  try {
    while (!options.stopped()) {
      const won = await tryOnce(deps, options.onFollow)
      if (won !== undefined) return won
      const jitterMs = deps.settings.pollMs * (0.75 + deps.random.fraction() / 2)
      await new Promise<void>((resolve) => {
        const timer = deps.clock.after(jitterMs, resolve)
        wake = () => {
          timer.cancel()
          resolve()
        }
      })
    }
    return undefined
  } finally {
    watch.cancel()
  }
}

async function tryOnce(
  deps: LeaseDeps,
  onFollow: (leader: LeaderKey | undefined) => void,
): Promise<Leadership | undefined> {
  try {
    const page = await deps.store.range({ prefix: keys.leaderKey, limit: 1 })
    const seen = page.values.find((value) => value.key === keys.leaderKey)
    onFollow(seen === undefined ? undefined : parseLeaderKey(seen.value))
    return seen === undefined ? await acquire(deps) : undefined
  } catch (error) {
    deps.journal.write('warn', 'metadata store not reached', { cause: String(error) })
    return undefined
  }
}

const retryMs = 100

async function acquire(deps: LeaseDeps): Promise<Leadership | undefined> {
  const { store, clock, random, identity, settings } = deps
  const sentMs = clock.monotonicMs()
  const grant = await store.grantLease(settings.ttlMs)
  const ttlMs = Math.min(grant.ttlMs, settings.ttlMs)
  const deadlineMs = sentMs + ttlMs - settings.marginMs
  const value: LeaderKey = { v: 1, unique: random.token(20), ...identity }
  const text = JSON.stringify(value)
  while (clock.monotonicMs() < deadlineMs) {
    const outcome = await store.txn({
      compares: [{ kind: 'absent', key: keys.leaderKey }],
      writes: [{ kind: 'put', key: keys.leaderKey, value: text, lease: grant.lease }],
      elseReads: [keys.leaderKey],
    })
    if (outcome.kind === 'applied') {
      const epoch = leaderEpoch(BigInt(outcome.revision))
      return new Leadership(deps, { lease: grant.lease, epoch, ttlMs, deadlineMs })
    }
    if (outcome.kind === 'refused') {
      const found = outcome.reads[0]
      if (found?.value === text) {
        // The first sending was stored and its answer lost: the unique value proves it (R2).
        const epoch = leaderEpoch(BigInt(found.created))
        return new Leadership(deps, { lease: grant.lease, epoch, ttlMs, deadlineMs })
      }
      break
    }
    // Not known, or not applied: the same Txn again, but a store that is down is not hammered.
    await new Promise<void>((resolve) => clock.after(retryMs, resolve))
  }
  await store.revokeLease(grant.lease).catch(() => undefined)
  return undefined
}
