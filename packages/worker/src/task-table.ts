// The tasks of this worker. Invariant: for a pipeline, tasks of a lower attempt are told to end as
// soon as a higher one is heard of, and a task opens nothing before those have ended.

import type { TaskEvent } from '@onceflow/dataflow'
import { type Attempt, failure, type PipelineUid } from '@onceflow/model'
import type { LeaderMessage, TaskReport, TaskStats } from '@onceflow/ports'
import type { TaskHost } from './task-host.ts'
import { type StartTask, TaskLoop } from './task-loop.ts'

type Abort = Extract<LeaderMessage, { kind: 'abort' }>

export class TaskTable {
  readonly #host: TaskHost
  readonly #tasks = new Set<TaskLoop>()

  constructor(host: TaskHost) {
    this.#host = host
  }

  start(order: StartTask): void {
    const { pipeline, attempt, subtask } = order
    const running = this.#of(pipeline).find(
      (task) => task.order.attempt === attempt && task.order.subtask === subtask,
    )
    if (running !== undefined) {
      running.tell({ kind: 'link-up', leaderEpoch: order.leaderEpoch })
      return
    }
    const after = this.endBelow(pipeline, attempt)
    if (this.#tasks.size >= this.#host.limits.tasksMax + this.#endingCount()) {
      const detail = `this worker runs ${this.#host.limits.tasksMax} tasks already`
      const refused = failure('LIMIT_EXCEEDED', { class: 'retry', detail })
      const { leaderEpoch } = order
      const stamp = { pipeline, attempt, leaderEpoch }
      this.#host.send({ ...stamp, kind: 'task-failed', subtask, failure: refused })
      return
    }
    const task = new TaskLoop(this.#host, order, after)
    this.#tasks.add(task)
    task.ended.then(() => this.#tasks.delete(task), this.#host.onDefect)
  }

  #endingCount(): number {
    let count = 0
    for (const task of this.#tasks) {
      const { kind } = task.state()
      if (kind === 'ending' || kind === 'closing') count += 1
    }
    return count
  }

  /** Ends tasks of lower attempts, and rolls nothing sealed back; resolves when all have ended. */
  endBelow(pipeline: PipelineUid, attempt: Attempt): Promise<void> {
    return this.#end(pipeline, (task) => task.order.attempt < attempt, { kind: 'superseded' })
  }

  abort(message: Abort): Promise<void> {
    const { pipeline, attempt, leaderEpoch, next, checkpoint } = message
    const event: TaskEvent = { kind: 'abort', attempt, leaderEpoch, next, checkpoint }
    return this.#end(pipeline, (task) => task.order.attempt < next, event)
  }

  stopTasks(message: Extract<LeaderMessage, { kind: 'stop-tasks' }>): Promise<void> {
    const { pipeline, attempt, leaderEpoch } = message
    const event: TaskEvent = { kind: 'stop-tasks', attempt, leaderEpoch }
    return this.#end(pipeline, (task) => task.order.attempt <= attempt, event)
  }

  async #end(
    pipeline: PipelineUid,
    which: (task: TaskLoop) => boolean,
    event: TaskEvent,
  ): Promise<void> {
    const ending = this.#of(pipeline).filter(which)
    for (const task of ending) task.tell(event)
    await Promise.all(ending.map((task) => task.ended))
  }

  /** A message for the tasks of exactly this attempt. */
  tell(pipeline: PipelineUid, attempt: Attempt, event: TaskEvent): void {
    for (const task of this.#of(pipeline)) {
      if (task.order.attempt === attempt) task.tell(event)
    }
  }

  tellAll(event: TaskEvent): void {
    for (const task of [...this.#tasks]) task.tell(event)
  }

  async endAll(): Promise<void> {
    const tasks = [...this.#tasks]
    for (const task of tasks) task.tell({ kind: 'superseded' })
    await Promise.all(tasks.map((task) => task.ended))
  }

  reports(): readonly TaskReport[] {
    return [...this.#tasks].map((task) => task.report())
  }

  stats(): readonly TaskStats[] {
    return [...this.#tasks].map((task) => task.stats())
  }

  all(): readonly TaskLoop[] {
    return [...this.#tasks]
  }

  #of(pipeline: PipelineUid): readonly TaskLoop[] {
    return [...this.#tasks].filter((task) => task.order.pipeline === pipeline)
  }
}
