import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js'
import {
  attempt,
  checkpointNumber,
  InvariantViolation,
  incarnation,
  leaderEpoch,
  offset,
  pipelineName,
  revision,
  sinkName,
  subtask,
  workerId,
} from '@onceflow/model'
import type { CheckpointView } from '@onceflow/ports'
import { MemoryAdmin } from '@onceflow/twins'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AdminClient, RefusedCall } from '../src/index.ts'
import { codec, method } from '../src/messages.ts'
import { document, refusalOf, struct } from './admin-calls.ts'
import { type Coordinator, Stage, systemClock } from './control-plane.ts'

const stage = new Stage()
afterEach(() => stage.clear())
let admin: MemoryAdmin
let leader: Coordinator
let client: AdminClient

beforeEach(async () => {
  admin = new MemoryAdmin()
  leader = await stage.coordinator({ admin })
  leader.server.gate.accept()
  client = clientOf(leader.address)
})

function clientOf(...addresses: string[]): AdminClient {
  const made = new AdminClient({ addresses, clock: systemClock, deadlineMs: 5000 })
  stage.later(() => made.close())
  return made
}

const create = (name?: string, more?: object) =>
  client.call('CreatePipeline', { pipeline: struct(document(name, more)) })

describe('pipelines', () => {
  test('are created, read, changed and deleted', async () => {
    const { pipeline } = await create()
    expect(pipeline).toMatchObject({
      name: 'pipelines/shop',
      state: 'STATE_STARTING',
      attempt: '1',
      createTime: '1970-01-01T00:00:00.000Z',
      spec: { name: 'shop', guarantee: 'exactly-once', checkpoint: { interval: '250ms' } },
    })
    const read = await client.call('GetPipeline', { name: 'pipelines/shop' })
    expect(read.pipeline).toEqual(pipeline)
    const updated = await client.call('UpdatePipeline', {
      pipeline: { ...struct(document('shop', { parallelism: 4 })), etag: pipeline?.etag ?? '' },
    })
    expect(updated.pipeline?.spec).toMatchObject({ parallelism: 4 })
    await client.call('PausePipeline', { name: 'pipelines/shop' })
    expect(admin.pipelines.get(pipelineName('shop'))?.state).toBe('paused')
    const resumed = await client.call('ResumePipeline', { name: 'pipelines/shop' })
    expect(resumed.pipeline?.state).toBe('STATE_RUNNING')
    const deleted = await client.call('DeletePipeline', { name: 'pipelines/shop' })
    expect(deleted.pipeline?.state).toBe('STATE_DELETING')
    const gone = client.call('GetPipeline', { name: 'pipelines/shop' })
    await expect(gone).rejects.toThrow('NOT_FOUND')
  })

  test('keep their secrets to themselves', async () => {
    const { pipeline } = await create()
    expect(JSON.stringify(pipeline)).not.toContain('hush')
    expect(JSON.stringify(pipeline)).toContain('[redacted]')
    const stored = admin.pipelines.get(pipelineName('shop'))?.spec.sinks[0]
    expect(stored).toMatchObject({ password: { kind: 'inline', value: 'hush' } })
  })

  test('are only checked with validate_only', async () => {
    await client.call('CreatePipeline', { pipeline: struct(document()), validateOnly: true })
    expect(admin.pipelines.size).toBe(0)
  })

  test('are refused with every field that is wrong', async () => {
    const spec = { ...document(), colour: 'red', guarantee: 'maybe' }
    const refused = await refusalOf(client.call('CreatePipeline', { pipeline: struct(spec) }))
    expect(refused.failure).toMatchObject({ code: 'SPEC_INVALID', class: 'fatal' })
    expect(refused).toBeInstanceOf(RefusedCall)
    expect((refused as RefusedCall).fields.map(({ field }) => field)).toEqual([
      'pipeline.spec.guarantee',
      'pipeline.spec.colour',
    ])
  })

  test('are created by an update only when asked', async () => {
    const pipeline = struct(document())
    await expect(client.call('UpdatePipeline', { pipeline })).rejects.toThrow('NOT_FOUND')
    await client.call('UpdatePipeline', { pipeline, allowMissing: true })
    expect(admin.pipelines.size).toBe(1)
  })
})

