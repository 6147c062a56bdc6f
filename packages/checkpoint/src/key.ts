import type { CheckpointNumber, PipelineName, PipelineUid } from '@onceflow/model'

/**
 * Names of everything in the metadata store, below the cluster's prefix. Checkpoint numbers are
 * padded so that key order is number order.
 */
export const metaKey = 'meta'
export const leaderKey = 'leader'
export const pipelinesPrefix = 'pipelines/'
export const namesPrefix = 'names/'

export const nameKey = (name: PipelineName): string => `names/${name}`
export const idsKey = (pipeline: PipelineUid): string => `ids/${pipeline}`
export const pipelinePrefix = (pipeline: PipelineUid): string => `pipelines/${pipeline}/`
export const docKey = (pipeline: PipelineUid): string => `pipelines/${pipeline}/spec`
export const attemptKey = (pipeline: PipelineUid): string => `pipelines/${pipeline}/attempt`
export const assignmentKey = (pipeline: PipelineUid): string => `pipelines/${pipeline}/assignment`
export const resolvedKey = (pipeline: PipelineUid): string => `pipelines/${pipeline}/resolved`
export const statusKey = (pipeline: PipelineUid): string => `pipelines/${pipeline}/status`
export const retiredKey = (pipeline: PipelineUid): string => `pipelines/${pipeline}/retired`
export const recordsPrefix = (pipeline: PipelineUid): string => `pipelines/${pipeline}/checkpoints/`
export const recordKey = (pipeline: PipelineUid, checkpoint: CheckpointNumber): string =>
  recordsPrefix(pipeline) + padded(checkpoint)
export const historyPrefix = (pipeline: PipelineUid): string => `history/${pipeline}/`
/** A block is named by the lowest checkpoint number in it. */
export const historyKey = (pipeline: PipelineUid, lowest: CheckpointNumber): string =>
  historyPrefix(pipeline) + padded(lowest)

const padded = (checkpoint: CheckpointNumber): string => checkpoint.toString().padStart(19, '0')
