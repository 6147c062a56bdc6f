import {
  revision as asRevision,
  type CheckpointNumber,
  type LeaderEpoch,
  type PipelineUid,
  type Revision,
} from '@onceflow/model'
import type { Compare, StoredValue, TxnOutcome, TxnRequest, Write } from '@onceflow/ports'
import * as key from './key.ts'
import { type CheckpointRecord, decodeRecord, encodeRecord, type StoredRecord } from './record.ts'
import * as stored from './stored.ts'

/**
 * Every Txn of the leader, as data. Each one compares the leader's key; those that move a pipeline
 * also compare its attempt (R4, R9). Each carries a unique value of ours, so that an unknown
 * outcome is settled by sending the very same request again (R2).
 */
export interface PipelineTerm {
  readonly pipeline: PipelineUid
  readonly leaderEpoch: LeaderEpoch
  /** Revision at which the attempt key was last written. */
  readonly attemptRevision: Revision
}

const leads = (epoch: LeaderEpoch): Compare => ({
  kind: 'created',
  key: key.leaderKey,
  revision: asRevision(epoch),
})
const holds = (term: PipelineTerm): Compare[] => [
  leads(term.leaderEpoch),
  { kind: 'modified', key: key.attemptKey(term.pipeline), revision: term.attemptRevision },
]
const put = (name: string, value: string): Write => ({ kind: 'put', key: name, value })

/** R3 and R4: the next attempt, stored before anything is told to anybody. */
export function attemptTxn(
  term: PipelineTerm,
  next: {
    readonly attempt: stored.AttemptDoc
    readonly assignment: stored.AssignmentDoc
    /** The checkpoint that is given up: its record must be absent. */
    readonly givesUp: CheckpointNumber | undefined
    /** Records whose completion rides along. */
    readonly completes: readonly CheckpointRecord[]
    readonly stops: stored.StatusDoc | undefined
  },
): TxnRequest {
  const { pipeline } = term
  const givenUp = next.givesUp === undefined ? [] : [key.recordKey(pipeline, next.givesUp)]
  return {
    compares: [...holds(term), ...givenUp.map((name): Compare => ({ kind: 'absent', key: name }))],
    writes: [
      put(key.attemptKey(pipeline), stored.encodeAttempt(next.attempt)),
      put(key.assignmentKey(pipeline), stored.encodeAssignment(next.assignment)),
      ...next.completes.map((record) => putRecord(pipeline, record)),
      ...(next.stops === undefined
        ? []
        : [put(key.statusKey(pipeline), stored.encodeStatus(next.stops))]),
    ],
    elseReads: [key.leaderKey, key.attemptKey(pipeline), ...givenUp],
  }
}

/** A record that is there still: sent late, a Txn must not store again what was retired. */
const stands = (pipeline: PipelineUid, { record, revision }: Standing): Compare => ({
  kind: 'created',
  key: key.recordKey(pipeline, record.checkpoint),
  revision,
})
type Standing = Pick<StoredRecord, 'record' | 'revision'>

/**
 * P6: the one commit point. `after` is the newest decision so far, `completes` the same one,
 * confirmed meanwhile.
 */
export function decideTxn(
  term: PipelineTerm,
  record: CheckpointRecord,
  last: { readonly after: Standing | undefined; readonly completes: CheckpointRecord | undefined },
): TxnRequest {
  const name = key.recordKey(term.pipeline, record.checkpoint)
  const { after, completes } = last
  return {
    compares: [
      ...holds(term),
      { kind: 'absent', key: name },
      ...(after === undefined ? [] : [stands(term.pipeline, after)]),
    ],
    writes: [
      putRecord(term.pipeline, record),
      ...(completes === undefined ? [] : [putRecord(term.pipeline, completes)]),
    ],
    elseReads: [key.leaderKey, key.attemptKey(term.pipeline), name],
  }
}

/** Rewrites records in another state (COMPLETED, LOST); they exist and only we write them. */
export function restateTxn(
  term: PipelineTerm,
  records: readonly Standing[],
  stops: stored.StatusDoc | undefined,
): TxnRequest {
  return {
    compares: [...holds(term), ...records.map((standing) => stands(term.pipeline, standing))],
    writes: [
      ...records.map(({ record }) => putRecord(term.pipeline, record)),
      ...(stops === undefined
        ? []
        : [put(key.statusKey(term.pipeline), stored.encodeStatus(stops))]),
    ],
    elseReads: [key.leaderKey, key.attemptKey(term.pipeline)],
  }
}

