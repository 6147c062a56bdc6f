import type { LeaderEpoch } from '@onceflow/model'
import type { LeaderMessage, TxnOutcome, TxnRequest } from '@onceflow/ports'
import { ManualClock } from '@onceflow/twins'
import { expect } from 'vitest'
import {
  createTxn,
  decodeDoc,
  decodeStatus,
  keys,
  type LiveWorker,
  loadPipeline,
  type PipelineDoc,
  type PipelineEffect,
  type PipelineEvent,
  type PipelineState,
  reduce,
  type TxnTag,
  updateTxn,
  wakeAt,
} from '../src/index.ts'
import { cluster, docOf, partition, pipeline, settings, specOf, uid } from './pipeline-fixture.ts'
import { WorldSink } from './world-sink.ts'
import { WorldStore } from './world-store.ts'
import { WorldWorker } from './world-worker.ts'

/** What becomes of a Txn: as asked, or without an answer that tells. */
export type Fate = 'ok' | 'reply-lost' | 'lost' | 'late' | 'not-applied'

interface Leader {
  readonly epoch: LeaderEpoch
  state: PipelineState
  over: 'no' | 'yes'
  readonly txns: { readonly tag: TxnTag; readonly request: TxnRequest }[]
  readonly mail: { readonly to: string; readonly message: LeaderMessage }[]
  dueMs: number | undefined
}

/** Leaders (one of them current), workers, one store, one target, and a network with no promise. */
export class World {
  readonly clock = new ManualClock()
  readonly store = new WorldStore(this.clock)
  readonly sink = new WorldSink()
  readonly ends = new Map<number, bigint>([
    [0, 0n],
    [1, 0n],
  ])
  readonly resolved = new Set<string>()
  readonly workers = new Map<string, WorldWorker>()
  readonly leaders: Leader[] = []
  readonly late: TxnRequest[] = []
  readonly #injected = new Map<bigint, string>()
  readonly #draining = new Set<string>()
  #count = 0
  swept: 'no' | 'yes' = 'no'
  completions = 0

  constructor() {
    this.store.onCompleted = (record) => {
      expect(this.sink.holds(record), `CK-4 ${record.checkpoint} is committed`).toBe(true)
      this.completions += 1
    }
    const epoch = this.store.elect('leader 0')
    this.store.execute(createTxn(epoch, docOf(), 'first'))
    this.lead('leader 1')
    this.join()
    this.join()
  }

  leader(): Leader {
    return this.leaders.at(-1) ?? expect.fail('there is a leader')
  }

  // Events of the world

  lead(name: string): void {
    this.#count += 1
    const epoch = this.store.elect(`${name} ${this.#count}`)
    const ids = this.store.meta.get(keys.idsKey(uid))
    const values = this.store.values(keys.pipelinePrefix(uid))
    const historyKeys = this.store.values(keys.historyPrefix(uid)).map((value) => value.key)
    const state = loadPipeline(
      { values, ids, historyKeys },
      { cluster, leaderEpoch: epoch, settings, nowMs: this.clock.monotonicMs() },
    )
    if (state === undefined) return
    this.leaders.push({ epoch, state, over: 'no', txns: [], mail: [], dueMs: undefined })
    for (const worker of this.workers.values()) this.#connect(worker)
    this.#tellWorkers()
  }

  join(): void {
    this.#count += 1
    const worker = new WorldWorker(`w${this.#count}`, {
      store: this.store,
      sink: this.sink,
      ends: this.ends,
      resolved: this.resolved,
      partitions: () => [...this.ends].map(([index, end]) => partition(index, Number(end))),
    })
    worker.epoch = this.leader().epoch
    this.workers.set(worker.key, worker)
    this.#tellWorkers()
  }

  die(which: number): void {
    const worker = this.worker(which)
    if (worker === undefined) return
    this.workers.delete(worker.key)
    this.#tellWorkers()
  }

  /** Lost for the leader and back at once, as the process it was. */
  blink(which: number): void {
    const worker = this.worker(which)
    if (worker === undefined) return
    this.workers.delete(worker.key)
    this.#tellWorkers()
    this.workers.set(worker.key, worker)
    this.#tellWorkers()
    this.#connect(worker)
  }

  reconnect(which: number): void {
    const worker = this.worker(which)
    if (worker !== undefined) this.#connect(worker)
  }

  drain(which: number): void {
    const worker = this.worker(which)
    if (worker === undefined) return
    this.#draining.add(worker.key)
    this.#tellWorkers()
  }

  write(which: number, records: number): void {
    const index = which % this.ends.size
    this.ends.set(index, (this.ends.get(index) ?? 0n) + BigInt(records))
    for (const worker of this.workers.values()) worker.want()
  }

