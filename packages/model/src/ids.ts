import type { Brand } from './brand.ts'
import { invariant } from './invariant.ts'

/** Made once per deployment and kept in the metadata store; part of every name that leaves it. */
export type ClusterUid = Brand<string, 'ClusterUid'>
/** Made when a pipeline is created; the user's name never stands in a gid, a key or a row. */
export type PipelineUid = Brand<string, 'PipelineUid'>
/** What the user calls a pipeline; a deleted and re-created name gets another uid. */
export type PipelineName = Brand<string, 'PipelineName'>
export type SinkName = Brand<string, 'SinkName'>
/** Stable name of a worker process, given by its configuration. */
export type WorkerId = Brand<string, 'WorkerId'>
/** Random per process start; tells a restarted worker from its predecessor. */
export type Incarnation = Brand<string, 'Incarnation'>
/** Create revision of the leader's key: the fencing token, strictly growing between leaders. */
export type LeaderEpoch = Brand<bigint, 'LeaderEpoch'>
/** Revision of the metadata store. */
export type Revision = Brand<bigint, 'Revision'>
/** One execution of a pipeline from a restored checkpoint; only grows. */
export type Attempt = Brand<bigint, 'Attempt'>
/** n of protocol.md: only grows within a pipeline, never issued twice, numbers have gaps. */
export type CheckpointNumber = Brand<bigint, 'CheckpointNumber'>
/** Next offset to read of a source partition. */
export type Offset = Brand<bigint, 'Offset'>
/** Index of a parallel instance of a pipeline, 0 and up. */
export type Subtask = Brand<number, 'Subtask'>

const uidPattern = /^[a-z0-9]{8,32}$/
const namePattern = /^[a-z][a-z0-9-]{0,62}$/

const named = (value: string, what: string): string => {
  invariant(namePattern.test(value), `${what} is lower-case letters, digits and '-': ${value}`)
  return value
}
const uid = (value: string, what: string): string => {
  invariant(uidPattern.test(value), `${what} is 8 to 32 of a-z0-9: ${value}`)
  return value
}
const natural = (value: bigint, what: string): bigint => {
  invariant(value >= 0n, `${what} is not negative: ${value}`)
  return value
}

export const clusterUid = (value: string): ClusterUid => uid(value, 'cluster uid') as ClusterUid
export const pipelineUid = (value: string): PipelineUid => uid(value, 'pipeline uid') as PipelineUid
export const pipelineName = (value: string): PipelineName =>
  named(value, 'pipeline name') as PipelineName
export const sinkName = (value: string): SinkName => named(value, 'sink name') as SinkName
export const isName = (value: string): boolean => namePattern.test(value)
export const workerId = (value: string): WorkerId => {
  invariant(value.length > 0 && value.length <= 128, 'worker id has 1 to 128 characters')
  return value as WorkerId
}
export const incarnation = (value: string): Incarnation => {
  invariant(value.length > 0 && value.length <= 64, 'incarnation has 1 to 64 characters')
  return value as Incarnation
}
export const leaderEpoch = (value: bigint): LeaderEpoch =>
  natural(value, 'leader epoch') as LeaderEpoch
export const revision = (value: bigint): Revision => natural(value, 'revision') as Revision
export const attempt = (value: bigint): Attempt => natural(value, 'attempt') as Attempt
export const checkpointNumber = (value: bigint): CheckpointNumber =>
  natural(value, 'checkpoint number') as CheckpointNumber
export const offset = (value: bigint): Offset => natural(value, 'offset') as Offset
export const subtask = (value: number): Subtask => {
  invariant(Number.isInteger(value) && value >= 0 && value < 10_000, 'subtask is 0 to 9999')
  return value as Subtask
}
