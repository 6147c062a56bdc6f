import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'

const run = promisify(execFile)

const folders = [18, 17, 16, 15, 14, 13].map((version) => `/usr/lib/postgresql/${version}/bin`)
const binaries = folders.find((folder) => existsSync(join(folder, 'initdb')))

/** A PostgreSQL of our own: free port, own folder, stopped and removed at the end. */
export interface Server {
  readonly port: number
  readonly data: string
  query(sql: string, database?: string): Promise<Record<string, unknown>[]>
  stop(mode: 'fast' | 'immediate'): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export interface ServerOptions {
  readonly maxPreparedTransactions?: number
  readonly settings?: readonly string[]
  /** Does what must be done in the data folder before the first start. */
  readonly prepare?: (data: string) => Promise<void>
}

/** PostgreSQL refuses to run as root: as root everything goes through the account postgres. */
const isRoot = process.getuid?.() === 0
const asServer = (command: string, args: readonly string[]) =>
  isRoot
    ? { file: 'runuser', args: ['-u', 'postgres', '--', command, ...args] }
    : { file: command, args: [...args] }

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

export async function startServer(options: ServerOptions = {}): Promise<Server> {
  if (binaries === undefined) throw new Error(`no PostgreSQL in ${folders.join(', ')}`)
  const folder = await mkdtemp(join(tmpdir(), 'onceflow-postgres-'))
  if (isRoot) {
    const { stdout } = await run('id', ['-u', 'postgres'])
    await chown(folder, Number(stdout), 0)
  }
  const data = join(folder, 'data')
  const port = await freePort()
  const initdb = asServer(join(binaries, 'initdb'), [
    ...['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8'],
    '--locale=C.UTF-8',
  ])
  await run(initdb.file, initdb.args, { cwd: folder })
  await appendFile(
    join(data, 'postgresql.conf'),
    [
      `port = ${port}`,
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = '${folder}'`,
      `max_prepared_transactions = ${options.maxPreparedTransactions ?? 64}`,
      'fsync = off',
      'max_connections = 60',
      'shared_buffers = 64MB',
      ...(options.settings ?? []),
      '',
    ].join('\n'),
  )
  await options.prepare?.(data)
  const control = (args: readonly string[]) => {
    const { file, args: all } = asServer(join(binaries, 'pg_ctl'), ['-D', data, '-w', ...args])
    return new Promise<void>((resolve, reject) => {
      // No pipe: the server would inherit it and keep it open.
      spawn(file, all, { cwd: folder, stdio: 'ignore' }).on('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`pg_ctl ${args.join(' ')}: ${code}`)),
      )
    })
  }
  const start = () => control(['-l', join(folder, 'log'), 'start'])
  await start()
  return {
    port,
    data,
    start,
    stop: (mode) => control(['-m', mode, 'stop']),
    query: (sql, database = 'postgres') => query({ port, sql, database }),
    close: async () => {
      await control(['-m', 'immediate', 'stop']).catch(() => undefined)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function query(what: { port: number; sql: string; database: string }) {
  const { port, sql, database } = what
  const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const result = await client.query(sql)
    const last = Array.isArray(result) ? result.at(-1) : result
    return last?.rows ?? []
  } finally {
    await client.end()
  }
}