/** End of RESOLVE; with `initial`, checkpoint 0 is stored by the same Txn (R10). */
export function resolvedTxn(
  term: PipelineTerm,
  resolved: stored.ResolvedDoc,
  initial: CheckpointRecord | undefined,
): TxnRequest {
  const { pipeline } = term
  const names = initial === undefined ? [] : [key.recordKey(pipeline, initial.checkpoint)]
  // Checkpoint 0 is absent once more after its retirement: then the mark is there.
  const absent = initial === undefined ? [] : [...names, key.retiredKey(pipeline)]
  return {
    compares: [...holds(term), ...absent.map((name): Compare => ({ kind: 'absent', key: name }))],
    writes: [
      put(key.resolvedKey(pipeline), stored.encodeResolved(resolved)),
      ...(initial === undefined ? [] : [putRecord(pipeline, initial)]),
    ],
    elseReads: [key.leaderKey, key.attemptKey(pipeline), ...names],
  }
}

/** P0: the next block of checkpoint numbers. */
export function reserveTxn(
  term: PipelineTerm,
  block: { readonly seen: Revision | undefined; readonly end: bigint },
): TxnRequest {
  const name = key.idsKey(term.pipeline)
  const unchanged: Compare =
    block.seen === undefined
      ? { kind: 'absent', key: name }
      : { kind: 'modified', key: name, revision: block.seen }
  return {
    compares: [leads(term.leaderEpoch), unchanged],
    writes: [put(name, stored.encodeIds(block.end))],
    elseReads: [key.leaderKey, name],
  }
}

/** P10: summaries go to history and the mark rises in the Txn that removes the records. */
export function retireTxn(
  term: PipelineTerm,
  retire: {
    readonly mark: CheckpointNumber
    /** Revision of the mark that it replaces: sent late, it must not take a newer mark back. */
    readonly seen: Revision | undefined
    readonly summaries: readonly stored.CheckpointSummary[]
    readonly forget: readonly string[]
  },
): TxnRequest {
  const { pipeline } = term
  const first = retire.summaries[0]
  const markKey = key.retiredKey(pipeline)
  const unchanged: Compare =
    retire.seen === undefined
      ? { kind: 'absent', key: markKey }
      : { kind: 'modified', key: markKey, revision: retire.seen }
  return {
    compares: [...holds(term), unchanged],
    writes: [
      put(markKey, stored.encodeRetired(retire.mark)),
      ...(first === undefined
        ? []
        : [
            put(key.historyKey(pipeline, first.checkpoint), stored.encodeHistory(retire.summaries)),
          ]),
      ...retire.summaries.map(
        (line): Write => ({ kind: 'delete', key: key.recordKey(pipeline, line.checkpoint) }),
      ),
      ...retire.forget.map((name): Write => ({ kind: 'delete', key: name })),
    ],
    elseReads: [key.leaderKey, key.attemptKey(pipeline), markKey],
  }
}

/** The status of a stopped pipeline, when it is not carried by another Txn. */
export function statusTxn(term: PipelineTerm, status: stored.StatusDoc): TxnRequest {
  return {
    compares: holds(term),
    writes: [put(key.statusKey(term.pipeline), stored.encodeStatus(status))],
    elseReads: [key.leaderKey, key.attemptKey(term.pipeline)],
  }
}

/**
 * After the last RESOLVE of a deleted pipeline: its name is free, its keys may be swept. The name
 * is compared with our uid: sent twice, it must not free the name of a newer pipeline.
 */
export function goneTxn(term: PipelineTerm, doc: stored.PipelineDoc): TxnRequest {
  const name = key.nameKey(doc.name)
  return {
    compares: [...holds(term), { kind: 'value', key: name, value: doc.uid }],
    writes: [
      put(key.docKey(term.pipeline), stored.encodeDoc({ ...doc, desired: 'gone' })),
      { kind: 'delete', key: name },
    ],
    elseReads: [key.leaderKey, key.attemptKey(term.pipeline), name],
  }
}

/** A new pipeline: name, document and attempt 0 appear together. */
export function createTxn(epoch: LeaderEpoch, doc: stored.PipelineDoc, unique: string): TxnRequest {
  const name = key.nameKey(doc.name)
  const first: stored.AttemptDoc = { attempt: 0n as stored.AttemptDoc['attempt'], unique }
  return {
    compares: [leads(epoch), { kind: 'absent', key: name }],
    writes: [
      put(name, doc.uid),
      put(key.docKey(doc.uid), stored.encodeDoc(doc)),
      put(key.attemptKey(doc.uid), stored.encodeAttempt(first)),
    ],
    elseReads: [key.leaderKey, name],
  }
}

/** A changed document; `resumes` removes the status of a stopped pipeline with it. */
export function updateTxn(
  epoch: LeaderEpoch,
  doc: stored.PipelineDoc,
  change: { readonly seen: Revision; readonly resumes: 'yes' | 'no' },
): TxnRequest {
  return {
    compares: [leads(epoch), { kind: 'modified', key: key.docKey(doc.uid), revision: change.seen }],
    writes: [
      put(key.docKey(doc.uid), stored.encodeDoc(doc)),
      ...(change.resumes === 'yes'
        ? [{ kind: 'delete', key: key.statusKey(doc.uid) } as const]
        : []),
    ],
    elseReads: [key.leaderKey, key.docKey(doc.uid)],
  }
}

