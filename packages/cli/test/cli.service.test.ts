import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  attempt,
  checkpointNumber,
  failure,
  incarnation,
  leaderEpoch,
  offset,
  pipelineName,
  revision,
  sinkName,
  subtask,
  workerId,
} from '@onceflow/model'
import type { PipelineView } from '@onceflow/ports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CliStage, nowMs, runArgs } from './cli-stage.ts'

let stage: CliStage
let folder: string

beforeEach(async () => {
  stage = await CliStage.open()
  folder = mkdtempSync(join(tmpdir(), 'onceflow-cli-'))
})
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true })
  await stage.close()
})

const shop = pipelineName('shop')
const spec = (name = 'shop') => `
name: ${name}
source: {kind: kafka, brokers: [localhost:9092], topics: [t]}
sinks: [{kind: postgres, name: main, host: h, database: d, user: u, password: canary-secret}]
`

function file(text: string, name = 'pipeline.yaml'): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

async function applied(change: Partial<PipelineView> = {}): Promise<void> {
  const ran = await stage.run(['apply', '-f', file(spec()), '--no-wait'])
  expect(ran.notes).toBe('shop is applied')
  stage.admin.show(shop, { createdMs: nowMs - 60_000, ...change })
}

const running: Partial<PipelineView> = {
  state: 'running',
  tasks: 4,
  attempt: attempt(3n),
  flow: { recordsPerSecond: 12_345.6, rowsPerSecond: 12_000, lagRecords: 1234, freshnessMs: 180 },
  lastCheckpoint: {
    checkpoint: checkpointNumber(41n),
    decidedMs: nowMs - 250,
    durationMs: 40,
  },
  claims: [{ sink: sinkName('main'), guarantee: 'exactly-once', reason: 'two-phase commit' }],
}

describe('apply', () => {
  test('creates, then updates', async () => {
    await applied()
    const changed = file(`${spec()}parallelism: 3\n`)
    const ran = await stage.run(['apply', '-f', changed, '--no-wait', '-o', 'name'])
    expect(ran).toEqual({ code: 0, data: 'pipelines/shop', notes: 'shop is applied' })
    expect(stage.admin.pipelines.get(shop)?.spec.parallelism).toBe(3)
  })

  test('waits until the pipeline runs', async () => {
    const ran = await stage.run(['apply', '-f', file(spec())], {
      onWait: (count) => {
        if (count === 2) stage.admin.show(shop, { state: 'running' })
        return undefined
      },
    })
    expect(ran.code).toBe(0)
    expect(ran.notes).toContain('shop is starting ...')
    expect(ran.data).toContain('running')
  })

  test('ends with 7 when the pipeline stops instead', async () => {
    const told = failure('SINK_AUTH', { detail: 'the sink refused user app' })
    const ran = await stage.run(['apply', '-f', file(spec())], {
      onWait: () => {
        stage.admin.show(shop, { state: 'stopped', failure: told })
        return undefined
      },
    })
    expect(ran.code).toBe(7)
    expect(ran.notes).toContain('shop has stopped: SINK_AUTH: the sink refused user app')
    expect(ran.notes).toContain(`hint: ${told.hint}`)
  })

  test('sends nothing when a file has a problem, and names every one', async () => {
    const good = file(spec('good'), 'good.yaml')
    const bad = file('name: Bad\nsorce: {}\n', 'bad.yaml')
    const ran = await stage.run(['apply', '-f', good, '-f', bad])
    expect(ran.code).toBe(2)
    expect(ran.notes).toContain(`${bad}: name (line 1): "Bad" is not lower-case`)
    expect(ran.notes).toContain(`${bad}: sorce (line 2): is not a known key; did you mean source?`)
    expect(ran.data).toBe('')
    expect(stage.admin.pipelines.size).toBe(0)
  })

  test('changes nothing with --dry-run', async () => {
    const ran = await stage.run(['apply', '-f', file(spec()), '--dry-run'])
    expect(ran).toMatchObject({ code: 0, notes: 'shop is valid' })
    expect(stage.admin.pipelines.size).toBe(0)
  })

  test.each([[[]], [['-f', 'is-not-there.yaml']]])('needs a file: %s', async (args) => {
    expect((await stage.run(['apply', ...args])).code).toBe(2)
  })
})

