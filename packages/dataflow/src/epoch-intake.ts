// How records come in and where an epoch is cut. A batch is with the sinks or it is not: the cut
// lies between two batches, so its positions are exactly what the sinks hold.

import { invariant, type Position, partitionKey } from '@onceflow/model'
import type { RecordBatch } from '@onceflow/ports'
import { sendWanted } from './task-message.ts'
import type {
  BarrierReason,
  OpenEpoch,
  Step,
  TaskEffect,
  TaskEvent,
  TaskFlow,
  TaskState,
} from './task-state.ts'

export type Flowing = Extract<TaskState, { kind: 'running' | 'stopped' }>
type Event<Kind extends TaskEvent['kind']> = Extract<TaskEvent, { kind: Kind }>

export function emptyEpoch(from: readonly Position[]): OpenEpoch {
  return { from, records: 0, bytes: 0, newestMs: 0, room: 'free', asked: 'nothing' }
}

/** Batches were read: they wait until the sinks take them, one after the other. */
export function takeIn(state: Flowing, batches: readonly RecordBatch[]): Flowing {
  const waiting = state.queue.slice(state.queueHead)
  return { ...state, polling: 'no', queue: [...waiting, ...batches], queueHead: 0 }
}

/** Every sink has the batch: it belongs to the open epoch, and the positions move past it. */
export function takeOver(state: Flowing, event: Event<'invoked'>): Step & { state: Flowing } {
  const batch = state.invoking
  invariant(batch !== undefined, 'a batch is taken only after it was handed over')
  const { open } = state
  const next: Flowing = {
    ...state,
    invoking: undefined,
    positions: moved(state.positions, batch.next),
    open: {
      from: open.from,
      records: open.records + batch.records.length,
      bytes: open.bytes + batch.bytes,
      newestMs: Math.max(open.newestMs, event.newestMs),
      room: event.result === 'full' ? 'full' : open.room,
      asked: open.asked,
    },
  }
  return asked(next)
}

/** A barrier that is on its way already makes the room, or the cut, that would be asked for. */
function asked(state: Flowing): Step & { state: Flowing } {
  const { open } = state
  const reason = reasonOf(open)
  if (reason === undefined || state.pending !== undefined || state.kind === 'stopped') {
    return { state, effects: [] }
  }
  if (open.asked === 'full' || open.asked === reason) return { state, effects: [] }
  const next: Flowing = { ...state, open: { ...open, asked: reason } }
  return { state: next, effects: [sendWanted(next, reason)] }
}

export function reasonOf(open: OpenEpoch): BarrierReason | undefined {
  if (open.room === 'full') return 'full'
  return open.records > 0 ? 'data' : undefined
}

function moved(positions: readonly Position[], to: Position): readonly Position[] {
  const key = partitionKey(to)
  return positions.map((position) => {
    if (partitionKey(position) !== key) return position
    invariant(to.offset >= position.offset, `the position of ${key} goes back to ${to.offset}`)
    return to
  })
}

/** Cuts when a barrier waits and may be obeyed, then asks for whatever the sinks can take. */
export function goOn(state: Flowing): Step {
  const { pending } = state
  if (pending === undefined || state.previous.kind !== 'none' || state.invoking !== undefined) {
    return readOn(state, [])
  }
  const { open, positions } = state
  const { checkpoint, stop } = pending
  const { from, records, newestMs } = open
  const cut = { checkpoint, from, to: positions, records, newestMs }
  const next: TaskFlow = {
    ...state,
    pending: undefined,
    previous: { kind: 'sealing', cut },
    open: emptyEpoch(positions),
  }
  const seal: TaskEffect = { kind: 'seal', cut }
  return readOn({ ...next, kind: stop === 'yes' ? 'stopped' : 'running' }, [seal])
}

function readOn(state: Flowing, effects: readonly TaskEffect[]): Step {
  const takes = state.kind === 'running' && state.open.room === 'free'
  if (!takes || state.invoking !== undefined) return { state, effects }
  const batch = state.queue[state.queueHead]
  if (batch !== undefined) {
    const next: Flowing = { ...state, invoking: batch, queueHead: state.queueHead + 1 }
    return { state: next, effects: [...effects, { kind: 'invoke', batch }] }
  }
  if (state.polling === 'yes') return { state, effects }
  const next: Flowing = { ...state, polling: 'yes', queue: [], queueHead: 0 }
  return { state: next, effects: [...effects, { kind: 'poll' }] }
}
