import type { AbortedTransaction } from '../wire/fetch.ts'

/** What the filter must know of a batch. */
export interface FilterBatch {
  readonly lastOffset: bigint
  readonly producerId: bigint
  readonly transactional: 'yes' | 'no'
  readonly control: 'yes' | 'no'
}

const noProducer = -1n

/**
 * read_committed, as Kafka's own consumer does it: the answer names the aborted transactions that
 * reach into it; from its first offset on, a producer's batches are left out until its ABORT
 * marker.
 *
 * Invariants: the filter serves one answer, whose batches are shown to it once each and in order;
 * `aborting` holds the producers whose aborted transaction covers the place just looked at.
 */
export class CommittedFilter {
  private readonly waiting: readonly AbortedTransaction[]
  private next = 0
  private readonly aborting = new Set<bigint>()

  constructor(aborted: readonly AbortedTransaction[]) {
    this.waiting = aborted.toSorted((a, b) => Number(a.firstOffset - b.firstOffset))
  }

  /** `marker` is asked only for control batches. */
  judge(batch: FilterBatch, marker: () => 'abort' | 'commit' | 'other'): 'deliver' | 'skip' {
    if (batch.producerId !== noProducer) this.advance(batch.lastOffset)
    if (batch.control === 'yes') {
      if (batch.producerId !== noProducer && marker() === 'abort') {
        this.aborting.delete(batch.producerId)
      }
      return 'skip'
    }
    const aborted = batch.transactional === 'yes' && this.aborting.has(batch.producerId)
    return aborted ? 'skip' : 'deliver'
  }

  private advance(lastOffset: bigint): void {
    for (;;) {
      const transaction = this.waiting[this.next]
      if (transaction === undefined || transaction.firstOffset > lastOffset) return
      this.aborting.add(transaction.producerId)
      this.next++
    }
  }
}
