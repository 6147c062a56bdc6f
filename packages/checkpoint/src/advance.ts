import {
  attempt,
  type CheckpointNumber,
  type Failure,
  failure,
  type PipelineSpec,
  type Position,
  partitionKey,
  type SourcePartition,
} from '@onceflow/model'
import { assignTasks, isUnbalanced, type PlacementWorker } from '@onceflow/placement'
import type { PipelineEffect, Stimulus } from './event.ts'
import { passedGrowth } from './growth.ts'
import type { CheckpointRecord } from './record.ts'
import { newestRecord, type PipelineCore, type WorkerKey } from './state.ts'
import {
  go,
  note,
  type PipelineStep,
  pendingOf,
  preceded,
  send,
  stampOf,
  termOf,
  txn,
} from './step.ts'
import type { AssignedTask, AssignmentDoc, Goal, StatusDoc } from './stored.ts'
import { attemptTxn, goneTxn } from './txn.ts'

/**
 * What comes next when nothing of the pipeline is under way: the one place that reads what the
 * operator wants. Order matters: deletion before status, status before pause, an old spec is
 * settled before a new one runs.
 */
export function advance(core: PipelineCore, stim: Stimulus): PipelineStep {
  const { doc } = core
  if (doc.desired === 'gone') return go(core, { kind: 'gone' }, [{ kind: 'sweep' }])
  if (doc.desired === 'deleted') {
    return isSettled(core) ? storeGone(core, stim) : attemptOf(core, stim, settling(core))
  }
  if (core.status !== undefined) {
    return isSettled(core)
      ? go(core, { kind: 'parked', reason: 'stopped' })
      : attemptOf(core, stim, { ...settling(core), stops: unstored(core) })
  }
  if (doc.desired === 'paused') {
    return isSettled(core)
      ? go(core, { kind: 'parked', reason: 'paused' })
      : attemptOf(core, stim, settling(core))
  }
  const ran = core.assignment
  if (ran !== undefined && ran.generation !== doc.generation && !isSettled(core)) {
    return attemptOf(core, stim, settling(core))
  }
  if (mustInspect(core)) return inspect(core, stim)
  return attemptOf(core, stim, { goal: 'run', spec: doc.spec, generation: doc.generation })
}

/** Stored once only: a resume that comes meanwhile must not be undone by the status it removed. */
const unstored = (core: PipelineCore): StatusDoc | undefined =>
  core.statusStored === 'no' ? core.status : undefined

/** Nothing of any attempt can be left prepared: none ran, or RESOLVE came after the last one. */
export function isSettled(core: PipelineCore): boolean {
  const ran = core.assignment
  if (ran === undefined) return true
  return ran.goal === 'settle' && core.resolved?.attempt === core.attempt.attempt
}

/** The sinks that the last attempt used are settled under the spec that it ran with. */
const settling = (core: PipelineCore): Plan => ({
  goal: 'settle',
  spec: core.assignment?.spec ?? core.doc.spec,
  generation: core.assignment?.generation ?? core.doc.generation,
})

const mustInspect = (core: PipelineCore): boolean =>
  core.inspected?.generation !== core.doc.generation &&
  (newestRecord(core) === undefined || core.assignment?.generation !== core.doc.generation)

export const activeWorkers = (core: PipelineCore) =>
  core.workers.filter((worker) => worker.state === 'active')

/** The worker with the least to do; `not` is asked only when there is no other. */
export function pickWorker(core: PipelineCore, not: WorkerKey | undefined): WorkerKey | undefined {
  const sorted = [...activeWorkers(core)].sort((a, b) => a.load - b.load)
  return (sorted.find((worker) => worker.key !== not) ?? sorted[0])?.key
}

function inspect(core: PipelineCore, stim: Stimulus): PipelineStep {
  const held = heldBack(core, stim)
  if (held !== undefined) return held
  const worker = pickWorker(core, undefined)
  if (worker === undefined) return go(core, { kind: 'waiting', reason: 'workers' })
  const untilMs = stim.nowMs + core.settings.orderMs
  return go(core, { kind: 'inspecting', worker, untilMs, generation: core.doc.generation }, [
    send(worker, { kind: 'inspect', ...stampOf(core), spec: core.doc.spec }),
  ])
}

function heldBack(core: PipelineCore, stim: Stimulus): PipelineStep | undefined {
  return stim.nowMs < core.restarts.notBeforeMs
    ? go(core, { kind: 'waiting', reason: 'back-off' })
    : undefined
}

