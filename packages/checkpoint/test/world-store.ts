import { type LeaderEpoch, leaderEpoch, partitionKey } from '@onceflow/model'
import type { StoredValue, TxnOutcome, TxnRequest, Write } from '@onceflow/ports'
import { type ManualClock, MemoryMetadata } from '@onceflow/twins'
import { expect } from 'vitest'
import {
  type CheckpointRecord,
  decodeAttempt,
  decodeRecord,
  decodeRetired,
  keys,
} from '../src/index.ts'
import { settings, uid } from './pipeline-fixture.ts'

const attemptKey = keys.attemptKey(uid)
const retiredKey = keys.retiredKey(uid)
const recordsPrefix = keys.recordsPrefix(uid)

/**
 * The metadata store with a judge in front of it: every Txn that was applied is looked at, and one
 * that breaks a rule of SPEC.md fails the test at once.
 */
export class WorldStore {
  readonly meta: MemoryMetadata
  /** Every decision ever made, retired ones too. */
  readonly decided = new Map<bigint, CheckpointRecord>()
  /** Numbers that an attempt Txn gave up. */
  readonly aborted = new Set<bigint>()
  readonly completed = new Set<bigint>()
  /** Told of a record that is to be stored as completed. */
  onCompleted: (record: CheckpointRecord) => void = () => undefined
  #mark = -1n
  #attempt = -1n

  constructor(clock: ManualClock) {
    this.meta = new MemoryMetadata(clock)
  }

  /** A new leader's key; its create revision is the epoch. */
  elect(name: string): LeaderEpoch {
    const { leaderKey: key } = keys
    this.meta.execute({ compares: [], writes: [{ kind: 'delete', key }], elseReads: [] })
    this.meta.execute({
      compares: [],
      writes: [{ kind: 'put', key, value: name }],
      elseReads: [],
    })
    return leaderEpoch(BigInt(this.meta.get(key)?.created ?? 0n))
  }

  execute(request: TxnRequest): TxnOutcome {
    const before = new Map(request.writes.map(({ key }) => [key, this.meta.get(key)]))
    const newest = this.newest()
    const outcome = this.meta.execute(request)
    if (outcome.kind !== 'applied') return outcome
    for (const compare of request.compares) {
      if (compare.kind === 'absent' && compare.key.startsWith(recordsPrefix)) {
        const isDecision = request.writes.some(({ key }) => key === compare.key)
        if (!isDecision) this.aborted.add(BigInt(compare.key.slice(recordsPrefix.length)))
      }
    }
    for (const write of request.writes) this.#judge(write, before.get(write.key), newest)
    this.#judgeRecords()
    return outcome
  }

  values(prefix: string): readonly StoredValue[] {
    return this.meta.range({ prefix, limit: 10_000 }).values
  }

  records(): readonly CheckpointRecord[] {
    return this.values(recordsPrefix).map((value) => decodeRecord(value.value))
  }

  newest(): CheckpointRecord | undefined {
    return this.records().at(-1)
  }

  #judge(write: Write, before: StoredValue | undefined, newest: CheckpointRecord | undefined) {
    const { key } = write
    if (write.kind === 'delete') {
      if (key.startsWith(recordsPrefix)) this.#judgeRemoval(before)
      return
    }
    if (key === attemptKey) {
      const { attempt } = decodeAttempt(write.value)
      expect(BigInt(attempt), 'CK-6 attempts grow by one').toBe(this.#attempt + 1n)
      this.#attempt = attempt
    }
    if (key === retiredKey) {
      const mark = decodeRetired(write.value)
      expect(mark > this.#mark, 'CK-15 the mark only grows').toBe(true)
      this.#mark = mark
    }
    if (!key.startsWith(recordsPrefix)) return
    const record = decodeRecord(write.value)
    if (before === undefined) this.#judgeDecision(record, newest)
    else this.#judgeRestated(record, decodeRecord(before.value))
  }

  #judgeDecision(record: CheckpointRecord, newest: CheckpointRecord | undefined) {
    const { checkpoint } = record
    expect(this.decided.has(checkpoint), `CK-5 ${checkpoint} is decided once`).toBe(false)
    expect(this.aborted.has(checkpoint), `CK-5 ${checkpoint} was given up`).toBe(false)
    expect(record.attempt).toBe(this.#attempt)
    expect(checkpoint > (newest?.checkpoint ?? -1n), 'CK-1 numbers grow').toBe(true)
    this.decided.set(checkpoint, record)
    if (record.kind === 'initial') return
    expect(record.state).toBe('committed')
    const last = this.records().find((other) => other.checkpoint === newest?.checkpoint)
    expect(last?.state, 'CK-4 the one before is completed with it').toBe('completed')
    const at = new Map(record.positions.map((place) => [partitionKey(place), place.offset]))
    for (const place of newest?.positions ?? []) {
      const now = at.get(partitionKey(place))
      expect(now !== undefined && now >= place.offset, 'CK-8 positions never go back').toBe(true)
    }
  }

  #judgeRestated(record: CheckpointRecord, before: CheckpointRecord) {
    expect({ ...record, state: '', figures: '' }).toEqual({ ...before, state: '', figures: '' })
    expect(before.state === 'completed' && record.state !== 'completed').toBe(false)
    if (record.state === 'completed') {
      this.onCompleted(record)
      this.completed.add(record.checkpoint)
    }
  }

  #judgeRemoval(before: StoredValue | undefined) {
    if (before === undefined) return
    if (this.meta.get(keys.docKey(uid))?.value.includes('"gone"') === true) return
    const record = decodeRecord(before.value)
    expect(record.state, 'CK-15 only completed records are retired').toBe('completed')
    expect(this.records().length).toBeGreaterThanOrEqual(settings.recordsKept)
    expect(record.checkpoint <= (this.#retired() ?? -1n), 'CK-15 below the mark').toBe(true)
  }

  #retired(): bigint | undefined {
    const value = this.meta.get(retiredKey)
    return value === undefined ? undefined : decodeRetired(value.value)
  }

  /** Heads of the newest record name the newest non-empty seal of every subtask ever. */
  #judgeRecords() {
    const newest = this.newest()
    if (newest === undefined) return
    const expected = new Map<string, bigint>()
    for (const record of [...this.decided.values()].sort(byNumber)) {
      for (const handle of record.handles) {
        expected.set(`${handle.sink}/${handle.subtask}`, record.checkpoint)
      }
    }
    const heads = new Map(newest.heads.map((h) => [`${h.sink}/${h.subtask}`, BigInt(h.checkpoint)]))
    expect(heads, 'CK-9 heads cover every subtask ever').toEqual(expected)
  }
}

const byNumber = (a: CheckpointRecord, b: CheckpointRecord) =>
  a.checkpoint < b.checkpoint ? -1 : 1