describe('pipeline', () => {
  test('list is a table, and every other format', async () => {
    await applied(running)
    const table = await stage.run(['pipeline', 'list'])
    expect(table.data.split('\n')).toEqual([
      'NAME  STATE    TASKS  RECORDS/S    LAG  BEHIND  CHECKPOINT  COMMITTED  REASON',
      'shop  running      4     12,346  1,234   180ms          41      250ms',
    ])
    const wide = await stage.run(['pipeline', 'list', '-o', 'wide'])
    expect(wide.data).toContain('main:exactly-once')
    const name = await stage.run(['pipeline', 'list', '-o', 'name'])
    expect(name.data).toBe('pipelines/shop')
    const json = await stage.run(['pipeline', 'list', '-o', 'json'])
    expect(JSON.parse(json.data)).toMatchObject({
      pipelines: [{ name: 'pipelines/shop', attempt: '3', lastCheckpoint: { checkpoint: '41' } }],
    })
    const yaml = await stage.run(['pipeline', 'list', '-o', 'yaml'])
    expect(yaml.data).toContain('state: STATE_RUNNING')
    for (const ran of [table, wide, name, json, yaml]) {
      expect(ran.notes).toBe('')
      expect(ran.data).not.toContain('canary-secret')
    }
  })

  test('list reads every page, up to its limit', async () => {
    for (const n of [1, 2, 3, 4, 5]) {
      await stage.run(['apply', '-f', file(spec(`p${n}`)), '--no-wait'])
    }
    const ran = await stage.run(['pipeline', 'list', '-o', 'name', '--limit', '3'])
    expect(ran.data.split('\n')).toEqual(['pipelines/p1', 'pipelines/p2', 'pipelines/p3'])
  })

  test('get shows the spec without its secrets', async () => {
    await applied(running)
    const ran = await stage.run(['pipeline', 'get', 'shop', '-o', 'json'])
    const shown = JSON.parse(ran.data)
    expect(shown.spec.sinks[0]).toMatchObject({ name: 'main', password: '[redacted]' })
    expect(shown.createTime).toBe('2026-01-31T11:59:00.000Z')
  })

  test('pause and resume wait for their state', async () => {
    await applied(running)
    expect(await stage.run(['pipeline', 'pause', 'shop'])).toMatchObject({
      code: 0,
      data: expect.stringContaining('paused'),
    })
    expect((await stage.run(['pipeline', 'resume', 'shop'])).data).toContain('running')
    const checked = await stage.run(['pipeline', 'pause', 'shop', '--dry-run'])
    expect(checked.code).toBe(0)
    expect(stage.admin.pipelines.get(shop)?.state).toBe('running')
  })

  test('delete asks for the name, and without a terminal for --yes', async () => {
    await applied()
    expect(await stage.run(['pipeline', 'delete', 'shop'])).toMatchObject({ code: 2, data: '' })
    const typed = await stage.run(['pipeline', 'delete', 'shop'], { isTty: 'yes', typed: 'shopp' })
    expect(typed.code).toBe(4)
    expect(stage.admin.pipelines.size).toBe(1)
    const right = await stage.run(['pipeline', 'delete', 'shop'], { isTty: 'yes', typed: 'shop' })
    expect(right).toEqual({ code: 0, data: '', notes: 'shop is deleted' })
    await applied()
    expect((await stage.run(['pipeline', 'delete', 'shop', '--yes'])).code).toBe(0)
    expect(stage.admin.pipelines.size).toBe(0)
  })

  test('watch has a line for each change, until Ctrl-C', async () => {
    await applied(running)
    const ran = await stage.run(['pipeline', 'watch', 'shop'], {
      onWait: (count) => {
        if (count === 3) stage.admin.show(shop, { state: 'paused' })
        return count === 5 ? 'stop' : undefined
      },
    })
    expect(ran.code).toBe(0)
    expect(ran.data.split('\n')).toEqual([
      '12:00:00  shop  running  checkpoint 41  lag 1,234  behind 180ms',
      '12:00:00  shop  paused  checkpoint 41  lag 1,234  behind 180ms',
    ])
  })
})

