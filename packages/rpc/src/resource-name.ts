import {
  type CheckpointNumber,
  checkpointNumber,
  isName,
  type PipelineName,
  pipelineName,
  type WorkerId,
  workerId,
} from '@onceflow/model'
import { refuse } from './wire-values.ts'

export const pipelinePath = (name: PipelineName): string => `pipelines/${name}`
export const checkpointPath = (name: PipelineName, checkpoint: CheckpointNumber): string =>
  `pipelines/${name}/checkpoints/${checkpoint}`
export const transactionPath = (name: PipelineName, id: string): string =>
  `pipelines/${name}/transactions/${id}`
export const workerPath = (worker: WorkerId): string => `workers/${worker}`

/** The name in `pipelines/{name}`. */
export function pipelineOfPath(path: string, field: string): PipelineName {
  const name = /^pipelines\/([^/]+)$/.exec(path)?.[1] ?? ''
  if (!isName(name)) return refuse(field, `${field} must be pipelines/{name}`)
  return pipelineName(name)
}

/** The pipeline of a parent, or undefined for `pipelines/-`: all of them. */
export const pipelinesOfParent = (parent: string): PipelineName | undefined =>
  parent === 'pipelines/-' ? undefined : pipelineOfPath(parent, 'parent')

export interface CheckpointPath {
  readonly pipeline: PipelineName
  readonly checkpoint: CheckpointNumber
}

export function checkpointOfPath(path: string): CheckpointPath {
  const match = /^(pipelines\/[^/]+)\/checkpoints\/(\d{1,19})$/.exec(path)
  if (match?.[1] === undefined || match[2] === undefined) {
    return refuse('name', 'name must be pipelines/{name}/checkpoints/{number}')
  }
  return {
    pipeline: pipelineOfPath(match[1], 'name'),
    checkpoint: checkpointNumber(BigInt(match[2])),
  }
}

export function workerOfPath(path: string): WorkerId {
  const id = /^workers\/(.{1,128})$/.exec(path)?.[1]
  return id === undefined ? refuse('name', 'name must be workers/{id}') : workerId(id)
}
