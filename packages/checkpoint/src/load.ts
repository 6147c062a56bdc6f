import {
  attempt,
  type ClusterUid,
  checkpointNumber,
  fail,
  type LeaderEpoch,
  type PipelineUid,
  pipelineUid,
  revision,
} from '@onceflow/model'
import type { StoredValue } from '@onceflow/ports'
import * as key from './key.ts'
import { decodeRecord } from './record.ts'
import type { CheckpointSettings, PipelineCore, PipelineState } from './state.ts'
import * as stored from './stored.ts'

export interface LoadContext {
  readonly cluster: ClusterUid
  readonly leaderEpoch: LeaderEpoch
  readonly settings: CheckpointSettings
  readonly nowMs: number
}

/** Everything stored of one pipeline: what is under its prefix, its ids and its history keys. */
export interface StoredPipeline {
  readonly values: readonly StoredValue[]
  readonly ids: StoredValue | undefined
  /** Ascending. */
  readonly historyKeys: readonly string[]
}

/** The uid in a key of a pipeline, or undefined for another key. */
export function uidOfKey(name: string): PipelineUid | undefined {
  const part = name.startsWith(key.pipelinesPrefix) ? name.split('/')[1] : undefined
  return part === undefined ? undefined : pipelineUid(part)
}

/**
 * A pipeline as a new leader takes it over: nothing is under way, every task that may still run
 * belongs to an attempt that the next one ends. Undefined when the document is missing (its keys
 * were being swept).
 */
export function loadPipeline(
  from: StoredPipeline,
  context: LoadContext,
): PipelineState | undefined {
  const byKey = new Map(from.values.map((value) => [value.key, value]))
  const uid = from.values.map((value) => uidOfKey(value.key)).find((found) => found !== undefined)
  if (uid === undefined) return undefined
  const docValue = byKey.get(key.docKey(uid))
  if (docValue === undefined) return undefined
  const doc = stored.decodeDoc(docValue.value)
  const attemptValue = byKey.get(key.attemptKey(uid))
  if (attemptValue === undefined && doc.desired !== 'gone') {
    return fail('METADATA_FORMAT', { detail: `pipeline ${doc.name} has no attempt key` })
  }
  const decoded = <T>(name: string, decode: (text: string) => T): T | undefined => {
    const value = byKey.get(name)
    return value === undefined ? undefined : decode(value.value)
  }
  const mark = decoded(key.retiredKey(uid), stored.decodeRetired)
  const next = from.ids === undefined ? 1n : stored.decodeIds(from.ids.value)
  const core: PipelineCore = {
    cluster: context.cluster,
    leaderEpoch: context.leaderEpoch,
    settings: context.settings,
    doc,
    docRevision: docValue.modified,
    // The keys of a pipeline that is gone may be half swept.
    attempt:
      attemptValue === undefined
        ? { attempt: attempt(0n), unique: '' }
        : stored.decodeAttempt(attemptValue.value),
    attemptRevision: attemptValue?.modified ?? docValue.modified,
    assignment: decoded(key.assignmentKey(uid), stored.decodeAssignment),
    resolved: decoded(key.resolvedKey(uid), stored.decodeResolved),
    status: decoded(key.statusKey(uid), stored.decodeStatus),
    statusStored: 'yes',
    // A Txn that came late may have stored a retired record once more: it is not one any longer.
    records: recordsOf(from.values, uid, context.nowMs).filter(
      ({ record }) => mark === undefined || record.checkpoint > mark,
    ),
    retireMark: mark ?? checkpointNumber(0n),
    retireSeen: byKey.get(key.retiredKey(uid))?.modified,
    history: from.historyKeys,
    // Numbers left over in the former leader's block are skipped: none is issued twice.
    ids: { next, end: next, seen: from.ids?.modified },
    workers: [],
    inspected: undefined,
    restarts: { consecutive: 0, notBeforeMs: 0, last: undefined },
    growth: undefined,
    givenUp: undefined,
    confirmed: undefined,
    background: 'none',
    backgroundFromMs: 0,
    completing: undefined,
  }
  return { core, phase: { kind: 'waiting', reason: 'workers' } }
}

function recordsOf(values: readonly StoredValue[], uid: PipelineUid, nowMs: number) {
  const prefix = key.recordsPrefix(uid)
  return values
    .filter((value) => value.key.startsWith(prefix))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map((value) => ({
      record: decodeRecord(value.value),
      revision: revision(BigInt(value.created)),
      seenMs: nowMs,
    }))
}
