import {
  attempt,
  checkpointNumber,
  failure,
  incarnation,
  leaderEpoch,
  offset,
  revision,
  sinkName,
  subtask,
  workerId,
} from '@onceflow/model'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CliStage, nowMs, running, shop } from './cli-stage.ts'

let stage: CliStage
beforeEach(async () => {
  stage = await CliStage.open()
})
afterEach(() => stage.close())

test('checkpoint list and get', async () => {
  await stage.applied()
  stage.admin.checkpoints = [
    {
      pipeline: shop,
      checkpoint: checkpointNumber(41n),
      attempt: attempt(3n),
      leaderEpoch: leaderEpoch(7n),
      kind: 'regular',
      state: 'completed',
      revision: revision(99n),
      startedMs: nowMs - 300,
      decidedMs: nowMs - 250,
      completedMs: nowMs - 200,
      records: 5000,
      rows: 4321,
      sealMs: 12,
      decideMs: 3,
      commitMs: 8,
      positions: [
        { topic: 't', topicId: 'x', partition: 2, offset: offset(2n ** 60n), leaderEpoch: 0 },
      ],
      transactions: [],
    },
  ]
  const list = await stage.run(['checkpoint', 'list', 'shop'])
  expect(list.data.split('\n')[1]).toBe(
    '        41  completed  regular      250ms    5,000  4,321  12ms     3ms     8ms',
  )
  const get = await stage.run(['checkpoint', 'get', 'shop', '41'])
  expect(get.data).toContain('t              2  1152921504606846976')
  const json = await stage.run(['checkpoint', 'get', 'shop', '41', '-o', 'json'])
  expect(JSON.parse(json.data).positions[0].offset).toBe('1152921504606846976')
  expect((await stage.run(['checkpoint', 'get', 'shop', '42'])).code).toBe(3)
  expect((await stage.run(['checkpoint', 'get', 'shop', 'newest'])).code).toBe(2)
})

test('txn list', async () => {
  await stage.applied()
  stage.admin.transactions = [
    {
      pipeline: shop,
      sink: sinkName('main'),
      subtask: subtask(1),
      checkpoint: checkpointNumber(41n),
      attempt: attempt(3n),
      id: 'onceflow:c:p:main:1:41:3',
      decision: 'commit',
      worker: workerId('w1'),
      ageMs: 75_000,
    },
  ]
  for (const args of [
    ['txn', 'list'],
    ['txn', 'list', 'shop'],
  ]) {
    expect((await stage.run(args)).data).toContain(
      'shop      main        1          41        3  commit    1m15s  w1',
    )
  }
  expect((await stage.run(['txn', 'list', 'other'])).code).toBe(3)
})

test('worker list and get', async () => {
  stage.admin.workers = [
    {
      worker: workerId('w1'),
      incarnation: incarnation('i1'),
      version: '0.1.0',
      state: 'live',
      peer: '127.0.0.1:5',
      connectedMs: nowMs - 3_600_000,
      heartbeatAgeMs: 400,
      tasksMax: 16,
      tasks: [
        {
          pipeline: shop,
          subtask: subtask(0),
          attempt: attempt(3n),
          lastCommitted: checkpointNumber(41n),
          lagRecords: 12,
          recordsIn: 100_000,
          waiting: 'sink',
        },
      ],
      rssBytes: 150 * 1024 * 1024,
      eventLoopLagMs: 1.2,
    },
  ]
  const list = await stage.run(['worker', 'list'])
  expect(list.data).toContain('w1      live    1/16      400ms  1h  150.0MiB       1ms  0.1.0')
  const get = await stage.run(['worker', 'get', 'w1'])
  expect(get.data).toContain('shop            0        3         41  100,000   12  sink')
  expect((await stage.run(['worker', 'get', 'w2'])).code).toBe(3)
})

describe('status', () => {
  test('answers the four questions on one screen', async () => {
    await stage.applied(running)
    const ran = await stage.run(['status'])
    expect(ran.data.split('\n')).toEqual([
      'Data is flowing in 1 of 1 pipelines',
      '',
      'cluster     memorycluster, version 0.0.0',
      `leader      c1 at ${stage.address}, epoch 7, since 20484d12h`,
      'standby     not listed: the leader does not know who follows',
      'workers     0 live, 0 lost',
      'throughput  0 records/s, 0 rows/s',
      'behind      0 records, newest visible row is - old',
      '',
      'PIPELINE  STATE    RECORDS/S    LAG  BEHIND  CHECKPOINT  COMMITTED  REASON',
      'shop      running     12,346  1,234   180ms          41  250ms ago',
    ])
  })

  test('says when data does not flow, and why', async () => {
    const told = failure('SINK_REFUSED', { detail: 'SQLSTATE 23505' })
    await stage.applied({ ...running, state: 'stopped', failure: told })
    const ran = await stage.run(['status'])
    expect(ran.data).toContain('Data is NOT flowing in 1 of 1 pipelines: shop')
    expect(ran.data).toContain('SINK_REFUSED: SQLSTATE 23505')
    expect((await stage.run(['cluster', 'status'])).data).toContain('c1           leader')
  })

  test('is drawn again with --watch, as one JSON line each for programs', async () => {
    await stage.applied(running)
    const onWait = (count: number) => (count === 3 ? ('stop' as const) : undefined)
    const ran = await stage.run(['status', '--watch', '-o', 'json'], { onWait })
    const lines = ran.data.split('\n').map((line) => JSON.parse(line))
    expect(lines).toHaveLength(3)
    expect(lines[0].pipelines[0].name).toBe('pipelines/shop')
  })

  test('is coloured only for people, and never with NO_COLOR', async () => {
    await stage.applied(running)
    const code = '\u001b['
    const plain = await stage.run(['status'])
    const person = await stage.run(['status'], { isTty: 'yes' })
    const noColor = await stage.run(['status'], { isTty: 'yes', env: { NO_COLOR: '1' } })
    expect(person.data).toContain(code)
    for (const ran of [plain, noColor]) expect(ran.data).not.toContain(code)
  })

  test('shows no control characters from outside', async () => {
    const told = failure('TASK_FAILED', { detail: 'evil \u001b[2J text' })
    await stage.applied({ ...running, state: 'stopped', failure: told })
    for (const args of [['status'], ['pipeline', 'list']]) {
      const ran = await stage.run(args)
      expect(ran.data).toContain('evil ?[2J text')
    }
  })
})
