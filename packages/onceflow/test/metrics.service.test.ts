import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseProcessConfig } from '@onceflow/spec'
import { type RunningDev, startDev } from 'onceflow'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyShop, queryIn, until } from './dev-child.ts'
import { ShopLog, shopTables } from './shop-log.ts'

let directory: string
let dev: RunningDev | undefined

const configOf = (flags: Readonly<Record<string, string>>) => {
  const parsed = parseProcessConfig('dev', {
    flags: { listen: '127.0.0.1:0', directory, 'log.level': 'error', ...flags },
    environment: {},
    file: undefined,
  })
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
  return parsed.config
}
const runtime = { version: '1.2.3-test', env: {}, failPoints: '' }

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'onceflow-metrics-'))
  chmodSync(directory, 0o755)
  dev = await startDev(configOf({ 'metrics.listen': '127.0.0.1:0' }), runtime)
})
afterAll(async () => {
  await dev?.stop()
  rmSync(directory, { recursive: true, force: true })
})

const running = (): RunningDev => {
  if (dev === undefined) throw new Error('onceflow dev does not run')
  return dev
}

const get = (path: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${running().metricsPort}${path}`)

/** Value by series, the series as it is written. */
async function scrape(): Promise<ReadonlyMap<string, number>> {
  const text = await (await get('/metrics')).text()
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const at = line.lastIndexOf(' ')
        return [line.slice(0, at), Number(line.slice(at + 1))]
      }),
  )
}

/** Of the cluster, whatever the process itself has besides. */
const ownNames = [
  'onceflow_build_info',
  'onceflow_leader',
  'onceflow_leader_epoch',
  'onceflow_workers',
  'onceflow_pipeline_state',
  'onceflow_pipeline_attempt',
  'onceflow_source_lag_records',
  'onceflow_commit_freshness_seconds',
  'onceflow_records_per_second',
  'onceflow_rows_per_second',
  'onceflow_checkpoints_total',
  'onceflow_recoveries_total',
  'onceflow_checkpoint_last_completed_timestamp_seconds',
  'onceflow_checkpoint_duration_seconds',
  'onceflow_sink_prepared_transactions',
  'onceflow_sink_oldest_prepared_age_seconds',
]

describe('/metrics', () => {
  test('serves every series with its help and type, in the text format', async () => {
    const response = await get('/metrics')
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
    const lines = (await response.text()).split('\n')
    for (const name of ownNames) {
      const help = lines.find((line) => line.startsWith(`# HELP ${name} `))
      expect(help?.length, name).toBeGreaterThan(`# HELP ${name} `.length)
      expect(lines, name).toContainEqual(
        expect.stringMatching(new RegExp(`^# TYPE ${name} (?:gauge|counter)$`)),
      )
    }
    expect((await get('/')).status).toBe(404)
  })

  test('moves with the pipeline', async () => {
    await until('a leader with two workers', async () => {
      const found = await scrape()
      const ready = found.get('onceflow_workers{state="live"}') === 2
      return ready && found.get('onceflow_leader') === 1 ? 'ready' : undefined
    })
    const before = await scrape()
    expect(before.get('onceflow_build_info{version="1.2.3-test",role="coordinator"}')).toBe(1)
    expect([...before.keys()].filter((name) => name.includes('pipeline='))).toEqual([])

    await queryIn(running(), shopTables)
    const log = await ShopLog.open(running().logDirectory)
    await applyShop(running())
    const checkpoints = 'onceflow_checkpoints_total{result="completed"}'
    const first = await flowed(log, before.get(checkpoints) ?? 0)
    const second = await flowed(log, first.get(checkpoints) ?? 0)

    const of = (name: string, from = second) => from.get(`${name}{pipeline="shop"}`) ?? -1
    expect(second.get('onceflow_pipeline_state{pipeline="shop",state="running"}')).toBe(1)
    expect(of('onceflow_pipeline_attempt')).toBe(1)
    expect(of('onceflow_commit_freshness_seconds')).toBeGreaterThan(0)
    expect(of('onceflow_checkpoint_duration_seconds')).toBeGreaterThan(0)
    const decided = 'onceflow_checkpoint_last_completed_timestamp_seconds'
    expect(of(decided)).toBeGreaterThan(of(decided, first))
    expect(second.get('onceflow_recoveries_total')).toBe(0)
  })
})

/** Appends, and waits until another checkpoint was completed and nothing lags behind. */
async function flowed(log: ShopLog, completedBefore: number): Promise<ReadonlyMap<string, number>> {
  log.append(20)
  return until('another checkpoint', async () => {
    const found = await scrape()
    const completed = found.get('onceflow_checkpoints_total{result="completed"}') ?? 0
    const lag = found.get('onceflow_source_lag_records{pipeline="shop"}')
    const prepared = found.get('onceflow_sink_prepared_transactions{pipeline="shop"}')
    // Tasks tell their figures with heartbeats, so these follow the checkpoint.
    const told = found.has('onceflow_commit_freshness_seconds{pipeline="shop"}')
    const rests = lag === 0 && prepared === 0 && told
    return completed > completedBefore && rests ? found : undefined
  })
}

describe('a configuration that cannot be', () => {
  test.each(['nonsense', 'http://u:canary@h/db', 'postgres://u:canary@h'])(
    'refuses the URL %s without repeating it',
    async (value) => {
      const other = mkdtempSync(join(tmpdir(), 'onceflow-metrics-'))
      const config = {
        ...configOf({ directory: other }),
        postgresUrl: { kind: 'inline' as const, value },
      }
      const error = await startDev(config, runtime).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ failure: { code: 'CONFIG_INVALID' } })
      expect(String(error)).not.toMatch(/canary|nonsense/)
      rmSync(other, { recursive: true, force: true })
    },
  )

  test.each(['metrics', ':9090', '127.0.0.1:x'])(
    'refuses the metrics address %s, and leaves nothing running',
    async (metricsListen) => {
      const other = mkdtempSync(join(tmpdir(), 'onceflow-metrics-'))
      const { host, port, user, password, database } = running().database
      const value = `postgres://${user}:${password}@${host}:${port}/${database}`
      const config = {
        ...configOf({ directory: other, listen: `127.0.0.1:${await freePort()}` }),
        metricsListen,
        postgresUrl: { kind: 'inline' as const, value },
      }
      const start = (): Promise<RunningDev> => startDev(config, runtime)
      await expect(start()).rejects.toMatchObject({ failure: { code: 'CONFIG_INVALID' } })
      // Folder and port are free again: the second try gets as far as the first one.
      await expect(start()).rejects.toMatchObject({ failure: { code: 'CONFIG_INVALID' } })
      rmSync(other, { recursive: true, force: true })
    },
  )
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => {
    server.close(resolve)
  })
  return typeof address === 'object' && address !== null ? address.port : 0
}
