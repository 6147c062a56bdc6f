import { OnceflowError } from '@onceflow/model'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Answer,
  type Api,
  agreedVersion,
  decodeResponse,
  encodeRequest,
} from '../src/wire/api.ts'
import { fetchApi } from '../src/wire/fetch.ts'
import { findCoordinatorApi } from '../src/wire/find-coordinator.ts'
import { listOffsetsApi } from '../src/wire/list-offsets.ts'
import { metadataApi } from '../src/wire/metadata.ts'
import { offsetCommitApi } from '../src/wire/offset-commit.ts'

// The answers below are bytes that a broker of Kafka 4.4.0 sent to the requests beside them.
const topicId = 'IgfEgXAJSTi48nauTi2VYQ'
const partition = { errorCode: 0, leader: 1, leaderEpoch: 0 }
const metadata = (id: string) => ({
  throttleMs: 0,
  brokers: [{ id: 1, host: '127.0.0.1', port: 31_092 }],
  topics: [
    {
      topic: 'golden',
      topicId: id,
      errorCode: 0,
      internal: 'no',
      partitions: [
        { ...partition, partition: 0 },
        { ...partition, partition: 1 },
      ],
    },
    { topic: 'missing', topicId: '', errorCode: 3, internal: 'no', partitions: [] },
  ],
})
const fetchRequest = {
  maxWaitMs: 10,
  bytesMin: 1,
  bytesMax: 100_000,
  topics: [
    {
      topic: 'golden',
      topicId,
      partitions: [
        {
          partition: 0,
          currentLeaderEpoch: 0,
          fetchOffset: 0n,
          lastFetchedEpoch: -1,
          bytesMax: 100_000,
        },
      ],
    },
  ],
}
const records =
  '00000000000000000000003a0000000002f7e660850010000000000000018bcfe568000000018bcfe568000000' +
  '0000000000000000000000000000000110000000026b027600'
const fetched = (name: { readonly topic: string; readonly topicId: string }) => ({
  throttleMs: 0,
  errorCode: 0,
  topics: [
    {
      ...name,
      partitions: [
        {
          partition: 0,
          errorCode: 0,
          highWatermark: 3n,
          lastStableOffset: 3n,
          logStartOffset: 0n,
          aborted: [{ producerId: 0n, firstOffset: 0n }],
          diverging: undefined,
          records: Buffer.from(records, 'hex'),
        },
      ],
    },
  ],
})
const brokersHex =
  '000000000002000000010a3132372e302e302e3100007974000017516834744543693152556d4276466c4a61394a' +
  '3777510000000103000007676f6c64656e'
const partitionsHex =
  '00030000000000000000000100000000020000000102000000010100000000000001000000010000000002000000' +
  '010200000001010080000000'
const idHex = '2207c48170094938b8f276ae4e2d9561'
const noId = '00000000000000000000000000000000'
const fetchPartitionHex =
  '0200000000000000000000000000030000000000000003000000000000000002000000000000000000000000' +
  `0000000000ffffffff47${records}000000`
const fetchTailHex = '0200000000000000000000000000000000ffffffffffffffffffffffff000186a00000010100'

interface Golden {
  readonly api: Api<never, Answer>
  readonly version: number
  readonly request: unknown
  readonly requestHex: string
  readonly response: unknown
  readonly responseHex: string
}

const golden = <Request, Response extends Answer>(
  api: Api<Request, Response>,
  version: number,
  pair: {
    readonly request: Request
    readonly requestHex: string
    readonly response: unknown
    readonly responseHex: string
  },
): Golden => ({ api: api as Api<never, Answer>, version, ...pair })

const metadataNoId: Golden = golden(metadataApi, 9, {
  request: { topics: ['golden', 'missing'] },
  requestHex: '000307676f6c64656e00086d697373696e670000000000',
  response: metadata(''),
  responseHex: `${brokersHex}${partitionsHex}` + '000003086d697373696e67000180000000008000000000',
})

const metadataById = [10, 11, 12].map((version) =>
  golden(metadataApi, version, {
    request: { topics: ['golden', 'missing'] },
    requestHex:
      `0003${noId}07676f6c64656e00${noId}086d697373696e6700` +
      (version === 10 ? '00000000' : '000000'),
    response: metadata(topicId),
    responseHex:
      `${brokersHex}${idHex}${partitionsHex}000003086d697373696e67${noId}000180000000` +
      (version === 10 ? '008000000000' : '0000'),
  }),
)

const fetches = [12, 13, 14, 15, 16, 17].map((version) =>
  golden(fetchApi, version, {
    request: fetchRequest,
    requestHex:
      `00${version < 15 ? 'ffffffff' : ''}0000000a00000001000186a00100000000ffffffff02` +
      (version === 12 ? '07676f6c64656e' : idHex) +
      fetchTailHex,
    response: fetched(version === 12 ? { topic: 'golden', topicId: '' } : { topic: '', topicId }),
    responseHex:
      '00000000000000000000000' +
      (version === 12 ? '207676f6c64656e' : `2${idHex}`) +
      fetchPartitionHex,
  }),
)

