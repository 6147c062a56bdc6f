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

/** A PostgreSQL of our own: free port, own folder, removed at the end. */
export interface Server {
  readonly port: number
  query(
    sql: string,
    values?: readonly unknown[],
    database?: string,
  ): Promise<Record<string, unknown>[]>
  close(): Promise<void>
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

export async function startServer(): Promise<Server> {
  if (binaries === undefined) throw new Error(`no PostgreSQL in ${folders.join(', ')}`)
  const folder = await mkdtemp(join(tmpdir(), 'onceflow-audit-'))
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
  const settings = [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${folder}'`,
    'max_prepared_transactions = 64',
    'fsync = off',
    'shared_buffers = 64MB',
    '',
  ]
  await appendFile(join(data, 'postgresql.conf'), settings.join('\n'))
  const control = (args: readonly string[]) => {
    const { file, args: all } = asServer(join(binaries, 'pg_ctl'), ['-D', data, '-w', ...args])
    return new Promise<void>((resolve, reject) => {
      // No pipe: the server would inherit it and keep it open.
      spawn(file, all, { cwd: folder, stdio: 'ignore' }).on('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`pg_ctl ${args.join(' ')}: ${code}`)),
      )
    })
  }
  await control(['-l', join(folder, 'log'), 'start'])
  return {
    port,
    query: (sql, values = [], database = 'postgres') => query({ port, database }, sql, values),
    close: async () => {
      await control(['-m', 'immediate', 'stop']).catch(() => undefined)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function query(
  where: { readonly port: number; readonly database: string },
  sql: string,
  values: readonly unknown[],
) {
  const client = new Client({ host: '127.0.0.1', user: 'postgres', ...where })
  client.on('error', () => undefined)
  await client.connect()
  try {
    // Without values the simple protocol takes several statements at once.
    const result =
      values.length === 0 ? await client.query(sql) : await client.query(sql, [...values])
    const last = Array.isArray(result) ? result.at(-1) : result
    return last?.rows ?? []
  } finally {
    await client.end()
  }
}