describe('a refusal carries code, reason and hint', () => {
  test.each<[string, () => Promise<unknown>, string]>([
    ['a name that is taken', () => create(), 'ALREADY_EXISTS'],
    ['a name that is none', () => client.call('GetPipeline', { name: 'shop' }), 'INVALID_ARGUMENT'],
    [
      'an old etag',
      () => client.call('PausePipeline', { name: 'pipelines/shop', etag: 'old' }),
      'ETAG_MISMATCH',
    ],
    [
      'a mask of another field',
      () =>
        client.call('UpdatePipeline', {
          pipeline: struct(document()),
          updateMask: { paths: ['state'] },
        }),
      'INVALID_ARGUMENT',
    ],
    [
      'a name that is not that of the spec',
      () =>
        client.call('UpdatePipeline', {
          pipeline: { name: 'pipelines/other', ...struct(document()) },
        }),
      'INVALID_ARGUMENT',
    ],
    [
      'a checkpoint that is not there',
      () => client.call('GetCheckpoint', { name: 'pipelines/shop/checkpoints/9' }),
      'NOT_FOUND',
    ],
    ['a negative page', () => client.call('ListWorkers', { pageSize: -1 }), 'INVALID_ARGUMENT'],
    ['nothing to create', () => client.call('CreatePipeline', {}), 'INVALID_ARGUMENT'],
    [
      'a long request id',
      () => client.call('PausePipeline', { name: 'pipelines/shop', requestId: 'x'.repeat(200) }),
      'INVALID_ARGUMENT',
    ],
  ])('%s', async (_name, call, code) => {
    await create()
    const refused = await refusalOf(call())
    expect(refused.failure.code).toBe(code)
    expect(refused.failure.hint).not.toBe('')
  })

  test('in google.rpc details that any client can read', async () => {
    await create()
    admin.show(pipelineName('shop'), { state: 'deleting' })
    const raw = new Client(leader.address, credentials.createInsecure())
    stage.later(() => raw.close())
    const { path, requestSerialize, responseDeserialize } = method<object, unknown>(
      'onceflow.v1.PipelineService',
      'PausePipeline',
    )
    const error = await new Promise<ServiceError>((resolve, reject) => {
      const request = { name: 'pipelines/shop' }
      raw.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (failed) =>
        failed === null ? reject(new Error('answered')) : resolve(failed),
      )
    })
    expect(error.code).toBe(status.FAILED_PRECONDITION)
    const [bytes] = error.metadata.get('grpc-status-details-bin')
    const decoded = codec<object, { details: { type_url: string; value: Buffer }[] }>(
      'google.rpc.Status',
    ).decode(bytes as Buffer)
    expect(decoded.details.map(({ type_url }) => type_url)).toEqual([
      'type.googleapis.com/google.rpc.ErrorInfo',
      'type.googleapis.com/google.rpc.PreconditionFailure',
      'type.googleapis.com/google.rpc.Help',
    ])
    const info = codec('google.rpc.ErrorInfo').decode(decoded.details[0]?.value as Buffer)
    expect(info).toMatchObject({ reason: 'PRECONDITION_FAILED', domain: 'onceflow' })
  })

  test('but not what failed inside the leader', async () => {
    admin.getStatus = () => Promise.reject(new Error('password=hush in a query'))
    const refused = await refusalOf(client.call('GetStatus', {}))
    expect(refused.failure.code).toBe('UNEXPECTED')
    expect(refused.message).not.toContain('hush')
    expect(leader.journal.find('an admin call failed')).toHaveLength(1)
  })

  test('a broken invariant ends the process after the reply', async () => {
    admin.getStatus = () => Promise.reject(new InvariantViolation('two leaders'))
    const uncaught = new Promise<unknown>((resolve) => {
      const before = process.rawListeners('uncaughtException')
      process.removeAllListeners('uncaughtException')
      process.once('uncaughtException', (thrown) => {
        for (const one of before) process.on('uncaughtException', one as never)
        resolve(thrown)
      })
    })
    await refusalOf(client.call('GetStatus', {}))
    expect(await uncaught).toBeInstanceOf(InvariantViolation)
  })

  test('a call that takes too long is answered for the handler', async () => {
    admin.getStatus = () => new Promise(() => undefined)
    const { address } = leader
    const options = { addresses: [address], clock: systemClock, deadlineMs: 200 }
    const impatient = new AdminClient(options)
    stage.later(() => impatient.close())
    const refused = await refusalOf(impatient.call('GetStatus', {}))
    expect(refused.failure).toMatchObject({ code: 'COORDINATOR_UNREACHABLE', class: 'retry' })
  })
})