const putRecord = (pipeline: PipelineUid, record: CheckpointRecord): Write =>
  put(key.recordKey(pipeline, record.checkpoint), encodeRecord(record))

/**
 * What a Txn's outcome means to the leader that sent it. again: not settled, send the same request
 * again. deposed: another leader or another hand moved the keys: stand down. decided: the record
 * of the checkpoint that was to be given up is there.
 */
export type Verdict =
  | { readonly kind: 'stored'; readonly revision: Revision }
  | { readonly kind: 'again'; readonly cause: string }
  | { readonly kind: 'deposed'; readonly cause: string }
  | { readonly kind: 'decided'; readonly record: CheckpointRecord; readonly revision: Revision }

const leaderIsOurs = (value: StoredValue | undefined, epoch: LeaderEpoch): boolean =>
  value !== undefined && BigInt(value.created) === BigInt(epoch)

/** Of attemptTxn: reads are [leader, attempt, given-up record?]. */
export function judgeAttempt(
  outcome: TxnOutcome,
  sent: { readonly term: PipelineTerm; readonly unique: string },
): Verdict {
  if (outcome.kind === 'applied') return { kind: 'stored', revision: outcome.revision }
  if (outcome.kind !== 'refused') return { kind: 'again', cause: outcome.cause }
  const [leader, attemptValue, record] = outcome.reads
  if (!leaderIsOurs(leader, sent.term.leaderEpoch)) return deposed('the leader key is not ours')
  if (attemptValue !== undefined) {
    const doc = stored.decodeAttempt(attemptValue.value)
    if (doc.unique === sent.unique) return { kind: 'stored', revision: attemptValue.modified }
    if (attemptValue.modified !== sent.term.attemptRevision) {
      return deposed(`attempt ${doc.attempt} was stored by another hand`)
    }
  }
  if (record === undefined) return deposed('the attempt key is gone')
  return { kind: 'decided', record: decodeRecord(record.value), revision: record.created }
}

/** Of decideTxn and of resolvedTxn with checkpoint 0: reads are [leader, attempt, record?]. */
export function judgeRecord(
  outcome: TxnOutcome,
  sent: { readonly term: PipelineTerm; readonly unique: string },
): Verdict {
  if (outcome.kind === 'applied') return { kind: 'stored', revision: outcome.revision }
  if (outcome.kind !== 'refused') return { kind: 'again', cause: outcome.cause }
  const [leader, attemptValue, record] = outcome.reads
  if (!leaderIsOurs(leader, sent.term.leaderEpoch)) return deposed('the leader key is not ours')
  if (record !== undefined) {
    const found = decodeRecord(record.value)
    if (found.unique === sent.unique) return { kind: 'stored', revision: record.created }
    return deposed(`checkpoint ${found.checkpoint} was decided by another hand`)
  }
  return deposed(
    attemptValue === undefined
      ? 'the attempt key is gone'
      : 'the attempt was moved by another hand',
  )
}

/** Of Txns that may be sent twice without harm: refused means deposed. */
export function judgeRepeatable(outcome: TxnOutcome, epoch: LeaderEpoch): Verdict {
  if (outcome.kind === 'applied') return { kind: 'stored', revision: outcome.revision }
  if (outcome.kind !== 'refused') return { kind: 'again', cause: outcome.cause }
  return leaderIsOurs(outcome.reads[0], epoch)
    ? deposed('the attempt was moved by another hand')
    : deposed('the leader key is not ours')
}

/**
 * Of retireTxn: reads are [leader, attempt, mark]. A mark that is ours already means that an
 * earlier sending was stored.
 */
export function judgeRetire(
  outcome: TxnOutcome,
  sent: { readonly term: PipelineTerm; readonly mark: CheckpointNumber },
): Verdict {
  const [leader, , mark] = outcome.kind === 'refused' ? outcome.reads : []
  const ours =
    mark !== undefined &&
    leaderIsOurs(leader, sent.term.leaderEpoch) &&
    stored.decodeRetired(mark.value) === sent.mark
  return ours
    ? { kind: 'stored', revision: mark.modified }
    : judgeRepeatable(outcome, sent.term.leaderEpoch)
}

/** Of goneTxn: a name that is no longer ours means that the first sending was stored. */
export function judgeGone(outcome: TxnOutcome, term: PipelineTerm): Verdict {
  if (outcome.kind !== 'refused') return judgeRepeatable(outcome, term.leaderEpoch)
  const [leader, , name] = outcome.reads
  const ours = leaderIsOurs(leader, term.leaderEpoch)
  return ours && name?.value !== term.pipeline
    ? { kind: 'stored', revision: outcome.revision }
    : judgeRepeatable(outcome, term.leaderEpoch)
}

const deposed = (cause: string): Verdict => ({ kind: 'deposed', cause })
