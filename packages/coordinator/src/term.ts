import {
  type CheckpointSettings,
  type LiveWorker,
  needsWorker,
  type PipelineEffect,
  type PipelineEvent,
  type PipelineState,
  reduce,
  wakeAt,
} from '@onceflow/checkpoint'
import type { ClusterUid, LeaderEpoch, PipelineUid } from '@onceflow/model'
import type { RegistryStep } from '@onceflow/placement'
import type {
  Clock,
  FailPoints,
  GateEvent,
  Journal,
  LinkId,
  MetadataStore,
  RandomSource,
  TxnOutcome,
  TxnRequest,
  WorkerGate,
  WorkerMessage,
} from '@onceflow/ports'
import { sweepPipeline } from './cluster-store.ts'
import { EffectQueue } from './effect-queue.ts'
import { orderPoint, receivedPoint, txnPoint } from './fail-point.ts'
import type { Leadership } from './leader-lease.ts'
import { Membership } from './membership.ts'
import { PipelineBook, type PipelineEntry } from './pipeline-book.ts'
import type { TermSettings } from './term-settings.ts'

/**
 * The control loop of one leadership: takes events, asks the reducer, performs its effects.
 * Invariants:
 * - events of a pipeline are reduced one at a time, in the order of their arrival;
 * - effects are performed in the order in which they were decided;
 * - once the leadership is over, no event is reduced and no effect is performed any more (R8).
 */
export interface TermDeps {
  readonly store: MetadataStore
  readonly gate: WorkerGate
  readonly clock: Clock
  readonly random: RandomSource
  readonly journal: Journal
  readonly failPoints: FailPoints
  readonly settings: TermSettings
  readonly checkpoint: CheckpointSettings
}

export class Term {
  readonly cluster: ClusterUid
  readonly leaderEpoch: LeaderEpoch
  readonly startedWallMs: number
  readonly membership: Membership
  readonly pipelines: PipelineBook
  readonly checkpointSettings: CheckpointSettings
  readonly #deps: TermDeps
  readonly #leadership: Leadership
  readonly #effects = new EffectQueue()
  readonly #onOver: (cause: string) => void
  #gathering = true
  #over = false

  constructor(
    deps: TermDeps,
    lead: { readonly leadership: Leadership; readonly cluster: ClusterUid },
    onOver: (cause: string) => void,
  ) {
    this.#deps = deps
    this.#leadership = lead.leadership
    this.#onOver = onOver
    this.cluster = lead.cluster
    this.leaderEpoch = lead.leadership.leaderEpoch
    this.startedWallMs = deps.clock.wallMs()
    this.membership = new Membership(deps.settings.registry)
    this.checkpointSettings = deps.checkpoint
    this.pipelines = new PipelineBook(deps.settings.abortedKept)
  }