interface Plan {
  readonly goal: Goal
  readonly spec: PipelineSpec
  readonly generation: number
  readonly stops?: StatusDoc | undefined
}

/** R3, R4: stores attempt a+1 with its assignment; waits when there is no worker for it. */
function attemptOf(core: PipelineCore, stim: Stimulus, plan: Plan): PipelineStep {
  const held = heldBack(core, stim)
  if (held !== undefined) return held
  const next = attempt(core.attempt.attempt + 1n)
  const tasks = plan.goal === 'run' ? assigned(core, plan.spec) : []
  if (activeWorkers(core).length === 0 || (plan.goal === 'run' && tasks.length === 0)) {
    return go(core, { kind: 'waiting', reason: 'workers' })
  }
  const assignment: AssignmentDoc = {
    attempt: next,
    goal: plan.goal,
    generation: plan.generation,
    spec: plan.spec,
    tasks,
    added: addedPositions(core),
  }
  const doc = { attempt: next, unique: stim.token }
  const completes: readonly CheckpointRecord[] =
    core.confirmed === undefined ? [] : [core.confirmed]
  const request = attemptTxn(termOf(core), {
    attempt: doc,
    assignment,
    givesUp: core.givenUp,
    completes,
    stops: plan.stops,
  })
  return go(
    core,
    {
      kind: 'storing-attempt',
      pending: pendingOf(request, stim.token),
      attempt: doc,
      assignment,
      givesUp: core.givenUp,
      completes,
      stops: plan.stops,
      holders: holders(core),
    },
    [txn(request), note('info', 'storing attempt', { attempt: next, goal: plan.goal })],
  )
}

/** Workers that may still run tasks of the attempt that ends. */
function holders(core: PipelineCore): readonly WorkerKey[] {
  const named = new Set(core.assignment?.tasks.map((task) => task.worker))
  return core.workers.filter((worker) => named.has(worker.key)).map((worker) => worker.key)
}

const places = (core: PipelineCore): PlacementWorker[] =>
  activeWorkers(core).map((worker) => ({ key: worker.key, load: worker.load }))

function assigned(core: PipelineCore, spec: PipelineSpec): readonly AssignedTask[] {
  return assignTasks({
    partitions: partitionsOf(core, spec),
    together: topicsTogether(core, spec),
    parallelism: spec.parallelism,
    workers: places(core),
    current: core.assignment?.tasks ?? [],
  })
}

/** True when a worker joined or drains and moving tasks is worth a pause. */
export function wantsRebalance(core: PipelineCore): boolean {
  const tasks = core.assignment?.tasks ?? []
  const draining = core.workers.some(
    (worker) => worker.state === 'draining' && tasks.some((task) => task.worker === worker.key),
  )
  return draining || isUnbalanced(tasks, places(core))
}

/**
 * Topics that a table with tasks: one keeps in one task. A topic is taken for a table's when it
 * ends in `.schema.table`, which is how the connectors name topics.
 */
function topicsTogether(core: PipelineCore, spec: PipelineSpec): ReadonlySet<string> {
  const endings = spec.tables
    .filter((table) => table.tasks === 'one')
    .map(({ source }) => (source.schema === '' ? source.table : `${source.schema}.${source.table}`))
  const topics = partitionsOf(core, spec).map((place) => place.topic)
  return new Set(
    topics.filter((topic) =>
      endings.some((ending) => topic === ending || topic.endsWith(`.${ending}`)),
    ),
  )
}

/**
 * Partitions that are read: those of the newest record, of `added`, or as inspected. A topic that
 * the spec selects no longer keeps its positions, but is given to no task.
 */
function partitionsOf(core: PipelineCore, spec: PipelineSpec): readonly SourcePartition[] {
  return startPositions(core)
    .filter(({ topic }) => isSelected(spec, topic))
    .map(({ topic, topicId, partition }) => ({ topic, topicId, partition }))
}

function isSelected({ source: { topics } }: PipelineSpec, topic: string): boolean {
  return topics.kind === 'list'
    ? topics.topics.includes(topic)
    : new RegExp(`^(?:${topics.pattern})$`, 'u').test(topic)
}

/** Where an attempt starts to read: the newest record, and what joined after it. */
export function startPositions(core: PipelineCore): readonly Position[] {
  const record = newestRecord(core)?.record
  const base = record?.positions ?? inspectedStart(core)
  const known = new Set(base.map(partitionKey))
  const joined = addedPositions(core).filter((place) => !known.has(partitionKey(place)))
  return [...base, ...joined]
}

