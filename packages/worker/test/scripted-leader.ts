import {
  attempt,
  checkpointNumber,
  clusterUid,
  type LedgerHead,
  leaderEpoch,
  offset,
  type PipelineSpec,
  type Position,
  pipelineName,
  pipelineUid,
  revision,
  sinkName,
  subtask,
} from '@onceflow/model'
import type { LeaderMessage, RecordOfHandles, WorkerMessage } from '@onceflow/ports'
import type { MemoryGate } from '@onceflow/twins'

export const cluster = clusterUid('cluster1')
export const pipeline = pipelineUid('pipeline1')
export const n = (value: number) => checkpointNumber(BigInt(value))
export const a = (value: number) => attempt(BigInt(value))
export const e = (value: number) => leaderEpoch(BigInt(value))

export function specOf(sinks: readonly string[] = ['main']): PipelineSpec {
  return {
    version: 1,
    name: pipelineName('orders'),
    source: {
      kind: 'file',
      directory: 'memory',
      topics: { kind: 'list', topics: ['items'] },
      format: 'debezium-json',
      start: { kind: 'earliest' },
    },
    tables: [],
    otherTables: 'pass',
    sinks: sinks.map((name) => ({
      kind: 'custom',
      name: sinkName(name),
      type: 'memory',
      options: {},
    })),
    guarantee: 'exactly-once',
    checkpoint: { intervalMs: 1000, timeoutMs: 10_000 },
    parallelism: undefined,
  }
}

type Kind = WorkerMessage['kind']
type Said<K extends Kind> = Extract<WorkerMessage, { kind: K }>

/** Speaks to one worker as a leader would, one message at a time, and keeps what it answers. */
export class ScriptedLeader {
  readonly said: WorkerMessage[] = []
  readonly links: string[] = []
  epoch = e(7)
  attempt = a(1)
  spec = specOf()
  welcomes: 'yes' | 'no' = 'yes'
  readonly #gate: MemoryGate

  constructor(gate: MemoryGate) {
    this.#gate = gate
    gate.onEvent((event) => {
      if (event.kind === 'connected') this.links.push(event.link)
      if (event.kind !== 'message') return
      this.said.push(event.message)
      if (event.message.kind === 'hello' && this.welcomes === 'yes') this.welcome()
    })
    gate.accept()
  }

  send(message: LeaderMessage): void {
    this.#gate.send(this.links.at(-1) ?? 'none', message)
  }

  all<K extends Kind>(kind: K): readonly Said<K>[] {
    return this.said.filter((message): message is Said<K> => message.kind === kind)
  }

  last<K extends Kind>(kind: K): Said<K> | undefined {
    return this.all(kind).at(-1)
  }

  /** Forgets what was said so far. */
  hush(): void {
    this.said.length = 0
  }

  stamp() {
    return { pipeline, attempt: this.attempt, leaderEpoch: this.epoch }
  }

  welcome(): void {
    const { epoch } = this
    this.send({ kind: 'welcome', leaderEpoch: epoch, cluster, heartbeatIntervalMs: 1000 })
  }

  inspect(): void {
    this.send({ ...this.stamp(), kind: 'inspect', spec: this.spec })
  }

  resolveCommit(open: readonly RecordOfHandles[] = []): void {
    this.send({
      ...this.stamp(),
      kind: 'resolve-commit',
      spec: this.spec,
      revision: revision(50n),
      open,
      known: open.map(({ checkpoint, attempt: by }) => ({
        checkpoint,
        attempt: by,
        state: 'committed' as const,
      })),
      retireMark: n(0),
    })
  }

  resolveAbort(heads: readonly LedgerHead[] = [], newestDecided = n(0)): void {
    this.send({
      ...this.stamp(),
      kind: 'resolve-abort',
      spec: this.spec,
      revision: revision(51n),
      known: [],
      retireMark: n(0),
      heads,
      newestDecided,
    })
  }

  startTask(positions: readonly Position[], restored = n(0)): void {
    this.send({
      ...this.stamp(),
      kind: 'start-task',
      spec: this.spec,
      subtask: subtask(0),
      restored,
      positions,
      heads: [],
      contexts: [],
    })
  }

  barrier(value: number, stop: 'yes' | 'no' = 'no'): void {
    this.send({ ...this.stamp(), kind: 'inject-barrier', checkpoint: n(value), stop })
  }

  commit(value: number): void {
    this.send({
      ...this.stamp(),
      kind: 'commit',
      checkpoint: n(value),
      revision: revision(60n),
    })
  }

  abort(value: number | undefined): void {
    const next = attempt(this.attempt + 1n)
    const checkpoint = value === undefined ? undefined : n(value)
    this.send({ ...this.stamp(), kind: 'abort', next, checkpoint, revision: revision(70n) })
    this.attempt = next
  }

  stopTasks(): void {
    this.send({ ...this.stamp(), kind: 'stop-tasks' })
  }

  drained(): void {
    this.send({ kind: 'drained', leaderEpoch: this.epoch })
  }
}

export function positionAt(topicId: string, next: bigint): Position {
  return { topic: 'items', topicId, partition: 0, offset: offset(next), leaderEpoch: -1 }
}
