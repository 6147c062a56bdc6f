import type { CheckpointNumber, Revision } from '@onceflow/model'
import type { PipelineEffect, Stimulus, TxnTag } from './event.ts'
import { historyKey } from './key.ts'
import { restated, type StoredRecord } from './record.ts'
import type { Phase, PipelineCore, PipelineState } from './state.ts'
import { go, note, type PipelineStep, standDown, termOf, txn } from './step.ts'
import { type CheckpointSummary, decodeIds } from './stored.ts'
import { judgeRepeatable, judgeRetire, reserveTxn, restateTxn, retireTxn } from './txn.ts'

/**
 * Txns beside the protocol's path: blocks of checkpoint numbers (P0), COMPLETED of the last
 * checkpoint when no other follows (P9), retirement (P10). One at a time, none while a Txn of the
 * phase could be disturbed by it: they never touch the attempt key.
 */
const idsPerBlock = 1_000n
const idsLow = 200n
/** A background Txn with an unknown outcome is made again after this. */
const pauseMs = 200
/** COMPLETED waits this long for a decision to ride on. */
const completeIdleMs = 1_000

export const needsIds = (core: PipelineCore): boolean => core.ids.next >= core.ids.end

export function background(core: PipelineCore, phase: Phase, stim: Stimulus): PipelineStep {
  const idle = { state: { core, phase }, effects: [] }
  if (core.background !== 'none' || stim.nowMs < core.backgroundFromMs) return idle
  if (core.ids.end - core.ids.next < idsLow) return reserve(core, phase)
  if (completesAlone(core, phase, stim)) return completeAlone(core, phase)
  const batch = retirable(core, stim)
  return batch.length >= core.settings.retireBatch ? retire(core, phase, batch) : idle
}

const begin = (
  core: PipelineCore,
  phase: Phase,
  work: { readonly tag: Exclude<TxnTag, 'move'>; readonly effect: PipelineEffect },
): PipelineStep => go({ ...core, background: work.tag }, phase, [work.effect])

function reserve(core: PipelineCore, phase: Phase): PipelineStep {
  const end = core.ids.end + idsPerBlock
  const request = reserveTxn(termOf(core), { seen: core.ids.seen, end })
  return begin(core, phase, { tag: 'reserve', effect: txn(request, 'reserve') })
}

function completesAlone(core: PipelineCore, phase: Phase, stim: Stimulus): boolean {
  if (core.confirmed === undefined) return false
  if (phase.kind === 'waiting') return true
  const idle = phase.kind === 'running' && phase.checkpoint.kind === 'idle'
  return idle && stim.nowMs - phase.checkpoint.dueMs > completeIdleMs
}

function completeAlone(core: PipelineCore, phase: Phase): PipelineStep {
  const record = core.confirmed
  const stored = core.records.find((item) => item.record.checkpoint === record?.checkpoint)
  if (record === undefined || stored === undefined) return go(core, phase)
  const request = restateTxn(termOf(core), [{ ...stored, record }], undefined)
  const after = { ...core, completing: record.checkpoint }
  return begin(after, phase, { tag: 'complete', effect: txn(request, 'complete') })
}

/** A prefix of the records: none is retired before one that is older than it. */
function retirable(core: PipelineCore, stim: Stimulus): readonly StoredRecord[] {
  const old = core.records.slice(0, Math.max(0, core.records.length - core.settings.recordsKept))
  const kept = old.findIndex(
    (stored) =>
      (stored.record.state !== 'completed' && stored.record.state !== 'undone') ||
      stim.nowMs - stored.seenMs < core.settings.retentionMs,
  )
  const ready = kept === -1 ? old : old.slice(0, kept)
  return ready.slice(0, core.settings.retireBatch)
}

function retire(core: PipelineCore, phase: Phase, batch: readonly StoredRecord[]): PipelineStep {
  const summaries = batch.map(summaryOf)
  const mark = batch.at(-1)?.record.checkpoint ?? core.retireMark
  const request = retireTxn(termOf(core), {
    mark,
    seen: core.retireSeen,
    summaries,
    forget: forgotten(core),
  })
  return begin(core, phase, { tag: 'retire', effect: txn(request, 'retire') })
}

