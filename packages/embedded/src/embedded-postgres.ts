import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fail } from '@onceflow/model'
import { findBinaries, readableBinaries, type ServerUser, serverUser } from './postgres-binaries.ts'

export interface EmbeddedPostgresOptions {
  /** Kept from run to run; made where it is missing. */
  readonly directory: string
  /** Unless given: that of the run before while it is free, since pipelines name it. */
  readonly port?: number
  /** Made with the directory; `onceflow` unless given. */
  readonly database?: string
  /** For a source of changes: logical. */
  readonly walLevel?: 'replica' | 'logical'
}

/** A server of PostgreSQL 18 that only this machine can reach. */
export interface EmbeddedPostgres {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  /** Where data and log are: the folder asked for, or its stand-in where root asked (homeOf). */
  readonly directory: string
  readonly logFile: string
  /** Resolves when the server is gone, asked or not. */
  readonly exited: Promise<void>
  stop(): Promise<void>
}

interface Cluster {
  readonly home: string
  readonly bin: string
  readonly user: ServerUser | undefined
  readonly data: string
  readonly logFile: string
  readonly passwordFile: string
}

const superuser = 'onceflow'
/** Room for eight pipelines of eight tasks; PostgreSQL's own default is none. */
const preparedTransactionsMax = 64
const startMsMax = 60_000
const stopMsMax = 30_000

export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const database = options.database ?? 'onceflow'
  const cluster = locate(resolve(options.directory))
  await stopLeftover(cluster)
  if (!existsSync(join(cluster.data, 'PG_VERSION'))) initialise(cluster, database)
  const port = options.port ?? (await keptPort(cluster))
  const server = launch(cluster, { port, walLevel: options.walLevel ?? 'replica' })
  const exited = new Promise<void>((settled) => server.once('exit', () => settled()))
  await untilReady(server, cluster)
  return {
    host: '127.0.0.1',
    port,
    user: superuser,
    password: readFileSync(cluster.passwordFile, 'utf8').trim(),
    database,
    directory: cluster.home,
    logFile: cluster.logFile,
    exited,
    stop: () => stop(server, exited),
  }
}

function locate(directory: string): Cluster {
  const user = serverUser()
  const bin = join(readableBinaries(findBinaries(), user), 'bin')
  const home = homeOf(directory, user)
  return {
    bin,
    user,
    home,
    data: join(home, 'data'),
    logFile: join(home, 'postgres.log'),
    passwordFile: join(home, 'password'),
  }
}

/** The folder, or one below /var/lib where root's server user may not enter the folder itself. */
function homeOf(directory: string, user: ServerUser | undefined): string {
  mkdirSync(directory, { recursive: true })
  if (user === undefined) return directory
  let home = directory
  if (!mayEnter(directory, user)) {
    const name = createHash('sha256').update(directory).digest('hex').slice(0, 16)
    home = join('/var/lib/onceflow', name)
    mkdirSync(home, { recursive: true })
  }
  chownSync(home, user.uid, user.gid)
  return home
}