const listOffsets = [5, 6, 7].map((version) =>
  golden(listOffsetsApi, version, {
    request: {
      topics: [
        {
          topic: 'golden',
          partitions: [{ partition: 0, currentLeaderEpoch: -1, timestampMs: -1n }],
        },
      ],
    },
    requestHex:
      version === 5
        ? 'ffffffff01000000010006676f6c64656e0000000100000000ffffffffffffffffffffffff'
        : '00ffffffff010207676f6c64656e0200000000ffffffffffffffffffffffff000000',
    response: {
      throttleMs: 0,
      topics: [{ topic: 'golden', partitions: [{ partition: 0, errorCode: 0, offset: 3n }] }],
    },
    responseHex:
      version === 5
        ? '00000000000000010006676f6c64656e00000001000000000000ffffffffffffffff' +
          '000000000000000300000000'
        : '00000000000207676f6c64656e02000000000000ffffffffffffffff000000000000000300000000000000',
  }),
)

const goldens: readonly Golden[] = [
  metadataNoId,
  ...metadataById,
  ...fetches,
  ...listOffsets,
  golden(findCoordinatorApi, 2, {
    request: { kind: 'group', name: 'g' },
    requestHex: '00016700',
    response: { throttleMs: 0, errorCode: 15, node: { id: -1, host: '', port: -1 } },
    responseHex:
      '00000000000f002154686520636f6f7264696e61746f72206973206e6f7420617661696c61626c652e' +
      'ffffffff0000ffffffff',
  }),
  golden(findCoordinatorApi, 3, {
    request: { kind: 'group', name: 'g' },
    requestHex: '0002670000',
    response: { throttleMs: 0, errorCode: 15, node: { id: -1, host: '', port: -1 } },
    responseHex:
      '0000000000000f2254686520636f6f7264696e61746f72206973206e6f7420617661696c61626c652e' +
      'ffffffff01ffffffff00',
  }),
  golden(offsetCommitApi, 8, {
    request: {
      group: 'g',
      topics: [{ topic: 'golden', partitions: [{ partition: 0, offset: 3n, leaderEpoch: 0 }] }],
    },
    requestHex: '000267ffffffff01000207676f6c64656e020000000000000000000000030000000000000000',
    response: {
      throttleMs: 0,
      topics: [{ topic: 'golden', partitions: [{ partition: 0, errorCode: 16 }] }],
    },
    responseHex: '00000000000207676f6c64656e02000000000010000000',
  }),
]

describe('codecs against the bytes of a real broker', () => {
  for (const each of goldens) {
    test(`${each.api.name} v${each.version}`, () => {
      const encoded = encodeRequest(each.api, each.request as never, each.version)
      expect(encoded.toString('hex')).toBe(each.requestHex)
      const payload = Buffer.from(each.responseHex, 'hex')
      expect(decodeResponse(each.api, payload, each.version)).toEqual(each.response)
    })
  }

  test('a diverging epoch is told in a tagged field', () => {
    const payload = Buffer.from(
      `000000000000000000000002${idHex}0200000001000000000000000000000000000000000000000000000000` +
        '000000ffffffff0101000d000000000000000000000000000000',
      'hex',
    )
    const answer = decodeResponse(fetchApi, payload, 17).topics[0]?.partitions[0]
    expect(answer?.diverging).toEqual({ epoch: 0, endOffset: 0n })
  })
})

describe('malformed answers', () => {
  const codeOf = (step: () => unknown): string => {
    try {
      step()
      return 'decoded'
    } catch (thrown) {
      if (thrown instanceof OnceflowError) return thrown.failure.code
      throw thrown
    }
  }

  test('an answer that is cut anywhere, or goes on, is a typed failure', () => {
    for (const { api, version, responseHex } of goldens) {
      const whole = Buffer.from(responseHex, 'hex')
      for (let size = 0; size < whole.length; size++) {
        const code = codeOf(() => decodeResponse(api, whole.subarray(0, size), version))
        expect(code, `${api.name} v${version} of ${size} bytes`).toBe('SOURCE_PROTOCOL')
      }
      const longer = Buffer.concat([whole, Buffer.from([0])])
      expect(codeOf(() => decodeResponse(api, longer, version))).toBe('SOURCE_PROTOCOL')
    }
  })

  test('random bytes and flipped bits end, with a value or a typed failure', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...goldens),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        ({ api, version, responseHex }, flips) => {
          const bytes = Buffer.from(responseHex, 'hex')
          for (const [at, value] of flips) bytes[at % bytes.length] = value
          const code = codeOf(() => decodeResponse(api, bytes, version))
          expect(['decoded', 'SOURCE_PROTOCOL']).toContain(code)
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

describe('agreedVersion', () => {
  const check = (range: readonly [number, number] | undefined, expected: number | string) => {
    const ranges = range === undefined ? {} : { 1: { minVersion: range[0], maxVersion: range[1] } }
    const outcome = ((): number | string => {
      try {
        return agreedVersion(fetchApi, ranges)
      } catch (thrown) {
        return thrown instanceof OnceflowError ? thrown.failure.code : 'other'
      }
    })()
    expect(outcome).toBe(expected)
  }

  test('is the newest of both, and a typed failure when there is none', () => {
    check([0, 18], 17)
    check([4, 15], 15)
    check([0, 12], 12)
    check([0, 11], 'SOURCE_UNSUPPORTED')
    check([18, 20], 'SOURCE_UNSUPPORTED')
    check(undefined, 'SOURCE_UNSUPPORTED')
  })
})
