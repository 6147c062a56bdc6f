import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  adminOf,
  applyShop,
  DevChild,
  type DevFacts,
  processesOf,
  queryIn,
  sleep,
  until,
} from './dev-child.ts'
import { ShopLog, shopTables } from './shop-log.ts'

let directory: string
const children: DevChild[] = []
const start = (env: Readonly<Record<string, string>> = {}): DevChild => {
  const child = new DevChild(directory, env)
  children.push(child)
  return child
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'onceflow-dev-'))
  // The database's user, where root runs the tests, may enter it.
  chmodSync(directory, 0o755)
})
afterEach(async () => {
  const codes = await Promise.all(children.splice(0).map((child) => child.end('SIGTERM')))
  expect(codes.every((code) => code !== 70)).toBe(true)
  expect(processesOf(directory)).toEqual([])
  rmSync(directory, { recursive: true, force: true })
})

const ticksIn = async (facts: DevFacts): Promise<number> => {
  const [row] = await queryIn(facts, 'SELECT count(*)::int AS rows FROM ticks')
  return (row as { rows: number }).rows
}

async function untilMoreThan(facts: DevFacts, rows: number): Promise<number> {
  return until(`more than ${rows} ticks`, async () => {
    const found = await ticksIn(facts)
    return found > rows ? found : undefined
  })
}

/** Everything once: no tick lost or twice, the last state of each order, nothing left prepared. */
async function expectAllOnce(facts: DevFacts, log: ShopLog): Promise<void> {
  await until(`${log.sent} ticks`, async () =>
    (await ticksIn(facts)) >= log.sent ? 'all' : undefined,
  )
  await until('nothing prepared', async () => {
    const left = await queryIn(facts, 'SELECT gid FROM pg_prepared_xacts')
    return left.length === 0 ? 'nothing' : undefined
  })
  const ticks = await queryIn(
    facts,
    'SELECT count(*)::int AS rows, count(DISTINCT n)::int AS different, max(n)::int AS max FROM ticks',
  )
  expect(ticks).toEqual([{ rows: log.sent, different: log.sent, max: log.sent - 1 }])
  expect(await queryIn(facts, 'SELECT id, n FROM orders ORDER BY id')).toEqual(log.lastByOrder())
}

test('everything arrives once although the process is killed in the middle, twice', async () => {
  let child = start()
  let facts = await child.facts()
  const log = await ShopLog.open(facts.logDirectory)
  await queryIn(facts, shopTables)
  await applyShop(facts)
  log.start()
  try {
    for (let kill = 0; kill < 2; kill += 1) {
      await untilMoreThan(facts, kill === 0 ? 0 : await ticksIn(facts))
      await sleep(Math.random() * 300)
      expect(await child.end('SIGKILL')).toBe(null)
      child = start()
      const next = await child.facts()
      // The pipeline names the database by its port, and the folder is the same.
      expect(next.database).toEqual(facts.database)
      expect(next.logDirectory).toBe(facts.logDirectory)
      facts = next
      await untilMoreThan(facts, await ticksIn(facts))
    }
  } finally {
    log.stop()
  }
  await expectAllOnce(facts, log)
})

test('a clean stop hands over: nothing is prepared, and the next start goes on', async () => {
  const first = start()
  const facts = await first.facts()
  const log = await ShopLog.open(facts.logDirectory)
  await queryIn(facts, shopTables)
  await applyShop(facts)
  log.append(50)
  await untilMoreThan(facts, 0)
  log.append(50)
  expect(await first.end('SIGTERM')).toBe(0)
  expect(processesOf(directory)).toEqual([])
  log.append(50)
  const again = await start().facts()
  await expectAllOnce(again, log)
  const client = adminOf(again)
  const { pipeline } = await client.call('GetPipeline', { name: 'pipelines/shop' })
  client.close()
  expect(pipeline?.state).toBe('STATE_RUNNING')
})

test('a second start in the same folder is refused, and leaves the first one alone', async () => {
  const first = start()
  const facts = await first.facts()
  const { metricsPort, ...places } = facts
  expect(metricsPort).toBeGreaterThan(0)
  // dev.json tells where everything is, to its owner only.
  const file = join(directory, 'dev.json')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(places)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(first.log).toContain('NOT for production')
  expect(first.log).not.toContain(facts.database.password)
  const second = start()
  expect(await second.says()).toMatchObject({
    code: 'METADATA_UNREACHABLE',
    detail: expect.stringContaining('decisions.sqlite'),
    hint: expect.stringContaining('one process at a time'),
  })
  expect(await second.end('none')).toBe(1)
  expect(await queryIn(facts, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  const client = adminOf(facts)
  const { status } = await client.call('GetStatus', {})
  client.close()
  expect(status?.workersLive).toBe(2)
})

test('a start that fails leaves no database behind, and the folder free', async () => {
  const taken = await start().facts()
  const other = mkdtempSync(join(tmpdir(), 'onceflow-dev-'))
  chmodSync(other, 0o755)
  try {
    const failing = new DevChild(other, { ONCEFLOW_LISTEN: taken.address })
    const said = await failing.says()
    expect(JSON.stringify(said)).toContain(taken.address.split(':')[1])
    expect(await failing.end('none')).toBe(1)
    expect(processesOf(other)).toEqual([])
    const next = new DevChild(other)
    expect((await next.facts()).database.port).toBeGreaterThan(0)
    expect(await next.end('SIGTERM')).toBe(0)
  } finally {
    rmSync(other, { recursive: true, force: true })
  }
})

test('a database given by URL is used, and its password is never printed', async () => {
  const { database } = await start().facts()
  const other = mkdtempSync(join(tmpdir(), 'onceflow-dev-'))
  const { host, port, user, password } = database
  const child = new DevChild(other, {
    ONCEFLOW_POSTGRES__URL: `postgres://${user}:${password}@${host}:${port}/${database.database}`,
    ONCEFLOW_LOG__LEVEL: 'debug',
  })
  try {
    const facts = await child.facts()
    expect(facts.database).toEqual(database)
    await queryIn(facts, shopTables)
    const log = await ShopLog.open(facts.logDirectory)
    await applyShop(facts)
    log.append(20)
    await expectAllOnce(facts, log)
    expect(child.log).not.toContain(password)
  } finally {
    expect(await child.end('SIGTERM')).toBe(0)
    rmSync(other, { recursive: true, force: true })
  }
})
