import { fail, failure, OnceflowError } from '@onceflow/model'
import type { AdminHandler, GateEvent } from '@onceflow/ports'
import { Admin } from './admin.ts'
import { loadPipelines, openCluster } from './cluster-store.ts'
import { FlowRates } from './flow-rates.ts'
import {
  campaign,
  type LeaderIdentity,
  type LeaderKey,
  type Leadership,
  type LeaseSettings,
} from './leader-lease.ts'
import { Term, type TermDeps } from './term.ts'

/**
 * A coordinator process: follows until it wins, leads until it must not, then follows again with
 * nothing kept from before. What a former term still has under way can do no harm: each of its Txns
 * compares the create revision of a leader key that is gone.
 */
export interface CoordinatorDeps extends TermDeps {
  readonly identity: LeaderIdentity
  readonly lease: LeaseSettings
  readonly version: string
}

export class Coordinator {
  readonly #deps: CoordinatorDeps
  #term: Term | undefined
  #leadership: Leadership | undefined
  #admin: Admin | undefined
  #following: LeaderKey | undefined
  #stopped = false
  #loop: Promise<void> = Promise.resolve()

  constructor(deps: CoordinatorDeps) {
    this.#deps = deps
    deps.gate.onEvent((event: GateEvent) => this.#term?.onGate(event))
  }

  start(): void {
    this.#loop = this.#run()
  }

  /** Resigns, so that a standby leads at once; tasks go on and are adopted by its new attempts. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#term?.end()
    await this.#leadership?.resign()
    await this.#loop
  }

  /** The term, when this coordinator leads; else a typed refusal with the leader's address. */
  leading(): Term {
    if (this.#term?.leads() === true) return this.#term
    const detail =
      this.#following === undefined ? 'no leader is known' : `leader is ${this.#following.address}`
    throw new OnceflowError(failure('NOT_LEADER', { detail }))
  }

  /** The admin API; NOT_LEADER when another coordinator leads. */
  admin(): AdminHandler {
    this.leading()
    return this.#admin ?? fail('NOT_LEADER', { detail: 'taking over' })
  }

  /** Address of the leader, when known: our own while we lead. */
  leaderAddress(): string | undefined {
    if (this.#term?.leads() === true) return this.#deps.identity.address
    return this.#following?.address
  }

  async #run(): Promise<void> {
    const { store, clock, random, journal, identity, lease } = this.#deps
    const deps = { store, clock, random, journal, identity, settings: lease }
    while (!this.#stopped) {
      const leadership = await campaign(deps, {
        stopped: () => this.#stopped,
        onFollow: (leader) => {
          this.#following = leader
          this.#deps.gate.redirect(leader?.address)
        },
      })
      if (leadership === undefined) return
      if (this.#stopped) {
        await leadership.resign()
        return
      }
      await this.#lead(leadership)
    }
  }

  async #lead(leadership: Leadership): Promise<void> {
    const { journal, gate } = this.#deps
    this.#leadership = leadership
    const fields = { epoch: leadership.leaderEpoch }
    journal.write('info', 'leading', fields)
    const cause = await this.#termOf(leadership)
    this.#term = undefined
    this.#admin = undefined
    this.#leadership = undefined
    gate.redirect(undefined)
    leadership.end(cause)
    journal.write('warn', 'not leading any more', { ...fields, cause })
    if (!this.#stopped) await this.#pause(this.#deps.lease.pollMs)
  }

  async #termOf(leadership: Leadership): Promise<string> {
    let over: (cause: string) => void = () => undefined
    const ended = new Promise<string>((resolve) => {
      over = resolve
    })
    leadership.keep(over)
    try {
      const { store, random, clock, checkpoint } = this.#deps
      const cluster = await openCluster(store, leadership.leaderEpoch, random)
      const pipelines = await loadPipelines(store, {
        cluster,
        leaderEpoch: leadership.leaderEpoch,
        settings: checkpoint,
        nowMs: clock.monotonicMs(),
      })
      const term = new Term(this.#deps, { leadership, cluster }, over)
      const rates = new FlowRates(term, clock)
      this.#term = term
      this.#admin = new Admin(term, rates, this.#deps)
      term.begin(pipelines)
      const cause = await ended
      term.end()
      rates.stop()
      return cause
    } catch (error) {
      await leadership.resign().catch(() => undefined)
      return `taking over failed: ${String(error)}`
    }
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#deps.clock.after(delayMs, resolve)
    })
  }
}