  begin(pipelines: ReadonlyMap<PipelineUid, PipelineState>): void {
    for (const [uid, state] of pipelines) this.adopt(uid, state)
    const { clock, settings } = this.#deps
    clock.after(settings.gatherMs, () => this.#endGathering())
    this.#every(settings.registryTickMs, () => this.#onRegistry(this.membership.tick(this.nowMs())))
    this.#every(settings.heartbeatIntervalMs, () => this.#beat())
    this.#deps.gate.accept()
  }

  /** A pipeline that is new, or taken over from the store. */
  adopt(uid: PipelineUid, state: PipelineState): void {
    this.pipelines.add(uid, state)
    if (!this.#gathering || state.core.doc.desired === 'gone') this.#dispatchWorkers(uid)
  }

  nowMs(): number {
    return this.#deps.clock.monotonicMs()
  }

  leads(): boolean {
    return !this.#over && this.#leadership.valid()
  }

  end(): void {
    this.#over = true
    this.#effects.stop()
    this.pipelines.stopTimers()
  }

  dispatch(uid: PipelineUid, event: PipelineEvent): void {
    const entry = this.pipelines.entry(uid)
    if (entry === undefined || this.#over) return
    if (!this.#leadership.valid()) {
      this.#standDown('the lease deadline has passed')
      return
    }
    const { clock, random } = this.#deps
    const step = reduce(entry.state, {
      nowMs: clock.monotonicMs(),
      wallMs: clock.wallMs(),
      token: random.token(16),
      event,
    })
    entry.state = step.state
    for (const effect of step.effects) this.#perform(uid, entry, effect)
    this.#schedule(uid, entry)
    this.#releaseDrained()
  }

  onGate(event: GateEvent): void {
    if (this.#over) return
    switch (event.kind) {
      case 'connected':
        this.membership.connected(event.link, event.peer)
        break
      case 'disconnected':
        this.#onRegistry(this.membership.broken(event.link, this.nowMs()))
        break
      case 'message':
        this.#onMessage(event.link, event.message)
        break
    }
  }

  #onMessage(link: LinkId, message: WorkerMessage): void {
    const { failPoints } = this.#deps
    const point = receivedPoint(message.kind)
    const wait = point === undefined ? undefined : failPoints.reached(point)
    if (wait === undefined) this.#handle(link, message)
    else void wait.then(() => this.#handle(link, message))
  }

  #handle(link: LinkId, message: WorkerMessage): void {
    if (message.kind === 'hello') {
      this.#onHello(link, message)
      return
    }
    const member = this.membership.byLink(link)
    if (member === undefined) {
      this.#deps.gate.close(link, 'the first message was no hello')
      return
    }
    switch (message.kind) {
      case 'heartbeat':
        this.membership.heartbeat(link, message, this.nowMs())
        break
      case 'draining':
        this.#onRegistry(this.membership.draining(link, this.nowMs()))
        this.#dispatchWorkers()
        this.#releaseDrained()
        break
      case 'stale':
        this.#onStale(message)
        break
      case 'partitions-found':
        this.#lookAgain(message.pipeline, link)
        break
      default:
        this.membership.heard(link, this.nowMs())
        this.dispatch(message.pipeline, { kind: 'message', from: member.key, message })
    }
  }

  #onHello(link: LinkId, hello: Extract<WorkerMessage, { kind: 'hello' }>): void {
    if (hello.seen > this.leaderEpoch) {
      this.#standDown(`worker ${hello.worker} has seen leader epoch ${hello.seen}`)
      return
    }
    const { clock, gate, settings } = this.#deps
    const at = { nowMs: clock.monotonicMs(), wallMs: clock.wallMs() }
    const step = this.membership.hello(link, hello, at)
    const member = this.membership.byLink(link)
    if (member !== undefined) {
      const { cluster, leaderEpoch } = this
      const { heartbeatIntervalMs } = settings
      gate.send(link, { kind: 'welcome', leaderEpoch, cluster, heartbeatIntervalMs })
    }
    this.#onRegistry(step)
    if (member === undefined) return
    if (hello.tasks.length > 0 || step.changes.some((change) => change.kind === 'back')) {
      for (const uid of this.pipelines.uids()) {
        const tasks = hello.tasks.filter((task) => task.pipeline === uid)
        this.dispatch(uid, { kind: 'reconnected', worker: member.key, tasks })
      }
    }
    if (this.#gathering && this.#allGathered()) this.#endGathering()
  }

  /** A worker knows of a newer leader, or of a newer attempt than ours: we are stale. */
  #onStale(message: Extract<WorkerMessage, { kind: 'stale' }>): void {
    if (message.leaderEpoch > this.leaderEpoch) {
      this.#standDown(`a worker has seen leader epoch ${message.leaderEpoch}`)
    }
  }

  /** New partitions are taken from a fresh inspection, so that their offsets come with them. */
  #lookAgain(uid: PipelineUid, link: LinkId): void {
    const state = this.pipelines.entry(uid)?.state
    const spec = state?.core.assignment?.spec
    if (state === undefined || spec === undefined || state.phase.kind !== 'running') return
    // Found already: they join when the old partitions are passed.
    if (state.core.growth !== undefined) return
    const { attempt } = state.core.attempt
    const { leaderEpoch } = this
    this.#deps.gate.send(link, { kind: 'inspect', pipeline: uid, attempt, leaderEpoch, spec })
  }

  #onRegistry(step: RegistryStep): void {
    if (step.changes.length === 0) return
    for (const { kind, member } of step.changes) {
      const ends = kind === 'lost' || kind === 'refused'
      this.#deps.journal.write(ends ? 'warn' : 'info', `worker ${kind}`, { worker: member.key })
      if (ends && member.link !== undefined) {
        this.#deps.gate.close(member.link, this.membership.causeOfEnd(member))
      }
    }
    this.#dispatchWorkers()
  }

  #dispatchWorkers(only?: PipelineUid): void {
    if (this.#gathering) return
    const workers = this.#liveWorkers()
    for (const uid of only === undefined ? this.pipelines.uids() : [only]) {
      this.dispatch(uid, { kind: 'workers', workers })
    }
  }

