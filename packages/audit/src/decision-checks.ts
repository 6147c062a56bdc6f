import { type Position, partitionKey } from '@onceflow/model'
import type { AuditCheckpoint } from './audit-request.ts'
import { type CheckScope, found } from './check-scope.ts'
import { rowName } from './ledger-checks.ts'
import type { LedgerRow } from './ledger-row.ts'
import type { TargetSnapshot } from './target-snapshot.ts'

/** The decisions as they were before the snapshot of the target, and as they were after it. */
export interface Decisions {
  readonly before: readonly AuditCheckpoint[]
  readonly after: readonly AuditCheckpoint[]
}

/** Rows of a subtask are pruned only when it has more than this many newer ones. */
const prunedBeyondRows = 100

export const isDecided = ({ state }: AuditCheckpoint): boolean =>
  state === 'committed' || state === 'completed' || state === 'lost'

const byNumber = (a: AuditCheckpoint, b: AuditCheckpoint): number =>
  a.checkpoint < b.checkpoint ? -1 : 1

/** What was decided against what the target has. */
export function checkDecisions(
  scope: CheckScope,
  snapshot: TargetSnapshot,
  decisions: Decisions,
): void {
  checkRowsAreDecided(scope, snapshot.ledger, decisions.after)
  for (const decided of decisions.before.filter(isDecided)) {
    checkTransactions(scope, snapshot, decided)
  }
  checkPositions(scope, snapshot.ledger, decisions.after)
  checkProgress(scope, decisions.after)
}

/**
 * A row whose checkpoint lies within the known history must have a decision of its attempt (I7). A
 * decision comes before its rows, so the history read after the snapshot must have it.
 */
function checkRowsAreDecided(
  scope: CheckScope,
  rows: readonly LedgerRow[],
  known: readonly AuditCheckpoint[],
): void {
  const regular = known.filter(({ kind }) => kind !== 'start').toSorted(byNumber)
  const oldest = regular[0]?.checkpoint
  const byCheckpoint = new Map(known.map((one) => [one.checkpoint as bigint, one]))
  for (const row of rows) {
    const decision = byCheckpoint.get(row.checkpoint)
    if (decision === undefined && oldest !== undefined && row.checkpoint < oldest) continue
    if (decision !== undefined && isDecided(decision) && decision.attempt === row.attempt) continue
    const word = decision === undefined ? 'absent' : `${decision.state}`
    const other = decision === undefined ? '' : `, attempt ${decision.attempt}`
    found(scope, {
      kind: 'undecided-row',
      key: rowName(row),
      detail: `the row is committed, and its decision is ${word}${other}`,
    })
  }
}

/** Every sealed transaction is in the ledger, or still prepared; or pruned long ago. */
function checkTransactions(
  scope: CheckScope,
  snapshot: TargetSnapshot,
  decided: AuditCheckpoint,
): void {
  const sealed = decided.transactions.filter(
    ({ sink, kind }) => sink === scope.sink && kind === 'sealed',
  )
  const missing: number[] = []
  const pending: number[] = []
  for (const { subtask } of sealed) {
    const fate = fateOf(snapshot, decided, subtask)
    if (fate === 'missing') missing.push(subtask)
    if (fate === 'prepared') pending.push(subtask)
  }
  const name = `checkpoint ${decided.checkpoint}, attempt ${decided.attempt}`
  for (const subtask of missing) {
    found(scope, {
      kind: 'transaction-lost',
      key: `${name}, subtask ${subtask}`,
      detail: 'decided, and neither in the ledger nor prepared',
    })
  }
  const there = sealed.length - missing.length - pending.length
  if (missing.length > 0 && there > 0) {
    found(scope, {
      kind: 'torn',
      key: name,
      detail: `${there} of ${sealed.length} subtasks are there, and not ${missing.join(', ')}`,
    })
  }
  if (pending.length > 0 && missing.length === 0) {
    scope.findings.note(`${name}: ${pending.length} of ${sealed.length} commits are under way`)
  }
}

type Fate = 'there' | 'prepared' | 'missing'

function fateOf(snapshot: TargetSnapshot, decided: AuditCheckpoint, subtask: number): Fate {
  const own = snapshot.ledger.filter((row) => row.subtask === subtask)
  const isThere = own.some(
    (row) => row.checkpoint === decided.checkpoint && row.attempt === decided.attempt,
  )
  if (isThere) return 'there'
  const isPrepared = snapshot.preparedBefore.some(
    ({ name }) =>
      name !== undefined &&
      name.subtask === subtask &&
      name.checkpoint === decided.checkpoint &&
      name.attempt === decided.attempt,
  )
  if (isPrepared) return 'prepared'
  const isPruned =
    own.length >= prunedBeyondRows && own.every((row) => row.checkpoint > decided.checkpoint)
  return isPruned ? 'there' : 'missing'
}

function checkPositions(
  scope: CheckScope,
  rows: readonly LedgerRow[],
  known: readonly AuditCheckpoint[],
): void {
  const byCheckpoint = new Map(known.map((one) => [one.checkpoint as bigint, one]))
  for (const row of rows) {
    const decision = byCheckpoint.get(row.checkpoint)
    if (decision === undefined || decision.positions.length === 0) continue
    const decided = new Map(decision.positions.map((one) => [partitionKey(one), one.offset]))
    for (const to of row.to) {
      const offset = decided.get(partitionKey(to))
      if (offset === to.offset) continue
      found(scope, {
        kind: 'positions-differ',
        key: rowName(row),
        detail: `${partitionKey(to)}: decided ${offset ?? 'nothing'}, in the ledger ${to.offset}`,
      })
    }
  }
}

/** Decided positions never go back, unless a rewind was decided (I9). */
function checkProgress(scope: CheckScope, known: readonly AuditCheckpoint[]): void {
  const newest = new Map<string, bigint>()
  for (const decided of known.filter(isDecided).toSorted(byNumber)) {
    if (decided.kind === 'rewind') newest.clear()
    for (const position of decided.positions) {
      const key = partitionKey(position)
      const before = newest.get(key)
      if (before !== undefined && position.offset < before) {
        found(scope, {
          kind: 'ledger-disorder',
          key: `checkpoint ${decided.checkpoint}`,
          detail: `the decided position of ${key} goes back from ${before} to ${position.offset}`,
        })
      }
      newest.set(key, position.offset)
    }
  }
}

/**
 * Positions of the newest decision that the target has whole: up to there everything is visible,
 * also what subtasks without rows have read. A rewind makes the ledger alone the truth.
 */
export function wholePositions(
  scope: CheckScope,
  snapshot: TargetSnapshot,
  known: readonly AuditCheckpoint[],
): readonly Position[] {
  if (known.some(({ kind }) => kind === 'rewind')) return []
  const isWhole = (decided: AuditCheckpoint): boolean =>
    decided.transactions
      .filter(({ sink, kind }) => sink === scope.sink && kind === 'sealed')
      .every(({ subtask }) => fateOf(snapshot, decided, subtask) === 'there')
  const newestFirst = known
    .filter((one) => isDecided(one) && one.positions.length > 0)
    .filter(({ kind, transactions }) => kind === 'start' || transactions.length > 0)
    .toSorted(byNumber)
    .toReversed()
  // One that is not whole makes all later ones doubtful, not earlier ones.
  return newestFirst.find(isWhole)?.positions ?? []
}
