import type { Change } from '@onceflow/model'

export interface ChangeSource {
  /** In order; none at the end. */
  next(): Promise<readonly Change[]>
}

interface Head {
  readonly source: ChangeSource
  changes: readonly Change[]
  at: number
}

/**
 * Brings the changes of several partitions into the order of the source: by log sequence number,
 * each partition in its own order. A change without a number goes as soon as it is met.
 */
export async function mergeByLsn(
  sources: readonly ChangeSource[],
  apply: (change: Change) => void,
): Promise<void> {
  const heads: Head[] = []
  for (const source of sources) {
    const changes = await source.next()
    if (changes.length > 0) heads.push({ source, changes, at: 0 })
  }
  for (;;) {
    const head = lowest(heads)
    if (head === undefined) return
    const change = head.changes[head.at]
    if (change !== undefined) apply(change)
    head.at += 1
    if (head.at < head.changes.length) continue
    head.changes = await head.source.next()
    head.at = 0
    if (head.changes.length === 0) heads.splice(heads.indexOf(head), 1)
  }
}

function lowest(heads: readonly Head[]): Head | undefined {
  if (heads.length === 1) return heads[0]
  let best: Head | undefined
  let bestChange: Change | undefined
  for (const head of heads) {
    const change = head.changes[head.at]
    if (change?.origin.lsn === undefined) return head
    if (bestChange !== undefined && !goesBefore(change, bestChange)) continue
    best = head
    bestChange = change
  }
  return best
}

/** The halves of a changed key have one number: the old key leaves before the new one arrives. */
function goesBefore(one: Change, other: Change): boolean {
  const [a, b] = [one.origin.lsn ?? 0n, other.origin.lsn ?? 0n]
  return a === b ? isLeaving(one) && !isLeaving(other) : a < b
}

const isLeaving = (change: Change): boolean =>
  change.kind === 'delete' && change.keyChange === 'leaves'
