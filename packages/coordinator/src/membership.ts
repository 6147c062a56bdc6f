import type { PipelineUid, WorkerId } from '@onceflow/model'
import {
  emptyRegistry,
  type Member,
  memberByLink,
  type Registry,
  type RegistryEvent,
  type RegistryLimits,
  type RegistryStep,
  reduceRegistry,
} from '@onceflow/placement'
import type { LinkId, TaskReport, TaskStats, WorkerMessage } from '@onceflow/ports'

/** What a worker tells about itself, newest heartbeat first. */
export interface WorkerFigures {
  readonly version: string
  readonly peer: string
  readonly connectedMs: number
  readonly connectedWallMs: number
  readonly rssBytes: number
  readonly eventLoopLagMs: number
  readonly tasks: readonly TaskStats[]
}

type Hello = Extract<WorkerMessage, { kind: 'hello' }>
type Heartbeat = Extract<WorkerMessage, { kind: 'heartbeat' }>

/**
 * The registry of placement together with what is only for people: versions, figures, peers.
 * Invariant: figures exist only for members of the registry.
 */
export class Membership {
  readonly #limits: RegistryLimits
  #registry: Registry = emptyRegistry
  readonly #figures = new Map<WorkerId, WorkerFigures>()
  readonly #peers = new Map<LinkId, string>()

  constructor(limits: RegistryLimits) {
    this.#limits = limits
  }

  members(): readonly Member[] {
    return [...this.#registry.members.values()]
  }

  byLink(link: LinkId): Member | undefined {
    return memberByLink(this.#registry, link)
  }

  /** The open link of a worker key, for sending. */
  linkOf(key: string): LinkId | undefined {
    return this.members().find((member) => member.key === key)?.link
  }

  figuresOf(worker: WorkerId): WorkerFigures | undefined {
    return this.#figures.get(worker)
  }

  /** Figures of a pipeline's tasks, of all workers. */
  statsOf(pipeline: PipelineUid): readonly TaskStats[] {
    return this.members().flatMap((member) =>
      (this.#figures.get(member.worker)?.tasks ?? []).filter((task) => task.pipeline === pipeline),
    )
  }

  connected(link: LinkId, peer: string): void {
    this.#peers.set(link, peer)
  }

  hello(link: LinkId, hello: Hello, at: { nowMs: number; wallMs: number }): RegistryStep {
    const step = this.#apply({ ...hello, kind: 'hello', link, nowMs: at.nowMs })
    if (step.changes.some((change) => change.kind === 'refused')) return step
    this.#figures.set(hello.worker, {
      version: hello.version,
      peer: this.#peers.get(link) ?? '',
      connectedMs: at.nowMs,
      connectedWallMs: at.wallMs,
      rssBytes: 0,
      eventLoopLagMs: 0,
      tasks: hello.tasks.map(statsOfReport),
    })
    return step
  }

  heartbeat(link: LinkId, beat: Heartbeat, nowMs: number): void {
    this.#apply({ kind: 'heard', link, nowMs })
    const member = this.byLink(link)
    const before = member === undefined ? undefined : this.#figures.get(member.worker)
    if (member === undefined || before === undefined) return
    const { rssBytes, eventLoopLagMs, tasks } = beat
    this.#figures.set(member.worker, { ...before, rssBytes, eventLoopLagMs, tasks })
  }

  heard(link: LinkId, nowMs: number): void {
    this.#apply({ kind: 'heard', link, nowMs })
  }

  draining(link: LinkId, nowMs: number): RegistryStep {
    return this.#apply({ kind: 'draining', link, nowMs })
  }

  broken(link: LinkId, nowMs: number): RegistryStep {
    this.#peers.delete(link)
    return this.#apply({ kind: 'broken', link, nowMs })
  }

  tick(nowMs: number): RegistryStep {
    return this.#apply({ kind: 'tick', nowMs })
  }

  /** Of a member that is lost, or not taken in, while its stream stands. */
  causeOfEnd({ worker, key }: Member): string {
    return this.#registry.members.has(worker)
      ? `another process is the worker ${worker}, so ${key} is not: give each its own id`
      : 'no heartbeat'
  }

  #apply(event: RegistryEvent & { readonly nowMs: number }): RegistryStep {
    const step = reduceRegistry(this.#registry, event, this.#limits)
    this.#registry = step.registry
    for (const change of step.changes) {
      if (change.kind !== 'lost') continue
      if (!this.#registry.members.has(change.member.worker)) {
        this.#figures.delete(change.member.worker)
      }
    }
    return step
  }
}

const statsOfReport = (report: TaskReport): TaskStats => ({
  ...report,
  recordsIn: 0,
  bytesIn: 0,
  rowsUpserted: 0,
  rowsDeleted: 0,
  ignored: 0,
  lagRecords: 0,
  newestVisibleMs: 0,
  bufferedRecords: 0,
  waiting: 'no',
})
