import {
  type CheckpointNumber,
  type Failure,
  failure,
  type Position,
  partitionKey,
} from '@onceflow/model'
import type { Handle } from '@onceflow/ports'
import { startPositions } from './advance.ts'
import type { Stimulus } from './event.ts'
import { type CheckpointRecord, headsAfter } from './record.ts'
import { type CheckpointPhase, newestRecord, type PipelineCore } from './state.ts'

/** What P6 stores: made from the seals of all tasks and from the record before. */
type In<K extends CheckpointPhase['kind']> = Extract<CheckpointPhase, { readonly kind: K }>

export function recordOf(
  core: PipelineCore,
  checkpoint: In<'sealing'>,
  stim: Stimulus,
): CheckpointRecord {
  const messages = [...checkpoint.sealed.values()]
  const handles: readonly Handle[] = messages.flatMap((message) => message.handles)
  const before = newestRecord(core)?.record
  const number: CheckpointNumber = checkpoint.checkpoint
  const sum = (pick: (message: (typeof messages)[number]) => number): number =>
    messages.reduce((total, message) => total + pick(message), 0)
  return {
    checkpoint: number,
    attempt: core.attempt.attempt,
    leaderEpoch: core.leaderEpoch,
    unique: stim.token,
    kind: 'normal',
    state: 'committed',
    positions: positionsAfter(core, checkpoint),
    handles: handles.filter((handle) => handle.kind === 'sealed'),
    contexts: messages.flatMap((message) => message.contexts),
    heads: headsAfter(before?.heads ?? [], handles, {
      checkpoint: number,
      attempt: core.attempt.attempt,
    }),
    joined: joinedOf(before?.joined ?? [], core.assignment?.added ?? []),
    figures: {
      decidedAtMs: stim.wallMs,
      records: sum((message) => message.records),
      rows: sum((message) => message.rows),
      sealMs: stim.nowMs - checkpoint.injectedMs,
      decideMs: 0,
      commitMs: 0,
    },
  }
}

/** Every partition that was ever read stands in every record, sealed by a task or not. */
function positionsAfter(core: PipelineCore, checkpoint: In<'sealing'>): readonly Position[] {
  const sealed = [...checkpoint.sealed.values()].flatMap((message) => message.positions)
  const named = new Set(sealed.map(partitionKey))
  const before = newestRecord(core)?.record.positions ?? []
  return [...sealed, ...before.filter((place) => !named.has(partitionKey(place)))]
}

/** I9: a seal below the position of the record before is a defect, and is never decided. */
export function positionGoingBack(
  core: PipelineCore,
  checkpoint: In<'sealing'>,
): Failure | undefined {
  const before = new Map(startPositions(core).map((place) => [partitionKey(place), place]))
  for (const message of checkpoint.sealed.values()) {
    for (const place of message.positions) {
      const start = before.get(partitionKey(place))
      if (start === undefined || place.offset >= start.offset) continue
      const name = partitionKey(place)
      const detail = `task ${message.subtask} sealed ${name} at ${place.offset}, which is below`
      return failure('UNEXPECTED', { detail: `${detail} the stored position ${start.offset}` })
    }
  }
  return undefined
}

function joinedOf(before: readonly Position[], added: readonly Position[]): readonly Position[] {
  const known = new Set(before.map(partitionKey))
  return [...before, ...added.filter((place) => !known.has(partitionKey(place)))]
}

export function completedRecord(checkpoint: In<'committing'>, stim: Stimulus): CheckpointRecord {
  const { record } = checkpoint
  const commitMs = stim.nowMs - checkpoint.decidedMs
  const decideMs = checkpoint.decidedMs - checkpoint.injectedMs - record.figures.sealMs
  return { ...record, state: 'completed', figures: { ...record.figures, decideMs, commitMs } }
}
