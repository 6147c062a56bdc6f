import { spawn } from 'node:child_process'
import { access, chmod, mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const script = join(import.meta.dirname, '..', '..', 'scripts', 'stack')
const STEP_MS = 120_000

interface Ended {
  readonly code: number | null
  readonly output: string
  readonly messages: string
}

interface Service {
  readonly name: string
  readonly state: 'up' | 'down' | 'frozen'
  readonly pid: number | null
  readonly port: number
}

let folder = ''

// Below the range from which the system takes ports by itself, and apart from the default of 27000.
const portBase = 20_000 + Math.floor(Math.random() * 250) * 24

function run(...words: string[]): Promise<Ended> {
  const [command = '', ...rest] = words
  return new Promise((resolve, reject) => {
    const child = spawn(script, [command, '--dir', join(folder, 'stack'), ...rest], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    let messages = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8')
    })
    child.stderr.on('data', (chunk: Buffer) => {
      messages += chunk.toString('utf8')
    })
    child.on('error', reject)
    child.on('close', (code) => {
      resolve({ code, output, messages })
    })
  })
}

async function mustRun(...words: string[]): Promise<Ended> {
  const ended = await run(...words)
  if (ended.code !== 0) throw new Error(`${words.join(' ')}: ${ended.code}\n${ended.messages}`)
  return ended
}

async function services(): Promise<readonly Service[]> {
  const { output } = await run('status', '--json')
  return (JSON.parse(output) as { services: readonly Service[] }).services
}

async function serviceNamed(name: string): Promise<Service> {
  const found = (await services()).find((service) => service.name === name)
  if (found === undefined) throw new Error(`there is no service ${name}`)
  return found
}

/** Processes that work inside the folder, as the system itself tells it. */
async function processesInside(path: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '')
    if (`${cwd}/`.startsWith(`${path}/`)) found.push(`${pid} ${cwd}`)
  }
  return found
}

// Exit code 3: this machine cannot have the services, which is the caller's to know, not a fault.
const only = 'kafka,etcd,target'
const check = await run('check', '--only', only)
if (check.code === 3) console.warn(`the stack is not tested here: ${check.messages}`)

beforeAll(async () => {
  if (check.code === 3) return
  folder = await mkdtemp(join(tmpdir(), 'onceflow-stack-'))
  // The user of PostgreSQL has to walk through it.
  await chmod(folder, 0o755)
  await mustRun('up', '--port-base', String(portBase), '--only', only)
}, 600_000)

afterAll(async () => {
  if (check.code === 3) return
  await run('wipe')
  await rm(folder, { recursive: true, force: true })
}, STEP_MS)

describe.skipIf(check.code === 3)('scripts/stack', () => {
  test('tells what runs, and its addresses', { timeout: STEP_MS }, async () => {
    expect((await services()).map(({ name, state, port }) => ({ name, state, port }))).toEqual([
      { name: 'kafka-1', state: 'up', port: portBase },
      { name: 'etcd-1', state: 'up', port: portBase + 18 },
      { name: 'target', state: 'up', port: portBase + 17 },
    ])
    const { output } = await mustRun('status', '--env')
    expect(output).toContain(`KAFKA_BROKERS=127.0.0.1:${portBase}\n`)
    expect(output).toContain(`ETCD_ENDPOINTS=http://127.0.0.1:${portBase + 18}\n`)
    expect(output).toContain(`TARGET_URL=postgres://postgres@127.0.0.1:${portBase + 17}/target\n`)
  })

  test('up on a running stack changes nothing', { timeout: STEP_MS }, async () => {
    const before = await services()
    expect((await mustRun('up')).messages).toContain('already up')
    expect((await services()).map(({ pid }) => pid)).toEqual(before.map(({ pid }) => pid))
  })

  test('refuses ports that something else has', { timeout: STEP_MS }, async () => {
    const own = join(folder, 'second')
    const ended = await run('up', '--dir', own, '--port-base', String(portBase), '--only', 'etcd')
    expect(ended.code).toBe(4)
    expect(ended.messages).toContain(`port ${portBase + 18} (etcd-1) is taken`)
  })

  test.each(['kafka-1', 'etcd-1', 'target'])(
    'kills, starts and freezes %s',
    async (name) => {
      const first = await serviceNamed(name)
      await mustRun('kill', name)
      expect(await serviceNamed(name)).toMatchObject({ state: 'down', pid: null })
      expect((await run('status')).code).toBe(1)
      await mustRun('start', name)
      const second = await serviceNamed(name)
      expect(second.state).toBe('up')
      expect(second.pid).not.toBe(first.pid)
      await mustRun('freeze', name)
      expect((await serviceNamed(name)).state).toBe('frozen')
      await mustRun('thaw', name)
      expect(await serviceNamed(name)).toEqual(expect.objectContaining(second))
    },
    STEP_MS,
  )

  test('keeps what was committed when PostgreSQL crashes', { timeout: STEP_MS }, async () => {
    const sql = 'create table kept as select 42 as answer'
    await mustRun('psql', 'target', '-q', '-c', sql)
    await mustRun('stop', 'target', '--mode', 'immediate')
    await mustRun('start', 'target')
    const { output } = await mustRun('psql', 'target', '-qtA', '-c', 'select answer from kept')
    expect(output.trim()).toBe('42')
  })

  test(
    'down leaves no process, also of what is frozen; wipe leaves nothing',
    async () => {
      await mustRun('freeze', 'etcd-1')
      await mustRun('down')
      expect((await services()).map(({ state }) => state)).toEqual(['down', 'down', 'down'])
      expect(await processesInside(folder)).toEqual([])
      await mustRun('wipe')
      await expect(access(join(folder, 'stack'))).rejects.toThrow('ENOENT')
    },
    STEP_MS,
  )
})
