import { type SourcePartition, type Subtask, subtask } from '@onceflow/model'

/** Which partitions a task reads and which worker runs it; workers are named by their key. */
export interface PlacedTask {
  readonly subtask: Subtask
  readonly worker: string
  readonly partitions: readonly SourcePartition[]
}

export interface PlacementWorker {
  readonly key: string
  /** Tasks of all pipelines that it runs already, those of this pipeline left out. */
  readonly load: number
}

export interface PlacementRequest {
  readonly partitions: readonly SourcePartition[]
  /** Topics whose partitions must stay in one task (tables with tasks: one). */
  readonly together: ReadonlySet<string>
  /** Tasks wanted; undefined: min(units, defaultTasksMax). */
  readonly parallelism: number | undefined
  readonly workers: readonly PlacementWorker[]
  /** Where tasks run now: a task stays where it is when that keeps the balance. */
  readonly current: readonly PlacedTask[]
}

export const defaultTasksMax = 8

/**
 * Partitions to tasks, tasks to workers. Deterministic: the same request gives the same answer.
 * Every partition has exactly one task and every task exactly one worker (I16); a task without
 * partitions is not made. Empty when there is no partition or no worker.
 */
export function assignTasks(request: PlacementRequest): readonly PlacedTask[] {
  if (request.workers.length === 0) return []
  const groups = groupPartitions(request)
  return placeOnWorkers(groups, request)
}

/** Units (a partition, or all partitions of a topic that stays together) dealt out in turn. */
function groupPartitions(request: PlacementRequest): readonly SourcePartition[][] {
  const units = new Map<string, SourcePartition[]>()
  for (const place of [...request.partitions].sort(byPlace)) {
    const name = request.together.has(place.topic)
      ? place.topic
      : `${place.topic}/${place.partition}`
    const unit = units.get(name)
    if (unit === undefined) units.set(name, [place])
    else unit.push(place)
  }
  const wanted = request.parallelism ?? defaultTasksMax
  const count = Math.min(units.size, Math.max(1, wanted))
  const groups: SourcePartition[][] = Array.from({ length: count }, () => [])
  let next = 0
  for (const unit of units.values()) {
    groups[next % count]?.push(...unit)
    next += 1
  }
  return groups
}

function placeOnWorkers(
  groups: readonly SourcePartition[][],
  request: PlacementRequest,
): readonly PlacedTask[] {
  const workers = [...request.workers].sort((a, b) => (a.key < b.key ? -1 : 1))
  // Every worker has `floor` tasks, and `spare` of them one more: what stays is counted so too.
  const floor = Math.floor(groups.length / workers.length)
  let spare = groups.length % workers.length
  const taken = new Map(workers.map((worker) => [worker.key, 0]))
  const before = new Map(request.current.map((task) => [task.subtask, task.worker]))
  const places = new Map<number, string>()
  groups.forEach((_group, index) => {
    const worker = before.get(subtask(index))
    const count = worker === undefined ? undefined : taken.get(worker)
    if (worker === undefined || count === undefined || count > floor) return
    if (count === floor && spare === 0) return
    if (count === floor) spare -= 1
    taken.set(worker, count + 1)
    places.set(index, worker)
  })
  return groups.map((partitions, index) => {
    const worker = places.get(index) ?? leastLoaded(workers, taken)
    if (!places.has(index)) taken.set(worker, (taken.get(worker) ?? 0) + 1)
    return { subtask: subtask(index), worker, partitions }
  })
}

function leastLoaded(
  workers: readonly PlacementWorker[],
  taken: ReadonlyMap<string, number>,
): string {
  let best: PlacementWorker | undefined
  for (const worker of workers) {
    if (best === undefined || weight(worker, taken) < weight(best, taken)) best = worker
  }
  return best?.key ?? ''
}

const weight = (worker: PlacementWorker, taken: ReadonlyMap<string, number>): number =>
  (taken.get(worker.key) ?? 0) * 1_000 + worker.load

/**
 * Whether moving tasks is worth a new attempt: a worker that should give its tasks away, or one
 * that has at least two tasks fewer than another.
 */
export function isUnbalanced(
  tasks: readonly PlacedTask[],
  workers: readonly PlacementWorker[],
): boolean {
  const counts = new Map(workers.map((worker) => [worker.key, 0]))
  for (const task of tasks) {
    const count = counts.get(task.worker)
    if (count === undefined) return workers.length > 0
    counts.set(task.worker, count + 1)
  }
  const values = [...counts.values()]
  return Math.max(0, ...values) - Math.min(...values, Number.POSITIVE_INFINITY) >= 2
}

const byPlace = (a: SourcePartition, b: SourcePartition): number =>
  a.topic === b.topic ? a.partition - b.partition : a.topic < b.topic ? -1 : 1