describe('lists', () => {
  const checkpoint = (n: number): CheckpointView => ({
    pipeline: pipelineName('shop'),
    checkpoint: checkpointNumber(BigInt(n)),
    attempt: attempt(2n ** 60n),
    leaderEpoch: leaderEpoch(5n),
    kind: 'regular',
    state: 'completed',
    revision: revision(9n),
    startedMs: 1,
    decidedMs: 2,
    completedMs: undefined,
    records: 10,
    rows: 5,
    sealMs: 1.5,
    decideMs: 2.5,
    commitMs: 3.5,
    positions: [
      { topic: 't', topicId: 'id', partition: 0, offset: offset(2n ** 60n + 1n), leaderEpoch: -1 },
    ],
    transactions: [{ sink: sinkName('main'), subtask: subtask(0), kind: 'empty' }],
  })

  beforeEach(async () => {
    await create()
    await create('other')
    admin.checkpoints = Array.from({ length: 120 }, (_, n) => checkpoint(120 - n))
  })

  test('come in pages, each once, until the token is empty', async () => {
    const seen: string[] = []
    let pageToken = ''
    do {
      const page = await client.call('ListCheckpoints', { parent: 'pipelines/shop', pageToken })
      expect(page.checkpoints.length).toBeLessThanOrEqual(50)
      seen.push(...page.checkpoints.map((one) => one.checkpoint))
      pageToken = page.nextPageToken
    } while (pageToken !== '')
    expect(seen).toEqual(Array.from({ length: 120 }, (_, n) => `${120 - n}`))
  })

  test.each([
    [3, 3],
    [1_000_000, 120],
  ])('take a size of %i, up to the cap', async (pageSize, count) => {
    const page = await client.call('ListCheckpoints', { parent: 'pipelines/shop', pageSize })
    expect(page.checkpoints).toHaveLength(count)
  })

  test('refuse a token of another call, and a damaged one', async () => {
    const first = await client.call('ListCheckpoints', { parent: 'pipelines/shop', pageSize: 3 })
    for (const [parent, pageToken] of [
      ['pipelines/other', first.nextPageToken],
      ['pipelines/shop', `${first.nextPageToken.slice(0, -2)}AA`],
      ['pipelines/shop', 'nonsense'],
    ] as const) {
      const refused = await refusalOf(client.call('ListCheckpoints', { parent, pageToken }))
      expect(refused.failure).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'page_token' })
    }
  })

  test('leave out what only one resource shows, with every digit', async () => {
    const { checkpoints } = await client.call('ListCheckpoints', { parent: 'pipelines/shop' })
    expect(checkpoints[0]).toMatchObject({ positions: [], transactions: [] })
    const name = 'pipelines/shop/checkpoints/7'
    const { checkpoint: whole } = await client.call('GetCheckpoint', { name })
    expect(whole).toEqual({
      name,
      checkpoint: '7',
      attempt: '1152921504606846976',
      leaderEpoch: '5',
      kind: 'KIND_REGULAR',
      state: 'STATE_COMPLETED',
      revision: '9',
      startTime: '1970-01-01T00:00:00.001Z',
      decideTime: '1970-01-01T00:00:00.002Z',
      records: '10',
      rows: '5',
      sealMs: 1.5,
      decideMs: 2.5,
      commitMs: 3.5,
      positions: [
        {
          topic: 't',
          topicId: 'id',
          partition: 0,
          offset: '1152921504606846977',
          leaderEpoch: -1,
        },
      ],
      transactions: [{ sink: 'main', subtask: 0, empty: true }],
    })
  })

  test('of transactions', async () => {
    admin.transactions = ['shop', 'other'].map((name) => ({
      pipeline: pipelineName(name),
      sink: sinkName('main'),
      subtask: subtask(1),
      checkpoint: checkpointNumber(7n),
      attempt: attempt(2n),
      id: 'onceflow:gid',
      decision: 'commit' as const,
      worker: undefined,
      ageMs: 1234,
    }))
    const some = await client.call('ListTransactions', { parent: 'pipelines/shop' })
    expect(some.transactions).toMatchObject([
      { name: 'pipelines/shop/transactions/onceflow:gid', decision: 'DECISION_COMMIT', worker: '' },
    ])
    const all = await client.call('ListTransactions', { parent: 'pipelines/-' })
    expect(all.transactions).toHaveLength(2)
  })

  test('of workers', async () => {
    admin.workers = [
      {
        worker: workerId('w1'),
        incarnation: incarnation('i1'),
        version: '0.1.0',
        state: 'live',
        peer: '127.0.0.1:5',
        connectedMs: 0,
        heartbeatAgeMs: 100,
        tasksMax: 8,
        tasks: [
          {
            pipeline: pipelineName('shop'),
            subtask: subtask(0),
            attempt: attempt(2n),
            lastCommitted: undefined,
            lagRecords: 3,
            recordsIn: 4,
            waiting: 'no',
          },
        ],
        rssBytes: 2 ** 40,
        eventLoopLagMs: 0.5,
      },
    ]
    const { workers } = await client.call('ListWorkers', {})
    expect(workers).toMatchObject([{ name: 'workers/w1', rssBytes: '1099511627776' }])
    const { worker } = await client.call('GetWorker', { name: 'workers/w1' })
    expect(worker).toEqual(workers[0])
    expect(worker?.tasks[0]).not.toHaveProperty('lastCommitted')
  })
})