const forgotten = (core: PipelineCore): readonly string[] =>
  core.history.slice(0, Math.max(0, core.history.length + 1 - core.settings.historyBlocks))

export const summaryOf = ({ record }: StoredRecord): CheckpointSummary => ({
  checkpoint: record.checkpoint,
  attempt: record.attempt,
  state: record.state,
  figures: record.figures,
})

/** Outcome of a background Txn, in whatever phase it arrives. */
export function onBackground(
  state: PipelineState,
  stim: Stimulus,
  tag: Exclude<TxnTag, 'move'>,
): PipelineStep {
  if (stim.event.kind !== 'txn') return go(state.core, state.phase)
  const { outcome } = stim.event
  const core: PipelineCore = { ...state.core, background: 'none' }
  if (outcome.kind === 'unknown' || outcome.kind === 'not-applied') {
    const effect = note('warn', 'background write not settled', { tag, cause: outcome.cause })
    return go({ ...core, backgroundFromMs: stim.nowMs + pauseMs }, state.phase, [effect])
  }
  if (tag === 'reserve') return onReserved(core, state.phase, outcome)
  const verdict =
    tag === 'retire'
      ? judgeRetire(outcome, { term: termOf(core), mark: markAfter(core, stim) })
      : judgeRepeatable(outcome, core.leaderEpoch)
  if (verdict.kind === 'deposed') {
    // The attempt may have moved on while this Txn was under way: then it was simply too late.
    const late = core.attemptRevision > outcome.revision || outcome.kind === 'refused'
    return late && leaderStands(state, stim)
      ? go({ ...core, backgroundFromMs: stim.nowMs + pauseMs }, state.phase)
      : standDown(core, verdict.cause)
  }
  if (verdict.kind !== 'stored') return go(core, state.phase)
  const after = tag === 'retire' ? afterRetire(core, stim, verdict.revision) : afterComplete(core)
  return go(after, state.phase)
}

const leaderStands = (state: PipelineState, stim: Stimulus): boolean =>
  stim.event.kind === 'txn' &&
  stim.event.outcome.kind === 'refused' &&
  BigInt(stim.event.outcome.reads[0]?.created ?? -1n) === BigInt(state.core.leaderEpoch)

function onReserved(
  core: PipelineCore,
  phase: Phase,
  outcome: Extract<
    Extract<Stimulus['event'], { kind: 'txn' }>['outcome'],
    { kind: 'applied' | 'refused' }
  >,
): PipelineStep {
  if (outcome.kind === 'applied') {
    const end = core.ids.end + idsPerBlock
    return go({ ...core, ids: { ...core.ids, end, seen: outcome.revision } }, phase)
  }
  const [leader, block] = outcome.reads
  if (leader === undefined || BigInt(leader.created) !== BigInt(core.leaderEpoch)) {
    return standDown(core, 'the leader key is not ours')
  }
  // An earlier sending of ours was stored after all: numbers up to its end are skipped, not reused.
  const end = block === undefined ? 1n : decodeIds(block.value)
  return go({ ...core, ids: { next: end, end, seen: block?.modified } }, phase)
}

/** Records are only ever added behind the batch that is under way, so it is found again. */
const markAfter = (core: PipelineCore, stim: Stimulus): CheckpointNumber =>
  retirable(core, stim).at(-1)?.record.checkpoint ?? core.retireMark

function afterRetire(core: PipelineCore, stim: Stimulus, seen: Revision): PipelineCore {
  const batch = retirable(core, stim)
  const mark = markAfter(core, stim)
  const first = batch[0]?.record.checkpoint
  const history = core.history.slice(forgotten(core).length)
  return {
    ...core,
    retireMark: mark,
    retireSeen: seen,
    records: core.records.filter(({ record }) => record.checkpoint > mark),
    history: first === undefined ? history : [...history, historyKey(core.doc.uid, first)],
  }
}

function afterComplete(core: PipelineCore): PipelineCore {
  const record = core.confirmed
  if (record === undefined || record.checkpoint !== core.completing) return core
  return { ...core, confirmed: undefined, records: restated(core.records, [record]) }
}
