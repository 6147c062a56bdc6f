import {
  type Attempt,
  attempt,
  type CheckpointNumber,
  checkpointNumber,
  fail,
  invariant,
  type Json,
  type LeaderEpoch,
  type LedgerHead,
  leaderEpoch,
  offset,
  type Position,
  type Revision,
  sinkName,
  subtask,
} from '@onceflow/model'
import type { Handle, SinkContextState } from '@onceflow/ports'

/**
 * committed: decided, commits may be under way. completed: every task confirmed. lost: a handle is
 * proved gone (DATA_LOSS). undone: a rewind took it back; never driven again.
 */
export type RecordState = 'committed' | 'completed' | 'lost' | 'undone'

/** The decision of one checkpoint (P6): the only commit point. */
export interface CheckpointRecord {
  readonly checkpoint: CheckpointNumber
  readonly attempt: Attempt
  readonly leaderEpoch: LeaderEpoch
  /** Ours alone: found again after an unknown outcome it proves that the Txn was stored (R2). */
  readonly unique: string
  readonly kind: 'initial' | 'normal' | 'rewind'
  readonly state: RecordState
  readonly positions: readonly Position[]
  readonly handles: readonly Handle[]
  readonly contexts: readonly SinkContextState[]
  /** Newest non-empty ledger row of every (sink, subtask) ever used, this checkpoint included. */
  readonly heads: readonly LedgerHead[]
  /** Where each partition joined the pipeline: the floor of a rewind (R11). */
  readonly joined: readonly Position[]
  readonly figures: CheckpointFigures
}

/** For people: durations in milliseconds, wall time of the decision. */
export interface CheckpointFigures {
  readonly decidedAtMs: number
  readonly records: number
  readonly rows: number
  readonly sealMs: number
  readonly decideMs: number
  readonly commitMs: number
}

/** A record together with the revision that first stored it (the permit's decision revision). */
export interface StoredRecord {
  readonly record: CheckpointRecord
  readonly revision: Revision
  /** When this leader stored or read it, on its own monotonic clock; retention counts from here. */
  readonly seenMs: number
}

const version = 1
/** Above this a record would have to be chunked, which no pipeline so far needs. */
export const recordBytesMax = 1_000_000

type CompactPosition = [string, string, number, string, number]
type CompactHead = [string, number, string, string]

const positionOut = (p: Position): CompactPosition => [
  p.topic,
  p.topicId,
  p.partition,
  p.offset.toString(),
  p.leaderEpoch,
]
const positionIn = (p: CompactPosition): Position => ({
  topic: p[0],
  topicId: p[1],
  partition: p[2],
  offset: offset(BigInt(p[3])),
  leaderEpoch: p[4],
})
const headOut = (h: LedgerHead): CompactHead => [
  h.sink,
  h.subtask,
  h.checkpoint.toString(),
  h.attempt.toString(),
]
const headIn = (h: CompactHead): LedgerHead => ({
  sink: sinkName(h[0]),
  subtask: subtask(h[1]),
  checkpoint: checkpointNumber(BigInt(h[2])),
  attempt: attempt(BigInt(h[3])),
})

interface RecordJson {
  v: number
  n: string
  a: string
  e: string
  u: string
  kind: CheckpointRecord['kind']
  state: RecordState
  positions: CompactPosition[]
  handles: { sink: string; subtask: number; kind: Handle['kind']; v: number; data: Json }[]
  contexts: { sink: string; subtask: number; v: number; data: Json }[]
  heads: CompactHead[]
  joined: CompactPosition[]
  figures: CheckpointFigures
}

export function encodeRecord(record: CheckpointRecord): string {
  const json: RecordJson = {
    v: version,
    n: record.checkpoint.toString(),
    a: record.attempt.toString(),
    e: record.leaderEpoch.toString(),
    u: record.unique,
    kind: record.kind,
    state: record.state,
    positions: record.positions.map(positionOut),
    handles: record.handles.map((h) => ({
      sink: h.sink,
      subtask: h.subtask,
      kind: h.kind,
      v: h.version,
      data: h.data,
    })),
    contexts: record.contexts.map((c) => ({
      sink: c.sink,
      subtask: c.subtask,
      v: c.version,
      data: c.data,
    })),
    heads: record.heads.map(headOut),
    joined: record.joined.map(positionOut),
    figures: record.figures,
  }
  const text = JSON.stringify(json)
  if (text.length > recordBytesMax) {
    fail('LIMIT_EXCEEDED', {
      detail: `the record of checkpoint ${record.checkpoint} has ${text.length} bytes`,
      hint: `lower the number of partitions or sinks: recordBytesMax is ${recordBytesMax}`,
    })
  }
  return text
}

export function decodeRecord(text: string): CheckpointRecord {
  const json = JSON.parse(text) as RecordJson
  if (json.v !== version) {
    fail('METADATA_FORMAT', { detail: `a checkpoint record has version ${String(json.v)}` })
  }
  const record: CheckpointRecord = {
    checkpoint: checkpointNumber(BigInt(json.n)),
    attempt: attempt(BigInt(json.a)),
    leaderEpoch: leaderEpoch(BigInt(json.e)),
    unique: json.u,
    kind: json.kind,
    state: json.state,
    positions: json.positions.map(positionIn),
    handles: json.handles.map((h) => ({
      sink: sinkName(h.sink),
      subtask: subtask(h.subtask),
      kind: h.kind,
      version: h.v,
      data: h.data,
    })),
    contexts: json.contexts.map((c) => ({
      sink: sinkName(c.sink),
      subtask: subtask(c.subtask),
      version: c.v,
      data: c.data,
    })),
    heads: json.heads.map(headIn),
    joined: json.joined.map(positionIn),
    figures: json.figures,
  }
  // Asserted in pairs: what is read back is what was written.
  invariant(encodeRecord(record) === text, `record ${json.n} does not survive being read`)
  return record
}

/** Heads after a checkpoint: each sealed, non-empty handle moves its (sink, subtask) to it. */
export function headsAfter(
  before: readonly LedgerHead[],
  handles: readonly Handle[],
  now: { readonly checkpoint: CheckpointNumber; readonly attempt: Attempt },
): readonly LedgerHead[] {
  const heads = new Map(before.map((head) => [`${head.sink}/${head.subtask}`, head]))
  for (const handle of handles) {
    if (handle.kind === 'empty') continue
    heads.set(`${handle.sink}/${handle.subtask}`, {
      sink: handle.sink,
      subtask: handle.subtask,
      ...now,
    })
  }
  return [...heads.values()]
}

/** Records in their new state; the revision that first stored each one stays. */
export function restated(
  records: readonly StoredRecord[],
  changed: readonly CheckpointRecord[],
): readonly StoredRecord[] {
  const byNumber = new Map(changed.map((record) => [record.checkpoint, record]))
  return records.map((stored) => {
    const record = byNumber.get(stored.record.checkpoint)
    return record === undefined ? stored : { ...stored, record }
  })
}