  addPartition(): void {
    if (this.ends.size < 4) this.ends.set(this.ends.size, 0n)
  }

  /** As the loop does when a worker has seen partitions that it does not know. */
  lookAgain(): void {
    const leader = this.leader()
    const { core, phase } = leader.state
    const known = (core.assignment?.tasks ?? []).flatMap((task) => task.partitions)
    const worker = this.worker(0)
    if (phase.kind !== 'running' || worker === undefined) return
    if (known.length === this.ends.size || core.growth !== undefined) return
    const { attempt } = core.attempt
    const spec = core.assignment?.spec ?? core.doc.spec
    const stamp = { pipeline: uid, attempt, leaderEpoch: leader.epoch }
    leader.mail.push({ to: worker.key, message: { kind: 'inspect', ...stamp, spec } })
  }

  /** An operator's change, stored and told to the leader. */
  change(change: Partial<PipelineDoc>, resumes: 'yes' | 'no' = 'no'): void {
    const value = this.store.meta.get(keys.docKey(uid))
    if (value === undefined) return
    const before = decodeDoc(value.value)
    if (before.desired === 'deleted' || before.desired === 'gone') return
    const doc = { ...before, ...change }
    const outcome = this.store.execute(
      updateTxn(this.leader().epoch, doc, { seen: value.modified, resumes }),
    )
    if (outcome.kind !== 'applied') return
    const status = this.store.meta.get(keys.statusKey(uid))
    this.dispatch(this.leader(), {
      kind: 'document',
      doc,
      revision: outcome.revision,
      status: status === undefined ? undefined : decodeStatus(status.value),
    })
  }

  respec(): void {
    const value = this.store.meta.get(keys.docKey(uid))
    if (value === undefined) return
    const { generation } = decodeDoc(value.value)
    const parallelism = 1 + (generation % 3)
    this.change({ generation: generation + 1, spec: specOf({ parallelism }) })
  }

  advance(ms: number): void {
    this.clock.advance(ms)
    for (const leader of this.leaders) {
      const due = leader.dueMs !== undefined && leader.dueMs <= this.clock.monotonicMs()
      if (due) this.dispatch(leader, { kind: 'tick' })
    }
  }

  // The network