function addedPositions(core: PipelineCore): readonly Position[] {
  const inRecord = new Set(newestRecord(core)?.record.positions.map(partitionKey))
  const before = core.assignment?.added ?? []
  const growing = core.growth !== undefined && joins(core) ? core.growth.joining : []
  const added = new Map<string, Position>()
  for (const place of [...before, ...growing, ...newTopics(core)]) {
    const key = partitionKey(place)
    if (!inRecord.has(key) && !added.has(key)) added.set(key, place)
  }
  return [...added.values()]
}

/** Topics that a new spec selects: with no partition before them, they join at once. */
function newTopics(core: PipelineCore): readonly Position[] {
  const record = newestRecord(core)?.record
  if (record === undefined) return []
  const known = new Set([...record.positions, ...(core.assignment?.added ?? [])].map(topicOf))
  return inspectedStart(core).filter((place) => !known.has(place.topic))
}

const topicOf = (place: SourcePartition): string => place.topic

/** New partitions join only an attempt that starts from a record past the old ones' ends. */
function joins(core: PipelineCore): boolean {
  const record = newestRecord(core)?.record
  return record !== undefined && passedGrowth(core, record)
}

const inspectedStart = (core: PipelineCore): readonly Position[] =>
  (core.inspected?.partitions ?? []).map((place) => ({
    topic: place.topic,
    topicId: place.topicId,
    partition: place.partition,
    offset: place.start as Position['offset'],
    leaderEpoch: -1,
  }))

function storeGone(core: PipelineCore, stim: Stimulus): PipelineStep {
  const request = goneTxn(termOf(core), core.doc)
  return go(core, { kind: 'storing-gone', pending: pendingOf(request, stim.token) }, [txn(request)])
}

/**
 * The running attempt is over: a new one, after a back-off that grows with failures in a row. A
 * fatal failure, or one too many, stops the pipeline: its last RESOLVE is done, then it is parked.
 */
export function giveUp(
  core: PipelineCore,
  stim: Stimulus,
  cause: { readonly failure: Failure; readonly givesUp?: CheckpointNumber | undefined },
): PipelineStep {
  const consecutive = core.restarts.consecutive + 1
  const final = finalFailure(core, cause.failure, consecutive)
  const pauseMs = backOffMs(core, consecutive, cause.failure)
  const after: PipelineCore = {
    ...core,
    givenUp: cause.givesUp ?? core.givenUp,
    restarts: {
      consecutive,
      notBeforeMs: final === undefined ? stim.nowMs + pauseMs : 0,
      last: cause.failure,
    },
  }
  const effects: PipelineEffect[] = [
    { kind: 'recovery-started', cause: cause.failure },
    note('warn', 'attempt given up', {
      code: cause.failure.code,
      detail: cause.failure.detail,
      consecutive,
    }),
  ]
  if (final === undefined) return preceded(effects, advance(after, stim))
  const stops: StatusDoc = { failure: final, atMs: stim.wallMs }
  const plan = { ...settling(after), stops }
  return preceded(effects, attemptOf({ ...after, status: stops, statusStored: 'no' }, stim, plan))
}

/** Failures of the outside world are waited for; the others count towards the bound. */
const worldly = new Set<Failure['code']>([
  'SINK_UNREACHABLE',
  'SOURCE_UNREACHABLE',
  'SINK_LIMIT',
  'WORKER_LOST',
  'METADATA_UNREACHABLE',
])

function finalFailure(
  core: PipelineCore,
  cause: Failure,
  consecutive: number,
): Failure | undefined {
  if (cause.class === 'fatal') return cause
  if (worldly.has(cause.code) || consecutive <= core.settings.restartsMax) return undefined
  return failure('RESTARTS_EXHAUSTED', {
    detail: `${consecutive} failures in a row, the last one ${cause.code}: ${cause.detail}`,
    ...(cause.position === undefined ? {} : { position: cause.position }),
  })
}

function backOffMs(core: PipelineCore, consecutive: number, cause: Failure): number {
  if (cause.code === 'WORKER_LOST' || consecutive === 1) return 0
  const { backOffMinMs, backOffMaxMs } = core.settings
  return Math.min(backOffMinMs * 2 ** Math.min(consecutive - 2, 20), backOffMaxMs)
}