  #liveWorkers(): readonly LiveWorker[] {
    const loads = new Map<string, number>()
    for (const state of this.pipelines.states()) {
      for (const task of state.core.assignment?.tasks ?? []) {
        loads.set(task.worker, (loads.get(task.worker) ?? 0) + 1)
      }
    }
    return this.membership.members().map((member) => ({
      key: member.key,
      tasksMax: member.tasksMax,
      load: loads.get(member.key) ?? 0,
      state: member.draining === 'yes' ? 'draining' : 'active',
    }))
  }

  #allGathered(): boolean {
    const live = new Set(this.membership.members().map((member) => member.key))
    return this.pipelines
      .states()
      .every((state) => (state.core.assignment?.tasks ?? []).every((task) => live.has(task.worker)))
  }

  #endGathering(): void {
    if (!this.#gathering || this.#over) return
    this.#gathering = false
    this.#dispatchWorkers()
  }

  #perform(uid: PipelineUid, entry: PipelineEntry, effect: PipelineEffect): void {
    switch (effect.kind) {
      case 'note':
        this.#note(uid, entry, effect)
        break
      case 'checkpoint-ended':
        this.pipelines.ended(entry, effect)
        break
      case 'recovery-started':
        this.pipelines.recovered(entry)
        break
      case 'stand-down':
        this.#standDown(effect.cause)
        break
      case 'sweep':
        this.#sweep(uid)
        break
      case 'send':
        this.#performSend(effect)
        break
      case 'txn': {
        const point = txnPoint(entry.state.phase, effect.tag)
        this.#queue(point, 'before')
        this.#effects.push(() => {
          void this.#send(effect.request, point).then((outcome) =>
            this.dispatch(uid, { kind: 'txn', tag: effect.tag, outcome }),
          )
          return undefined
        })
      }
    }
  }

  #performSend(effect: Extract<PipelineEffect, { kind: 'send' }>): void {
    const point = orderPoint(effect.message)
    this.#queue(point, 'before')
    this.#effects.push(() => {
      const link = this.membership.linkOf(effect.to)
      if (link !== undefined) this.#deps.gate.send(link, effect.message)
      return undefined
    })
    this.#queue(point, 'after')
  }

  async #send(request: TxnRequest, point: string | undefined): Promise<TxnOutcome> {
    if (!this.#leadership.valid()) return { kind: 'not-applied', cause: 'the lease is over' }
    const outcome = await this.#deps.store
      .txn(request)
      .catch((error: unknown): TxnOutcome => ({ kind: 'unknown', cause: String(error) }))
    if (point !== undefined) await this.#deps.failPoints.reached(`${point}.reply-lost`)
    return outcome
  }

  #queue(point: string | undefined, when: 'before' | 'after'): void {
    if (point === undefined) return
    this.#effects.push(() => this.#deps.failPoints.reached(`${point}.${when}`))
  }

  #note(
    uid: PipelineUid,
    entry: PipelineEntry,
    effect: Extract<PipelineEffect, { kind: 'note' }>,
  ): void {
    const { core } = entry.state
    this.#deps.journal.write(effect.level, effect.text, {
      pipeline: core.doc.name,
      uid,
      attempt: core.attempt.attempt,
      epoch: this.leaderEpoch,
      ...effect.fields,
    })
  }

  #sweep(uid: PipelineUid): void {
    const { store, journal, clock } = this.#deps
    const again = (error: unknown) => {
      journal.write('warn', 'sweep failed', { uid, cause: String(error) })
      clock.after(1_000, () => (this.#over ? undefined : this.#sweep(uid)))
    }
    sweepPipeline(store, this.leaderEpoch, uid).then(() => this.pipelines.forget(uid), again)
  }

  #schedule(uid: PipelineUid, entry: PipelineEntry): void {
    entry.timer?.cancel()
    entry.timer = undefined
    const atMs = wakeAt(entry.state)
    if (atMs === undefined || this.#over) return
    const delayMs = Math.max(0, atMs - this.nowMs())
    entry.timer = this.#deps.clock.after(delayMs, () => this.dispatch(uid, { kind: 'tick' }))
  }

  #releaseDrained(): void {
    if (this.#gathering) return
    for (const member of this.membership.members()) {
      if (member.draining === 'no' || member.link === undefined) continue
      if (this.pipelines.states().some((state) => needsWorker(state, member.key))) continue
      this.#deps.gate.send(member.link, { kind: 'drained', leaderEpoch: this.leaderEpoch })
    }
  }

  #beat(): void {
    for (const member of this.membership.members()) {
      if (member.link === undefined) continue
      this.#deps.gate.send(member.link, { kind: 'heartbeat', leaderEpoch: this.leaderEpoch })
    }
  }

  #standDown(cause: string): void {
    if (this.#over) return
    this.end()
    this.#onOver(cause)
  }

  #every(periodMs: number, work: () => void): void {
    if (this.#over) return
    this.#deps.clock.after(periodMs, () => {
      if (!this.#over) work()
      this.#every(periodMs, work)
    })
  }
}