  /** Mostly the leader of now; 6 and up: one that was replaced and goes on. */
  #leaderOf(which: number): Leader {
    const back = Math.max(0, which - 5) % this.leaders.length
    return this.leaders.at(-1 - back) ?? this.leader()
  }

  /** The oldest Txn of a leader reaches the store, or does not. */
  deliverTxn(of: number, fate: Fate): void {
    const leader = this.#leaderOf(of)
    const item = leader.txns.shift()
    if (item === undefined) return
    this.dispatch(leader, { kind: 'txn', tag: item.tag, outcome: this.#arrive(item, fate) })
  }

  #arrive({ request }: { request: TxnRequest }, fate: Fate): TxnOutcome {
    switch (fate) {
      case 'ok':
        return this.store.execute(request)
      case 'reply-lost':
        this.store.execute(request)
        return { kind: 'unknown', cause: 'the answer was lost' }
      case 'lost':
        return { kind: 'unknown', cause: 'the request was lost' }
      case 'late':
        this.late.push(request)
        return { kind: 'unknown', cause: 'the request is late' }
      case 'not-applied':
        return { kind: 'not-applied', cause: 'refused' }
    }
  }

  deliverLate(which: number): void {
    const [request] = this.late.splice(which % Math.max(1, this.late.length), 1)
    if (request !== undefined) this.store.execute(request)
  }

  /** The oldest message to one of the workers: streams keep their order, not among each other. */
  toWorker(of: number, which: number, how: 'once' | 'twice' = 'once'): void {
    const { mail } = this.#leaderOf(of)
    const names = [...new Set(mail.map(({ to }) => to))]
    const at = mail.findIndex(({ to }) => to === names[which % names.length])
    const [item] = mail.splice(Math.max(0, at), 1)
    if (item === undefined) return
    const worker = this.workers.get(item.to)
    worker?.take(item.message)
    if (how === 'twice') worker?.take(item.message)
  }

  toLeader(which: number, how: 'once' | 'twice'): void {
    const worker = this.worker(which)
    const message = worker?.outbox.shift()
    if (worker === undefined || message === undefined) return
    if (message.kind === 'resolve-committed' && message.outcome.kind === 'done') {
      this.resolved.add(`${message.attempt}/commit`)
    }
    if (message.kind === 'resolve-aborted' && message.outcome.kind === 'done') {
      this.resolved.add(`${message.attempt}/abort`)
    }
    const event: PipelineEvent = { kind: 'message', from: worker.key, message }
    this.dispatch(this.leader(), event)
    if (how === 'twice') this.dispatch(this.leader(), event)
  }

  worker(which: number): WorldWorker | undefined {
    return [...this.workers.values()][which % Math.max(1, this.workers.size)]
  }

  dispatch(leader: Leader, event: PipelineEvent): void {
    if (leader.over === 'yes') return
    const nowMs = this.clock.monotonicMs()
    this.#count += 1
    const token = `token${this.#count}`
    const step = reduce(leader.state, { nowMs, wallMs: nowMs, token, event })
    leader.state = step.state
    for (const effect of step.effects) this.#perform(leader, effect)
    leader.dueMs = wakeAt(step.state)
  }

  #perform(leader: Leader, effect: PipelineEffect): void {
    switch (effect.kind) {
      case 'txn':
        leader.txns.push(effect)
        break
      case 'send':
        if (effect.message.kind === 'inject-barrier') this.#judgeBarrier(leader, effect.message)
        leader.mail.push(effect)
        break
      case 'stand-down':
        expect(leader, 'CK-12 only a leader that was replaced stands down').not.toBe(this.leader())
        leader.over = 'yes'
        break
      case 'sweep':
        expect(this.store.meta.get(keys.nameKey(pipeline)), 'CK-14 the name is free').toBe(
          undefined,
        )
        this.swept = 'yes'
        break
      case 'note':
      case 'checkpoint-ended':
      case 'recovery-started':
        break
    }
  }

  #judgeBarrier(leader: Leader, barrier: Extract<LeaderMessage, { kind: 'inject-barrier' }>): void {
    const { checkpoint, attempt } = barrier
    const issuer = `${leader.epoch}/${attempt}`
    const before = this.#injected.get(checkpoint)
    expect(before ?? issuer, `CK-1 ${checkpoint} is issued once`).toBe(issuer)
    const sameAttempt = [...this.#injected].filter(([n, by]) => by === issuer && n !== checkpoint)
    for (const [number] of sameAttempt) {
      expect(this.store.decided.has(number), 'CK-2 one at a time').toBe(true)
    }
    this.#injected.set(checkpoint, issuer)
  }

  #connect(worker: WorldWorker): void {
    const leader = this.leader()
    for (const { mail } of this.leaders.slice(-1)) {
      const kept = mail.filter((item) => item.to !== worker.key)
      mail.splice(0, mail.length, ...kept)
    }
    worker.linkUp(leader.epoch)
    this.dispatch(leader, { kind: 'reconnected', worker: worker.key, tasks: worker.reports() })
  }

  #tellWorkers(): void {
    const workers = [...this.workers.values()].map(
      (worker): LiveWorker => ({
        key: worker.key,
        tasksMax: 16,
        load: worker.tasks.size,
        state: this.#draining.has(worker.key) ? 'draining' : 'active',
      }),
    )
    for (const leader of this.leaders) this.dispatch(leader, { kind: 'workers', workers })
  }

  /** A while without faults, other leaders left as they are. */
  calm(turns: number): void {
    const of = 0
    for (let turn = 0; turn < turns; turn += 1) {
      const leader = this.leader()
      while (leader.txns.length > 0) this.deliverTxn(of, 'ok')
      while (leader.mail.length > 0) this.toWorker(of, 0)
      for (let which = 0; which < this.workers.size; which += 1) {
        while ((this.worker(which)?.outbox.length ?? 0) > 0) this.toLeader(which, 'once')
      }
    }
  }

  #forgetFaults(): void {
    while (this.leaders.length > 1) this.leaders.shift()
    this.late.length = 0
    for (const worker of this.workers.values()) worker.trouble = 'none'
  }

  /** No more faults: everything arrives, in order, and time goes on only as it is asked for. */
  heal(until: () => boolean, roundsMax = 3_000): void {
    this.#forgetFaults()
    for (let round = 0; round < roundsMax; round += 1) {
      if (until()) return
      const before = this.#count
      const leader = this.leader()
      while (leader.txns.length > 0) this.deliverTxn(0, 'ok')
      while (leader.mail.length > 0) this.toWorker(0, 0)
      for (let which = 0; which < this.workers.size; which += 1) {
        while ((this.worker(which)?.outbox.length ?? 0) > 0) this.toLeader(which, 'once')
      }
      if (this.#count !== before) continue
      this.lookAgain()
      if (leader.mail.length > 0) continue
      if (leader.dueMs === undefined) break
      this.advance(Math.max(0, leader.dueMs - this.clock.monotonicMs()))
    }
    const { phase, core } = this.leader().state
    const { status, restarts, doc } = core
    const seen = JSON.stringify({ phase, status, restarts, desired: doc.desired }, (_key, item) =>
      typeof item === 'bigint' ? item.toString() : item,
    )
    expect.fail(`CK-13 stuck: ${seen}`)
  }
}
