// The worker: one stream to the leader, tasks, RESOLVE orders, heartbeats. Invariants:
// - a message below the greatest leader epoch or attempt seen is refused and answered (R5);
// - tasks live on while the stream is down; only a leader's message, a higher attempt or stop()
//   ends them;
// - heartbeats come from the event loop that does the work, so that they stop when it does.

import { admit, freshMemory, permitOf, type StampMemory, staleAnswer } from '@onceflow/dataflow'
import { type ClusterUid, InvariantViolation, invariant, leaderEpoch } from '@onceflow/model'
import type { LeaderLinkEvent, LeaderMessage, TimerHandle, WorkerMessage } from '@onceflow/ports'
import { AnswerMemory } from './answer-memory.ts'
import { workerFailPoints as at } from './fail-point-names.ts'
import { inspect } from './inspection.ts'
import { Resolver } from './resolver.ts'
import type { TaskHost } from './task-host.ts'
import { TaskTable } from './task-table.ts'
import type { WorkerOptions } from './worker-options.ts'

type Message<Kind extends LeaderMessage['kind']> = Extract<LeaderMessage, { kind: Kind }>

export type DrainResult = 'drained' | 'timed-out'

export class WorkerLoop {
  readonly #options: WorkerOptions
  readonly #host: TaskHost
  readonly #tasks: TaskTable
  readonly #resolver: Resolver
  readonly #answers = new AnswerMemory()
  #memory: StampMemory = freshMemory(leaderEpoch(0n))
  #cluster: ClusterUid | undefined
  /** welcomed: hello was answered on the present stream. */
  #stream: 'down' | 'greeting' | 'welcomed' = 'down'
  #heartbeat: TimerHandle | undefined
  #heartbeatDueMs = 0
  #intervalMs = 1_000
  #lagMs = 0
  /** When the leader was last heard on this stream; undefined before its welcome. */
  #leaderHeardMs: number | undefined
  #draining: ((result: DrainResult) => void) | undefined

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#host = {
      ...options,
      cluster: () => {
        invariant(this.#cluster !== undefined, 'a leader names the cluster before it gives orders')
        return this.#cluster
      },
      send: (message) => this.#send(message),
    }
    this.#tasks = new TaskTable(this.#host)
    this.#resolver = new Resolver({
      host: this.#host,
      tasks: this.#tasks,
      attemptOf: (pipeline) => this.#memory.attempts.get(pipeline),
      answer: (message) => this.#answer(message),
      answerStale: (order) => this.#send(staleAnswer(this.#memory, order)),
    })
  }

  start(): void {
    this.#options.link.onEvent((event) => this.#guarded(() => this.#onLink(event)))
    this.#options.link.start()
  }

  /** R14: asks the leader to take the tasks over, and waits until nothing is left here. */
  drain(): Promise<DrainResult> {
    const { clock, limits, journal } = this.#options
    journal.write('info', 'draining', { tasks: this.#tasks.all().length })
    return new Promise((resolve) => {
      const bound = clock.after(limits.drainMs, () => this.#drained('timed-out'))
      this.#draining = (result) => {
        bound.cancel()
        resolve(result)
      }
      if (this.#stream === 'welcomed') this.#sendDraining()
    })
  }

  /** Ends every task, leaving what is sealed to RESOLVE, and closes the stream. */
  async stop(): Promise<void> {
    this.#heartbeat?.cancel()
    await this.#tasks.endAll()
    await this.#options.link.stop()
  }

  #drained(result: DrainResult): void {
    const done = this.#draining
    this.#draining = undefined
    done?.(result)
  }

  #onLink(event: LeaderLinkEvent): void {
    switch (event.kind) {
      case 'connected':
        this.#stream = 'greeting'
        this.#leaderHeardMs = undefined
        this.#options.journal.write('info', 'connected', { address: event.address })
        this.#send({
          kind: 'hello',
          worker: this.#options.worker,
          incarnation: this.#options.incarnation,
          version: this.#options.version,
          seen: this.#memory.leaderEpoch,
          tasksMax: this.#options.limits.tasksMax,
          tasks: this.#tasks.reports(),
        })
        return
      case 'disconnected':
        this.#stream = 'down'
        this.#options.journal.write('warn', 'disconnected', { cause: event.cause })
        return
      case 'message':
        this.#onMessage(event.message)
    }
  }

  #onMessage(message: LeaderMessage): void {
    const admission = admit(this.#memory, message)
    if (admission.kind === 'refused') {
      const { kind, leaderEpoch: stale } = message
      this.#options.journal.write('warn', 'stale message refused', { kind, stale })
      this.#send(admission.answer)
      if (kind === 'welcome') this.#options.link.reconnect('the leader is stale')
      return
    }
    this.#memory = admission.memory
    if ('pipeline' in message && message.kind !== 'abort' && message.kind !== 'inspect') {
      this.#watch(this.#tasks.endBelow(message.pipeline, message.attempt))
    }
    this.#obey(message)
  }

  #obey(message: LeaderMessage): void {
    switch (message.kind) {
      case 'welcome':
        this.#welcome(message)
        return
      case 'heartbeat':
        this.#leaderHeardMs = this.#options.clock.monotonicMs()
        return
      case 'inspect':
        this.#watch(this.#inspect(message))
        return
      case 'resolve-commit':
      case 'resolve-abort':
        this.#resolver.resolve(message)
        return
      case 'start-task':
        this.#answers.forget(message.pipeline)
        this.#tasks.start(message)
        return
      case 'inject-barrier':
        this.#afterPoint(at.cutBefore, () => {
          const { pipeline, attempt, leaderEpoch: epoch, checkpoint, stop } = message
          const barrier = { attempt, leaderEpoch: epoch, checkpoint, stop }
          this.#tasks.tell(pipeline, attempt, { kind: 'barrier', ...barrier })
        })
        return
      case 'commit':
        this.#afterPoint(at.announceReceived, () => {
          const { pipeline, attempt, leaderEpoch: epoch } = message
          const permit = permitOf(message)
          this.#tasks.tell(pipeline, attempt, {
            kind: 'commit',
            attempt,
            leaderEpoch: epoch,
            permit,
          })
        })
        return
      case 'abort':
        this.#watch(this.#endThenAnswer(message, this.#tasks.abort(message)))
        return
      case 'stop-tasks':
        this.#watch(this.#endThenAnswer(message, this.#tasks.stopTasks(message)))
        return
      case 'drained':
        this.#drained('drained')
        return
    }
  }

  #welcome(message: Message<'welcome'>): void {
    invariant(
      this.#cluster === undefined || this.#cluster === message.cluster,
      `the cluster is ${this.#cluster}, and the leader says ${message.cluster}`,
    )
    this.#cluster = message.cluster
    this.#stream = 'welcomed'
    this.#intervalMs = message.heartbeatIntervalMs
    // A leader that freezes before its first heartbeat is missed like any other.
    this.#leaderHeardMs = this.#options.clock.monotonicMs()
    this.#tasks.tellAll({ kind: 'link-up', leaderEpoch: message.leaderEpoch })
    for (const answer of this.#answers.all()) this.#send(answer)
    if (this.#draining !== undefined) this.#sendDraining()
    this.#scheduleHeartbeat(0)
  }

  #sendDraining(): void {
    this.#send({ kind: 'draining', leaderEpoch: this.#memory.leaderEpoch })
  }

  async #inspect(message: Message<'inspect'>): Promise<void> {
    const { pipeline, attempt, leaderEpoch: epoch, spec } = message
    const result = await inspect(this.#host, spec)
    this.#answer({ pipeline, attempt, leaderEpoch: epoch, kind: 'inspected', result })
  }

  async #endThenAnswer(
    message: Message<'abort' | 'stop-tasks'>,
    ended: Promise<void>,
  ): Promise<void> {
    await ended
    const { pipeline, attempt, leaderEpoch: epoch } = message
    this.#answer({ pipeline, attempt, leaderEpoch: epoch, kind: 'tasks-ended' })
  }

  #answer(message: WorkerMessage): void {
    switch (message.kind) {
      case 'inspected':
      case 'resolve-committed':
      case 'resolve-aborted':
      case 'tasks-ended':
        this.#answers.keep(message)
        break
      default:
        break
    }
    this.#send(message)
  }

  #send(message: WorkerMessage): void {
    // What cannot be queued is said again after the next welcome, by whoever still needs it.
    this.#options.link.send(message)
  }

  #scheduleHeartbeat(delayMs: number): void {
    const { clock } = this.#options
    this.#heartbeat?.cancel()
    this.#heartbeatDueMs = clock.monotonicMs() + delayMs
    this.#heartbeat = clock.after(delayMs, () => this.#guarded(() => this.#beat()))
  }

  #beat(): void {
    const nowMs = this.#options.clock.monotonicMs()
    this.#lagMs = Math.max(0, Math.round(nowMs - this.#heartbeatDueMs))
    this.#scheduleHeartbeat(this.#intervalMs)
    if (this.#stream !== 'welcomed') return
    this.#send({
      kind: 'heartbeat',
      leaderEpoch: this.#memory.leaderEpoch,
      tasks: this.#tasks.stats(),
      rssBytes: this.#options.rssBytes(),
      eventLoopLagMs: this.#lagMs,
    })
    this.#tellNewPartitions()
    this.#lookForSilence(nowMs)
  }

  /** A half-open connection looks alive from here; only a leader that beats can be missed. */
  #lookForSilence(nowMs: number): void {
    const heardMs = this.#leaderHeardMs
    if (heardMs === undefined) return
    if (nowMs - heardMs < this.#options.limits.leaderSilenceMs) return
    this.#leaderHeardMs = undefined
    this.#options.link.reconnect('the leader is silent')
  }

  #tellNewPartitions(): void {
    for (const task of this.#tasks.all()) {
      const partitions = task.newPartitions()
      if (partitions.length === 0) continue
      const { pipeline, attempt } = task.order
      const stamp = { pipeline, attempt, leaderEpoch: this.#memory.leaderEpoch }
      this.#send({ ...stamp, kind: 'partitions-found', partitions })
    }
  }

  /** At once unless a test has armed the fail point. */
  #afterPoint(name: string, work: () => void): void {
    const reached = this.#options.failPoints.reached(name)
    if (reached === undefined) work()
    else this.#watch(reached.then(work))
  }

  #watch(work: Promise<void>): void {
    work.catch(this.#options.onDefect)
  }

  #guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      const kind = error instanceof InvariantViolation ? 'broken invariant' : 'unexpected error'
      this.#options.journal.write('error', kind, { error: String(error) })
      this.#options.onDefect(error)
    }
  }
}
