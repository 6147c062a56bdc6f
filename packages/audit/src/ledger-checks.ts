import { partitionKey, type RecordPosition } from '@onceflow/model'
import { type CheckScope, found } from './check-scope.ts'
import { expectedDigest, type LedgerPosition, type LedgerRow } from './ledger-row.ts'

/** The name of a row in what is reported. */
export const rowName = (row: LedgerRow): string =>
  `checkpoint ${row.checkpoint}, subtask ${row.subtask}, attempt ${row.attempt}`

/** The ledger by itself: the chain of positions, attempts that only grow, rows as sealed. */
export function checkLedger(scope: CheckScope, rows: readonly LedgerRow[]): void {
  const ordered = rows.toSorted(byCheckpoint)
  checkDigests(scope, ordered)
  checkChain(scope, ordered)
  checkAttempts(scope, ordered)
  checkLeaderEpochs(scope, ordered)
}

const byCheckpoint = (a: LedgerRow, b: LedgerRow): number =>
  a.checkpoint === b.checkpoint ? a.subtask - b.subtask : a.checkpoint < b.checkpoint ? -1 : 1

function checkDigests(scope: CheckScope, rows: readonly LedgerRow[]): void {
  for (const row of rows) {
    if (row.digest === expectedDigest(row)) continue
    found(scope, {
      kind: 'ledger-altered',
      key: rowName(row),
      detail: 'the digest of the row does not fit what the row says',
    })
  }
}

interface ChainEnd {
  readonly position: LedgerPosition
  readonly row: LedgerRow
}

/** Of each partition: a row begins where the row before it, of whichever subtask, ends. */
function checkChain(scope: CheckScope, rows: readonly LedgerRow[]): void {
  const ends = new Map<string, ChainEnd>()
  for (const row of rows) {
    checkRow(scope, row)
    for (const from of row.from) {
      const before = ends.get(partitionKey(from))
      if (before !== undefined) checkLink(scope, before, { position: from, row })
    }
    for (const to of row.to) ends.set(partitionKey(to), { position: to, row })
  }
}

function checkRow(scope: CheckScope, row: LedgerRow): void {
  const ends = new Map(row.to.map((to) => [partitionKey(to), to.offset]))
  for (const from of row.from) {
    const end = ends.get(partitionKey(from))
    ends.delete(partitionKey(from))
    if (end !== undefined && end >= from.offset) continue
    found(scope, {
      kind: 'ledger-disorder',
      key: rowName(row),
      detail: `${partitionKey(from)} goes from ${from.offset} to ${end ?? 'nowhere'}`,
    })
  }
  for (const [partition, end] of ends) {
    found(scope, {
      kind: 'ledger-disorder',
      key: rowName(row),
      detail: `${partition} ends at ${end} and begins nowhere`,
    })
  }
}

function checkLink(scope: CheckScope, before: ChainEnd, next: ChainEnd): void {
  const place = partitionKey(next.position)
  if (before.row.checkpoint === next.row.checkpoint) {
    found(scope, {
      kind: 'ledger-disorder',
      key: rowName(next.row),
      detail: `${place} stands also in the row of subtask ${before.row.subtask}`,
    })
  }
  if (before.position.topicId !== next.position.topicId) {
    found(scope, {
      kind: 'ledger-disorder',
      key: rowName(next.row),
      detail: `${place} has another topic id than in ${rowName(before.row)}`,
    })
    return
  }
  const [end, start] = [before.position.offset, next.position.offset]
  if (end === start) return
  found(scope, {
    kind: start > end ? 'ledger-gap' : 'ledger-disorder',
    key: rowName(next.row),
    detail: `${place} begins at ${start}, and ${rowName(before.row)} ended at ${end}`,
    position: { topic: next.position.topic, partition: next.position.partition, offset: end },
  })
}

/** Over all subtasks of the sink: a checkpoint has one attempt, and attempts grow with n. */
function checkAttempts(scope: CheckScope, rows: readonly LedgerRow[]): void {
  let before: LedgerRow | undefined
  for (const row of rows) {
    if (before !== undefined) {
      if (row.checkpoint === before.checkpoint && row.attempt !== before.attempt) {
        found(scope, {
          kind: 'ledger-disorder',
          key: rowName(row),
          detail: `the checkpoint has rows of attempt ${before.attempt} as well`,
        })
      } else if (row.attempt < before.attempt) {
        found(scope, {
          kind: 'ledger-disorder',
          key: rowName(row),
          detail: `an attempt lower than that of ${rowName(before)}: a fenced writer came through`,
        })
      }
    }
    before = row
  }
}

function checkLeaderEpochs(scope: CheckScope, rows: readonly LedgerRow[]): void {
  const newest = new Map<number, LedgerRow>()
  for (const row of rows) {
    const before = newest.get(row.subtask)
    if (before !== undefined && row.leaderEpoch < before.leaderEpoch) {
      found(scope, {
        kind: 'ledger-disorder',
        key: rowName(row),
        detail: `leader epoch ${row.leaderEpoch} after ${before.leaderEpoch}`,
      })
    }
    newest.set(row.subtask, row)
  }
}

/** A writer passes only when the fence is its own attempt, and the fence only grows. */
export function checkFence(
  scope: CheckScope,
  rows: readonly LedgerRow[],
  fence: { readonly attempt: bigint } | undefined,
): void {
  let highest: LedgerRow | undefined
  for (const row of rows) {
    if (highest === undefined || row.attempt > highest.attempt) highest = row
  }
  if (highest === undefined) return
  if (fence === undefined) {
    found(scope, { kind: 'fence', detail: `no row in the fence, ${rows.length} in the ledger` })
  } else if (highest.attempt > fence.attempt) {
    found(scope, {
      kind: 'fence',
      key: rowName(highest),
      detail: `the fence is at attempt ${fence.attempt}, a row of a higher one is committed`,
    })
  }
}

/** By partition: where the highest row that names it begins or ends. */
export function ledgerEnds(rows: readonly LedgerRow[]): ReadonlyMap<string, LedgerPosition> {
  const ends = new Map<string, LedgerPosition>()
  for (const row of rows.toSorted(byCheckpoint)) {
    for (const to of row.to) ends.set(partitionKey(to), to)
  }
  return ends
}

export function ledgerStarts(rows: readonly LedgerRow[]): ReadonlyMap<string, LedgerPosition> {
  const starts = new Map<string, LedgerPosition>()
  for (const row of rows.toSorted(byCheckpoint).toReversed()) {
    for (const from of row.from) starts.set(partitionKey(from), from)
  }
  return starts
}

/** The epoch in which a record was applied, for people. */
export function epochOf(
  rows: readonly LedgerRow[],
  place: RecordPosition | undefined,
): string | undefined {
  if (place === undefined) return undefined
  const key = partitionKey(place)
  const row = rows.find((one) => {
    const from = one.from.find((position) => partitionKey(position) === key)
    const to = one.to.find((position) => partitionKey(position) === key)
    return from !== undefined && to !== undefined && isWithin(place.offset, from, to)
  })
  return row === undefined ? undefined : rowName(row)
}

const isWithin = (offset: bigint, from: LedgerPosition, to: LedgerPosition): boolean =>
  from.offset <= offset && offset < to.offset