function mayEnter(directory: string, user: ServerUser): boolean {
  try {
    execFileSync('test', ['-x', directory], { ...user, cwd: '/', stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function initialise(cluster: Cluster, database: string): void {
  const { user, data, passwordFile } = cluster
  writeFileSync(passwordFile, `${randomBytes(18).toString('base64url')}\n`, { mode: 0o600 })
  if (user !== undefined) chownSync(passwordFile, user.uid, user.gid)
  run(cluster, 'initdb', {
    options: [
      ...['-D', data, '--username', superuser, '--pwfile', passwordFile],
      ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C'],
    ],
  })
  if (database === 'postgres') return
  const name = database.replaceAll('"', '""')
  try {
    run(cluster, 'postgres', {
      options: ['--single', '-D', data, '-c', 'log_destination=stderr', 'postgres'],
      input: `CREATE DATABASE "${name}"\n`,
    })
  } catch (thrown) {
    // Half made: the next start must begin anew.
    rmSync(data, { recursive: true, force: true })
    throw thrown
  }
}

function run(
  cluster: Cluster,
  program: string,
  call: { readonly options: readonly string[]; readonly input?: string },
): void {
  try {
    execFileSync(join(cluster.bin, program), call.options, {
      ...cluster.user,
      cwd: '/',
      stdio: 'pipe',
      input: call.input ?? '',
      timeout: startMsMax,
    })
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown)
    fail('EMBEDDED_UNAVAILABLE', { detail: `${program} failed: ${text.trim()}` })
  }
}

function launch(
  cluster: Cluster,
  settings: { readonly port: number; readonly walLevel: string },
): ChildProcess {
  const configured = {
    port: settings.port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_prepared_transactions: preparedTransactionsMax,
    wal_level: settings.walLevel,
  }
  const flags = Object.entries(configured).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = openSync(cluster.logFile, 'a')
  try {
    // In a group of its own: a Ctrl-C at the terminal must not stop the server before the
    // pipelines have committed.
    return spawn(join(cluster.bin, 'postgres'), ['-D', cluster.data, ...flags], {
      ...cluster.user,
      cwd: '/',
      detached: true,
      stdio: ['ignore', log, log],
    })
  } finally {
    closeSync(log)
  }
}

async function untilReady(server: ChildProcess, cluster: Cluster): Promise<void> {
  let died: string | undefined
  server.once('error', (error) => {
    died = error.message
  })
  server.once('exit', (code, signal) => {
    died = `exit ${code ?? signal}`
  })
  for (let waitedMs = 0; waitedMs < startMsMax && died === undefined; waitedMs += 50) {
    if (pidFileLines(cluster)[7]?.trim() === 'ready') return
    await sleep(50)
  }
  if (died === undefined) server.kill('SIGQUIT')
  const log = existsSync(cluster.logFile) ? readFileSync(cluster.logFile, 'utf8') : ''
  fail('EMBEDDED_UNAVAILABLE', {
    detail: `PostgreSQL did not start (${died ?? 'too slow'}): ${log.slice(-500).trim()}`,
  })
}

async function stop(server: ChildProcess, exited: Promise<void>): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  // Fast shutdown: sessions are ended, prepared transactions stay.
  server.kill('SIGINT')
  const timer = setTimeout(() => server.kill('SIGQUIT'), stopMsMax)
  await exited
  clearTimeout(timer)
}

/** Ends the server that a killed process left running in this folder. */
async function stopLeftover(cluster: Cluster): Promise<void> {
  const pid = Number(pidFileLines(cluster)[0])
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isServerOf(cluster, pid)) return
  process.kill(pid, 'SIGINT')
  for (let waitedMs = 0; waitedMs < stopMsMax; waitedMs += 50) {
    if (!isServerOf(cluster, pid)) return
    await sleep(50)
  }
  fail('EMBEDDED_UNAVAILABLE', { detail: `a server of this folder, process ${pid}, does not stop` })
}

/** The pid of a file may by now belong to another program, so its command line is compared. */
function isServerOf(cluster: Cluster, pid: number): boolean {
  try {
    const command = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { stdio: 'pipe' })
    return command.toString().includes(cluster.data)
  } catch {
    return false
  }
}

/** Lines of postmaster.pid: the process first, its state last. */
function pidFileLines(cluster: Cluster): readonly string[] {
  try {
    return readFileSync(join(cluster.data, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

/** The port of the run before, or another one where somebody else has it now. */
async function keptPort(cluster: Cluster): Promise<number> {
  const file = join(cluster.home, 'port')
  const kept = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
  const port = (await freePort(kept)) ?? (await freePort(0))
  if (port === undefined) return fail('EMBEDDED_UNAVAILABLE', { detail: 'no free port' })
  writeFileSync(file, `${port}\n`)
  return port
}

/** undefined: it is taken. 0 asks for any. */
async function freePort(wanted: number): Promise<number | undefined> {
  const server = createServer()
  const isFree = await new Promise<boolean>((settled) => {
    server.once('error', () => settled(false))
    server.listen(wanted, '127.0.0.1', () => settled(true))
  })
  if (!isFree) return undefined
  const address = server.address()
  await new Promise<void>((settled) => server.close(() => settled()))
  return address === null || typeof address === 'string' ? undefined : address.port
}
