import {
  type Attempt,
  attempt,
  type CheckpointNumber,
  checkpointNumber,
  type Failure,
  fail,
  offset,
  type PipelineName,
  type PipelineSpec,
  type PipelineUid,
  type Position,
  pipelineName,
  pipelineUid,
  type SinkName,
  type SourcePartition,
  type Subtask,
  sinkName,
  subtask,
} from '@onceflow/model'
import type { CheckpointFigures } from './record.ts'

/** Everything in the metadata store but checkpoint records. Each value carries a version. */
const version = 1

/** What the operator wants; written by the admin API. `gone`: deleted, its keys being swept. */
export interface PipelineDoc {
  readonly uid: PipelineUid
  readonly name: PipelineName
  readonly spec: PipelineSpec
  readonly desired: 'running' | 'paused' | 'deleted' | 'gone'
  /** Grows with every change of the spec. */
  readonly generation: number
  readonly createdAtMs: number
}

export interface AttemptDoc {
  readonly attempt: Attempt
  readonly unique: string
}

export interface AssignedTask {
  readonly subtask: Subtask
  readonly worker: string
  readonly partitions: readonly SourcePartition[]
}

/** run: tasks are started after RESOLVE. settle: RESOLVE only (deletion, change of spec, stop). */
export type Goal = 'run' | 'settle'

/** Stored in the Txn that stores its attempt: one owner for each partition at every revision. */
export interface AssignmentDoc {
  readonly attempt: Attempt
  readonly goal: Goal
  readonly generation: number
  readonly spec: PipelineSpec
  readonly tasks: readonly AssignedTask[]
  /** Partitions that joined and stand in no record yet, with the position they start from. */
  readonly added: readonly Position[]
}

/** Written when RESOLVE of an attempt is done. */
export interface ResolvedDoc {
  readonly attempt: Attempt
  /** One more than the greatest subtask number ever used. */
  readonly subtasks: number
  readonly sinks: readonly SinkName[]
}

/** Present while the pipeline is stopped by a failure; removed by resume. */
export interface StatusDoc {
  readonly failure: Failure
  readonly atMs: number
}

/** One line of history, kept for 1,000 checkpoints and more. */
export interface CheckpointSummary {
  readonly checkpoint: CheckpointNumber
  readonly attempt: Attempt
  readonly state: string
  readonly figures: CheckpointFigures
}

const write = (value: object): string =>
  JSON.stringify({ v: version, ...value }, (_key, item: unknown) =>
    typeof item === 'bigint' ? item.toString() : item,
  )

function read(text: string, what: string): Record<string, unknown> {
  const json = JSON.parse(text) as Record<string, unknown>
  if (json['v'] !== version) {
    fail('METADATA_FORMAT', { detail: `${what} has version ${String(json['v'])}` })
  }
  return json
}

export const encodeDoc = (doc: PipelineDoc): string => write(doc)
export function decodeDoc(text: string): PipelineDoc {
  const json = read(text, 'a pipeline') as unknown as PipelineDoc
  return {
    uid: pipelineUid(json.uid),
    name: pipelineName(json.name),
    spec: json.spec,
    desired: json.desired,
    generation: json.generation,
    createdAtMs: json.createdAtMs,
  }
}

export const encodeAttempt = (doc: AttemptDoc): string => write(doc)
export function decodeAttempt(text: string): AttemptDoc {
  const json = read(text, 'an attempt')
  return { attempt: attempt(BigInt(String(json['attempt']))), unique: String(json['unique']) }
}

export const encodeAssignment = (doc: AssignmentDoc): string => write(doc)
export function decodeAssignment(text: string): AssignmentDoc {
  const json = read(text, 'an assignment') as unknown as AssignmentDoc
  return {
    attempt: attempt(BigInt(json.attempt)),
    goal: json.goal,
    generation: json.generation,
    spec: json.spec,
    tasks: json.tasks.map((task) => ({ ...task, subtask: subtask(task.subtask) })),
    added: json.added.map((place) => ({ ...place, offset: offset(BigInt(place.offset)) })),
  }
}

export const encodeResolved = (doc: ResolvedDoc): string => write(doc)
export function decodeResolved(text: string): ResolvedDoc {
  const json = read(text, 'a resolved mark') as unknown as ResolvedDoc
  return {
    attempt: attempt(BigInt(json.attempt)),
    subtasks: json.subtasks,
    sinks: json.sinks.map((name) => sinkName(name)),
  }
}

export const encodeStatus = (doc: StatusDoc): string => write(doc)
export function decodeStatus(text: string): StatusDoc {
  const json = read(text, 'a status') as unknown as StatusDoc
  const place = json.failure.position
  if (place === undefined) return { failure: json.failure, atMs: json.atMs }
  const position = { ...place, offset: BigInt(place.offset) }
  return { failure: { ...json.failure, position }, atMs: json.atMs }
}

export const encodeRetired = (mark: CheckpointNumber): string => write({ mark })
export const decodeRetired = (text: string): CheckpointNumber =>
  checkpointNumber(BigInt(String(read(text, 'a retire mark')['mark'])))

export const encodeIds = (next: bigint): string => write({ next })
export const decodeIds = (text: string): bigint =>
  BigInt(String(read(text, 'a block of ids')['next']))

export const encodeHistory = (block: readonly CheckpointSummary[]): string => write({ block })
export function decodeHistory(text: string): readonly CheckpointSummary[] {
  const block = read(text, 'a block of history')['block'] as CheckpointSummary[]
  return block.map((line) => ({
    ...line,
    checkpoint: checkpointNumber(BigInt(line.checkpoint)),
    attempt: attempt(BigInt(line.attempt)),
  }))
}
