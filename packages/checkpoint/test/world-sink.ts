import { type Attempt, type Position, partitionKey, type Subtask } from '@onceflow/model'
import { expect } from 'vitest'
import type { CheckpointRecord } from '../src/index.ts'

interface Prepared {
  readonly checkpoint: bigint
  readonly attempt: Attempt
  readonly subtask: Subtask
  readonly from: readonly Position[]
  readonly to: readonly Position[]
}

/**
 * The target: prepared transactions, what was committed of every partition, a fence. A commit that
 * would lose or repeat a row fails the test.
 */
export class WorldSink {
  readonly prepared = new Map<string, Prepared>()
  readonly rows = new Map<string, bigint>()
  readonly #done = new Set<string>()
  fence = 0n

  readonly #name = (of: { checkpoint: bigint; attempt: bigint; subtask: number }) =>
    `${of.checkpoint}/${of.attempt}/${of.subtask}`

  /** fenced: a higher attempt has been resolved. */
  prepare(cut: Prepared): 'sealed' | 'fenced' {
    if (this.fence > cut.attempt) return 'fenced'
    this.prepared.set(this.#name(cut), cut)
    return 'sealed'
  }

  commit(of: { checkpoint: bigint; attempt: bigint; subtask: number }): 'done' | 'lost' {
    const name = this.#name(of)
    const cut = this.prepared.get(name)
    if (cut === undefined) return this.#done.has(name) ? 'done' : 'lost'
    this.prepared.delete(name)
    this.#done.add(name)
    for (const place of cut.to) {
      const key = partitionKey(place)
      const from = cut.from.find((other) => partitionKey(other) === key)
      expect(from?.offset, `I1 I2 rows of ${key} follow each other`).toBe(this.rows.get(key) ?? 0n)
      this.rows.set(key, place.offset)
    }
    return 'done'
  }

  isDone(of: { checkpoint: bigint; attempt: bigint; subtask: number }): boolean {
    return this.#done.has(this.#name(of))
  }

  rollBack(of: { checkpoint: bigint; attempt: bigint; subtask: number }): void {
    expect(this.isDone(of), 'nothing committed is rolled back').toBe(false)
    this.prepared.delete(this.#name(of))
  }

  /** RESOLVE, phase two: strays of lower attempts, then the fence. */
  resolve(attempt: Attempt, known: ReadonlySet<bigint>): 'done' | 'stale' {
    if (this.fence > attempt) return 'stale'
    for (const [name, cut] of this.prepared) {
      if (cut.attempt >= attempt) continue
      expect(known.has(cut.checkpoint), `CK-7 ${cut.checkpoint} is no stray`).toBe(false)
      this.prepared.delete(name)
    }
    this.fence = attempt
    return 'done'
  }

  /** Whether every handle of a record is committed. */
  holds(record: CheckpointRecord): boolean {
    return record.handles.every(({ subtask }) =>
      this.isDone({ checkpoint: record.checkpoint, attempt: record.attempt, subtask }),
    )
  }
}
