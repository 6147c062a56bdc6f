import { offset, type Position, partitionKey } from '@onceflow/model'
import type { PartitionInfo, SourceLog } from '@onceflow/ports'
import type { AuditCheckpoint } from './audit-request.ts'
import { type CheckScope, found } from './check-scope.ts'
import { ledgerEnds, ledgerStarts } from './ledger-checks.ts'
import type { LedgerPosition, LedgerRow } from './ledger-row.ts'

/** One partition of the log: where the fold begins, and the first offset that is not in it. */
export interface PartitionSpan {
  readonly from: Position
  readonly until: bigint
}

export interface PlanInput {
  readonly log: SourceLog
  readonly startKind: 'earliest' | 'latest' | 'timestamp'
  readonly ledger: readonly LedgerRow[]
  /** Checkpoint 0 as decided, where it is known. */
  readonly start: AuditCheckpoint | undefined
  /** Positions of the newest decision that is in the target whole. */
  readonly whole: readonly Position[]
}

export interface ReadingPlan {
  readonly spans: readonly PartitionSpan[]
  readonly recordsBehind: bigint
}

/** From where to where the log must be folded to get exactly what the target holds. */
export async function planReading(scope: CheckScope, input: PlanInput): Promise<ReadingPlan> {
  const partitions = await input.log.inspect()
  const ends = ledgerEnds(input.ledger)
  const starts = ledgerStarts(input.ledger)
  const whole = new Map(input.whole.map((position) => [partitionKey(position), position]))
  const joined = new Map((input.start?.positions ?? []).map((one) => [partitionKey(one), one]))
  const spans: PartitionSpan[] = []
  let recordsBehind = 0n
  for (const partition of partitions) {
    const key = partitionKey(partition)
    const reached = furthest(ends.get(key), whole.get(key))
    const stored = ends.get(key) ?? whole.get(key) ?? joined.get(key)
    if (stored !== undefined && stored.topicId !== partition.topicId) {
      scope.findings.unchecked(`topic ${partition.topic} was created again: its id differs`)
      continue
    }
    const from = startOf(scope, partition, { ...input, joined: joined.get(key), starts })
    const until = reached ?? from
    checkEnd(scope, partition, until)
    if (partition.end > until) recordsBehind += partition.end - until
    spans.push({ from: positionAt(partition, from), until })
  }
  for (const place of new Set([...ends.keys(), ...whole.keys()])) {
    if (partitions.some((one) => partitionKey(one) === place)) continue
    scope.findings.unchecked(`the log has no partition ${place}, which the target has read`)
  }
  return { spans, recordsBehind }
}

function furthest(
  ledger: LedgerPosition | undefined,
  decided: Position | undefined,
): bigint | undefined {
  if (ledger === undefined || decided === undefined) return ledger?.offset ?? decided?.offset
  if (ledger.offset > decided.offset) return ledger.offset
  return decided.offset
}

interface StartInput {
  readonly startKind: PlanInput['startKind']
  readonly joined: Position | undefined
  readonly starts: ReadonlyMap<string, LedgerPosition>
}

function startOf(scope: CheckScope, partition: PartitionInfo, input: StartInput): bigint {
  const key = partitionKey(partition)
  const { earliest } = partition
  const ledger = input.starts.get(key)?.offset
  const wanted = input.joined?.offset ?? guessedStart(scope, partition, { ...input, first: ledger })
  const known = ledger !== undefined && ledger < wanted ? ledger : wanted
  if (known >= earliest) return known
  scope.findings.unchecked(
    `${key} begins at ${earliest} and the pipeline began at ${known}: the log has lost its head`,
  )
  return earliest
}

function guessedStart(
  scope: CheckScope,
  partition: PartitionInfo,
  input: StartInput & { readonly first: bigint | undefined },
): bigint {
  switch (input.startKind) {
    case 'earliest':
      return partition.earliest
    case 'timestamp':
      return partition.start
    case 'latest':
      // Old rows of the ledger are pruned, so that its first row may not be the very first.
      scope.findings.note('start: latest, and checkpoint 0 is not known: the ledger says the start')
      return input.first ?? partition.end
  }
}

function checkEnd(scope: CheckScope, partition: PartitionInfo, until: bigint): void {
  if (partition.end >= until) return
  const { topic, end } = partition
  found(scope, {
    kind: 'log-truncated',
    detail: `the log ends at ${end}, the target has read up to ${until}`,
    position: { topic, partition: partition.partition, offset: end },
  })
}

const positionAt = (partition: PartitionInfo, at: bigint): Position => ({
  topic: partition.topic,
  topicId: partition.topicId,
  partition: partition.partition,
  offset: offset(at),
  leaderEpoch: -1,
})
