import { offset, type Position, partitionKey } from '@onceflow/model'
import type { PartitionInfo } from '@onceflow/ports'
import type { PipelineMessage, Stimulus } from './event.ts'
import type { CheckpointRecord } from './record.ts'
import { type Growth, newestRecord, type Phase, type PipelineCore } from './state.ts'
import { go, note, type PipelineStep } from './step.ts'

/**
 * Partitions that appear later. Keys move between partitions when a topic grows, so a new partition
 * is read only after a committed checkpoint has passed the ends that the old ones had when it was
 * found (kafka.md, What to build 3). Each attempt inspects the source once while it runs, so that
 * growth seen by a former leader is found again.
 */
type Running = Extract<Phase, { kind: 'running' }>
type InspectedMessage = Extract<PipelineMessage, { kind: 'inspected' }>

export function onInspectedRunning(
  core: PipelineCore,
  phase: Running,
  on: { readonly stim: Stimulus; readonly message: InspectedMessage },
): PipelineStep {
  const { result } = on.message
  if (result.kind === 'failed' || core.growth !== undefined) return go(core, phase)
  const generation = core.assignment?.generation ?? core.doc.generation
  const inspected = { generation, ...result }
  const growth = growthOf(core, result.partitions)
  if (growth === undefined) return go({ ...core, inspected }, phase)
  const grown: PipelineCore = { ...core, inspected, growth }
  const newest = newestRecord(core)?.record
  // Old partitions that stand at their ends already make no checkpoint that could tell.
  const passed = newest !== undefined && passedGrowth(grown, newest)
  const stopWanted = phase.stopWanted ?? (passed ? 'growth' : undefined)
  return go(grown, { ...phase, stopWanted }, [
    note('warn', 'new partitions found; they are read when the old ones are passed', {
      partitions: growth.joining.map(partitionKey),
    }),
  ])
}

function growthOf(core: PipelineCore, partitions: readonly PartitionInfo[]): Growth | undefined {
  const positions = newestRecord(core)?.record.positions ?? []
  const added = core.assignment?.added ?? []
  const known = new Set([...positions, ...added].map(partitionKey))
  const fresh = partitions.filter((place) => !known.has(partitionKey(place)))
  if (fresh.length === 0) return undefined
  const grown = new Set(fresh.map((place) => place.topic))
  const at = (place: PartitionInfo, where: bigint): Position => ({
    topic: place.topic,
    topicId: place.topicId,
    partition: place.partition,
    offset: offset(where),
    leaderEpoch: -1,
  })
  return {
    joining: fresh.map((place) => at(place, place.earliest)),
    mustPass: partitions
      .filter((place) => grown.has(place.topic) && known.has(partitionKey(place)))
      .map((place) => at(place, place.end)),
  }
}

/** True when the new partitions may join at the next clean stop. */
export function passedGrowth(core: PipelineCore, record: CheckpointRecord): boolean {
  if (core.growth === undefined) return false
  const at = new Map(record.positions.map((place) => [partitionKey(place), place.offset]))
  return core.growth.mustPass.every((place) => {
    const reached = at.get(partitionKey(place))
    return reached !== undefined && reached >= place.offset
  })
}