test('checkpoint list and get', async () => {
  await applied()
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
  await applied()
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
    await applied(running)
    const ran = await stage.run(['status'])
    expect(ran.data.split('\n')).toEqual([
      'Data is flowing in 1 of 1 pipelines',
      '',
      'cluster     memorycluster, version 0.0.0',
      `leader      c1 at ${stage.address}, epoch 7, since 20484d12h`,
      'standby     none: no other coordinator can take over',
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
    await applied({ ...running, state: 'stopped', failure: told })
    const ran = await stage.run(['status'])
    expect(ran.data).toContain('Data is NOT flowing in 1 of 1 pipelines: shop')
    expect(ran.data).toContain('SINK_REFUSED: SQLSTATE 23505')
    expect((await stage.run(['cluster', 'status'])).data).toContain('c1           leader')
  })

  test('is drawn again with --watch, as one JSON line each for programs', async () => {
    await applied(running)
    const onWait = (count: number) => (count === 3 ? ('stop' as const) : undefined)
    const ran = await stage.run(['status', '--watch', '-o', 'json'], { onWait })
    const lines = ran.data.split('\n').map((line) => JSON.parse(line))
    expect(lines).toHaveLength(3)
    expect(lines[0].pipelines[0].name).toBe('pipelines/shop')
  })

  test('is coloured only for people, and never with NO_COLOR', async () => {
    await applied(running)
    const code = '\u001b['
    const plain = await stage.run(['status'])
    const person = await stage.run(['status'], { isTty: 'yes' })
    const noColor = await stage.run(['status'], { isTty: 'yes', env: { NO_COLOR: '1' } })
    expect(person.data).toContain(code)
    for (const ran of [plain, noColor]) expect(ran.data).not.toContain(code)
  })

  test('shows no control characters from outside', async () => {
    const told = failure('TASK_FAILED', { detail: 'evil \u001b[2J text' })
    await applied({ ...running, state: 'stopped', failure: told })
    for (const args of [['status'], ['pipeline', 'list']]) {
      const ran = await stage.run(args)
      expect(ran.data).toContain('evil ?[2J text')
    }
  })
})

describe('exit codes', () => {
  test.each<[string[], number]>([
    [['--help'], 0],
    [['--version'], 0],
    [['pipeline', 'list', '--help'], 0],
    [['frobnicate'], 2],
    [['pipeline', 'frobnicate'], 2],
    [['pipeline', 'list', '--colour'], 2],
    [['pipeline', 'list', '-o', 'xml'], 2],
    [['pipeline', 'list', '--limit', 'all'], 2],
    [['pipeline', 'list', '--address', 'nowhere'], 2],
    [['pipeline', 'get', 'Shop'], 2],
    [['pipeline', 'get', 'shop'], 3],
    [['checkpoint', 'list', 'shop'], 3],
  ])('%j ends with %i', async (args, code) => {
    const ran = await stage.run(args)
    expect(ran.code).toBe(code)
    if (code !== 0) expect(ran.data).toBe('')
  })

  test('4: the state does not allow it', async () => {
    await applied({ state: 'deleting' })
    const ran = await stage.run(['pipeline', 'resume', 'shop'])
    expect(ran.code).toBe(4)
    expect(ran.notes).toBe(
      'PRECONDITION_FAILED: pipeline shop is being deleted\nhint: look at its state first',
    )
  })

  test('6: nobody answers, or not in time', async () => {
    const env = { ONCEFLOW_ADDRESS: '127.0.0.1:1' }
    const ran = await runArgs(['status'], { env })
    expect(ran.code).toBe(6)
    expect(ran.notes).toContain('COORDINATOR_UNREACHABLE: no coordinator at 127.0.0.1:1')
  })

  test('1: something that should not happen', async () => {
    stage.admin.getStatus = () => Promise.reject(new Error('canary-secret'))
    const ran = await stage.run(['status'])
    expect(ran.code).toBe(1)
    expect(ran.notes).not.toContain('canary-secret')
  })
})

describe('processes', () => {
  test('name every problem of their configuration', async () => {
    const config = file('lease: {ttl: 1s}\ncolour: red\n', 'config.yaml')
    const args = ['coordinator', '--listen', 'x', '--config', config]
    const ran = await runArgs(args, { env: { ONCEFLOW_LOG__LEVEL: 'loud' } })
    expect(ran.code).toBe(2)
    expect(ran.notes.split('\n')).toEqual([
      'CONFIG_INVALID: 5 problem(s)',
      '  colour: is not a known setting',
      '  lease.ttl: must be at least 2s and three times heartbeat.interval',
      '  ONCEFLOW_LOG__LEVEL: must be one of debug, info, warn, error',
      '  --listen: must be host:port, not x',
      '  metadata.endpoints: is required',
      'hint: onceflow coordinator --help lists the settings',
    ])
  })

  test.each(['coordinator', 'worker', 'dev'])('%s --help lists the settings', async (name) => {
    const ran = await runArgs([name, '--help'])
    expect(ran.code).toBe(0)
    expect(ran.data).toContain('--log-level <value>')
    expect(ran.data).toContain('--insecure-bind [yes|no]')
  })

  test('take no secret as an argument', async () => {
    const help = (await runArgs(['coordinator', '--help'])).data
    expect(help).toContain('--metadata-password-file <path>')
    expect(help).not.toContain('--metadata-password <')
  })
})
