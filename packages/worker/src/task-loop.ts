// One task: takes events, asks the dataflow reducer, performs its effects. Invariants:
// - the state changes only here, by one reduction per event, in the order in which events came;
// - an effect never changes the state; its result is another event.

import {
  bufferedRecordsOf,
  openingTask,
  reduceTask,
  reportOf,
  type TaskEffect,
  type TaskEvent,
  type TaskState,
  type TaskStep,
  waitingOf,
} from '@onceflow/dataflow'
import { failureOf, InvariantViolation, partitionKey, type SourcePartition } from '@onceflow/model'
import type { LeaderMessage, TaskReport, TaskStats } from '@onceflow/ports'
import type { TaskHost } from './task-host.ts'
import { TaskPerformer } from './task-perform.ts'

export type StartTask = Extract<LeaderMessage, { kind: 'start-task' }>

export class TaskLoop {
  readonly order: StartTask
  /** Resolves when nothing of the task is left. */
  readonly ended: Promise<void>
  readonly #host: TaskHost
  readonly #performer: TaskPerformer
  readonly #events: TaskEvent[] = []
  readonly #toldPartitions = new Set<string>()
  #state: TaskState
  #reducing: 'yes' | 'no' = 'no'
  #resolveEnded: () => void = () => {}

  /** after: tasks of lower attempts that must have ended before this one opens anything. */
  constructor(host: TaskHost, order: StartTask, after: Promise<void>) {
    this.order = order
    this.#host = host
    this.#performer = new TaskPerformer(host, order)
    this.#state = openingTask({
      task: {
        pipeline: order.pipeline,
        attempt: order.attempt,
        subtask: order.subtask,
        sinks: order.spec.sinks.map(({ name }) => name),
        restored: order.restored,
      },
      leaderEpoch: order.leaderEpoch,
      positions: order.positions,
    })
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve
    })
    this.#run('open', async () => {
      await after
      return await this.#performer.open()
    })
  }

  state(): TaskState {
    return this.#state
  }

  report(): TaskReport {
    return reportOf(this.#state)
  }

  stats(): TaskStats {
    return {
      ...reportOf(this.#state),
      ...this.#performer.counters(),
      newestVisibleMs: this.#state.newestVisibleMs,
      bufferedRecords: bufferedRecordsOf(this.#state),
      waiting: waitingOf(this.#state),
    }
  }

  /** Partitions that appeared since the start, each told once. */
  newPartitions(): readonly SourcePartition[] {
    return this.#performer.newPartitions().filter((place) => {
      const key = `${place.topicId} ${partitionKey(place)}`
      if (this.#toldPartitions.has(key)) return false
      this.#toldPartitions.add(key)
      return true
    })
  }

  tell(event: TaskEvent): void {
    this.#events.push(event)
    if (this.#reducing === 'yes') return
    this.#reducing = 'yes'
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
        this.#reduce(next)
      }
    } catch (error) {
      this.#host.onDefect(error)
    } finally {
      this.#reducing = 'no'
    }
  }

  #reduce(event: TaskEvent): void {
    const before = this.#state
    const { state, effects } = reduceTask(before, event)
    this.#state = state
    if (state.kind !== before.kind) this.#note(before, event)
    for (const effect of effects) this.#perform(effect)
    if (state.kind === 'ended' && before.kind !== 'ended') this.#resolveEnded()
  }

  #note(before: TaskState, event: TaskEvent): void {
    const { pipeline, attempt, subtask } = this.#state.task
    const failure = this.#state.kind === 'failed' ? this.#state.failure : undefined
    this.#host.journal.write(failure === undefined ? 'info' : 'warn', 'task state', {
      pipeline,
      attempt,
      subtask,
      from: before.kind,
      to: this.#state.kind,
      event: event.kind,
      ...(failure === undefined ? {} : { code: failure.code, detail: failure.detail }),
    })
  }

  #perform(effect: TaskEffect): void {
    const performer = this.#performer
    switch (effect.kind) {
      case 'poll':
        this.#run('poll', () => performer.poll())
        return
      case 'invoke':
        this.#run('invoke', () => performer.invoke(effect.batch))
        return
      case 'seal':
        this.#run('seal', () => performer.seal(effect.cut))
        return
      case 'commit':
        this.#settle(performer.commit(effect))
        return
      case 'wait':
        this.#host.clock.after(effect.delayMs, () =>
          this.tell({ kind: 'tick', timer: effect.timer }),
        )
        return
      case 'send':
        performer.send(effect.message).catch(this.#host.onDefect)
        return
      case 'publish':
        performer.publish(effect.positions)
        return
      case 'close-reader':
        performer.closeReader().catch(this.#host.onDefect)
        return
      case 'close':
        this.#settle(performer.close(effect.rollBack))
        return
    }
  }

  #run(step: TaskStep, work: () => Promise<TaskEvent>): void {
    work().then(
      (event) => this.tell(event),
      (error: unknown) => this.#failed(step, error),
    )
  }

  /** For work that reports every failure of the world in its event. */
  #settle(work: Promise<TaskEvent>): void {
    work.then((event) => this.tell(event), this.#host.onDefect)
  }

  #failed(step: TaskStep, error: unknown): void {
    if (error instanceof InvariantViolation) {
      this.#host.onDefect(error)
      return
    }
    const failure = failureOf(error)
    const live = this.#state.kind === 'running' || this.#state.kind === 'stopped'
    this.tell({ kind: 'step-failed', step, failure })
    if (failure.class === 'fence' && live) this.#host.onFenced(failure)
  }
}
