import { offset } from '@onceflow/model'
import { describe, expect, test } from 'vitest'
import { judgeAnswer } from '../src/reading/answer-verdict.ts'
import { planFetch } from '../src/reading/fetch-plan.ts'
import { newCursor, type PartitionCursor } from '../src/reading/partition-cursor.ts'
import { defaultKafkaSettings } from '../src/source-settings.ts'

const settings = { ...defaultKafkaSettings, partitionBytesMax: 1_000, fetchBytesMax: 500_000 }

function cursors(...changes: readonly Partial<PartitionCursor>[]): PartitionCursor[] {
  return changes.map((change, partition) => {
    const position = {
      topic: 't',
      topicId: 'id',
      partition,
      offset: offset(BigInt(partition)),
      leaderEpoch: 3,
    }
    return Object.assign(newCursor(position), { leader: 1, leaderEpoch: 7 }, change)
  })
}

const plan = (all: readonly PartitionCursor[], more: { turn?: number; shareBytes?: number } = {}) =>
  planFetch({
    cursors: all,
    nowMs: 1_000,
    shareBytes: more.shareBytes ?? 1_000_000,
    turn: more.turn ?? 0,
    settings,
  })

const asked = (all: readonly PartitionCursor[], turn = 0): number[] => {
  const planned = plan(all, { turn })
  return planned.kind === 'fetch' ? planned.cursors.map((cursor) => cursor.partition) : []
}

describe('planFetch', () => {
  test('asks for every partition from where it stands, in one entry for each topic', () => {
    const planned = plan(cursors({}, {}))
    expect(planned).toMatchObject({
      kind: 'fetch',
      request: {
        maxWaitMs: 500,
        bytesMin: 1,
        bytesMax: 500_000,
        topics: [
          {
            topic: 't',
            topicId: 'id',
            partitions: [
              { partition: 0, fetchOffset: 0n, lastFetchedEpoch: 3, currentLeaderEpoch: 7 },
              { partition: 1, fetchOffset: 1n, lastFetchedEpoch: 3, currentLeaderEpoch: 7 },
            ],
          },
        ],
      },
    })
  })

  test('every partition comes first in turn, and a starved one before all', () => {
    const all = cursors({}, {}, {})
    expect([0, 1, 2, 3].map((turn) => asked(all, turn))).toEqual([
      [0, 1, 2],
      [1, 2, 0],
      [2, 0, 1],
      [0, 1, 2],
    ])
    expect(asked(cursors({}, {}, { starved: 'yes' }), 1)).toEqual([2, 1, 0])
  })

  test('a topic in doubt, a full queue, a pause and a request in flight leave a partition out, and shorten the wait', () => {
    const doubt = { identity: 'in-doubt' } as const
    const all = cursors({}, { queuedBytes: 2_000 }, { pausedUntilMs: 1_001 }, { flight: 9 }, doubt)
    const planned = plan(all)
    expect(asked(all)).toEqual([0])
    expect(planned).toMatchObject({ request: { maxWaitMs: settings.maxWaitLeftOutMs } })
  })

  test('without room, or with nothing to ask for, it waits for the next pause to end', () => {
    expect(plan(cursors({ queuedBytes: 1_999 }), { shareBytes: 1_999 })).toEqual({
      kind: 'wait',
      reason: 'no-room',
      waitMs: 1_000,
    })
    expect(plan(cursors({ pausedUntilMs: 1_040 }, { pausedUntilMs: 1_300 }))).toEqual({
      kind: 'wait',
      reason: 'nothing',
      waitMs: 40,
    })
    expect(plan([])).toEqual({ kind: 'wait', reason: 'nothing', waitMs: 1_000 })
  })

  test('asks for no more bytes than there is room, but always for something', () => {
    const bytesOf = (shareBytes: number) => {
      const planned = plan(cursors({ queuedBytes: 100 }), { shareBytes })
      return planned.kind === 'fetch' ? planned.request.bytesMax : 0
    }
    expect(bytesOf(200_100)).toBe(200_000)
    expect(bytesOf(101)).toBe(65_536)
    expect(bytesOf(100)).toBe(0)
  })
})

describe('judgeAnswer', () => {
  const position = { topic: 't', partition: 0, offset: 5n }
  const kindOf = (errorCode: number, diverging?: { epoch: number; endOffset: bigint }): string => {
    const verdict = judgeAnswer({ errorCode, diverging }, position)
    return verdict.kind === 'refused' ? verdict.failure.code : verdict.kind
  }

  test('each code means one thing, and none of them a reset', () => {
    const meanings: readonly (readonly [number, string])[] = [
      [0, 'records'],
      [1, 'out-of-range'],
      [2, 'RECORD_CORRUPT'],
      [3, 'unknown-topic'],
      [5, 'moved'],
      [6, 'moved'],
      [9, 'moved'],
      [29, 'SOURCE_AUTH'],
      [56, 'moved'],
      [74, 'moved'],
      [75, 'moved'],
      [76, 'SOURCE_UNSUPPORTED'],
      [78, 'again'],
      [100, 'unknown-topic'],
      [103, 'unknown-topic'],
      [-1, 'again'],
      [9_999, 'again'],
    ]
    for (const [code, meaning] of meanings) expect([code, kindOf(code)]).toEqual([code, meaning])
    expect(kindOf(0, { epoch: 0, endOffset: 3n })).toBe('truncated')
  })
})
