import { execFile } from 'node:child_process'
import { chmod, chown, cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, connect as dial } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ServerWatch } from '../src/server.ts'
import { type Server, startServer } from './server-fixture.ts'
import {
  codeOf,
  itemShape,
  newRig,
  openTask,
  resolve,
  row,
  sealed,
  source,
} from './sink-fixture.ts'

const run = promisify(execFile)

describe('a server that must not be used', () => {
  let server: Server
  beforeAll(async () => {
    server = await startServer({ maxPreparedTransactions: 0 })
  })
  afterAll(() => server.close())

  test('because it prepares no transactions: the tag and the code say so', async () => {
    const rig = newRig(server)
    await resolve(rig, 1)
    const sink = await openTask(rig, 1)
    const shape = await sink.resolveTable(source, itemShape)
    expect(await codeOf(sealed(sink, [row(shape, ['1', 'a', '1'])], 1))).toBe('SINK_LIMIT')
    await sink.close()
  })

  test('because a pooler stands before it', async () => {
    const pooler = createServer((client) => {
      const backend = dial(server.port, '127.0.0.1')
      client.pipe(backend).on('error', () => client.destroy())
      backend.on('data', (data) => {
        const place = data.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]))
        if (place !== -1) data.writeInt32BE(4_242, place + 5)
        client.write(data)
      })
      backend.on('close', () => client.destroy())
      client.on('error', () => backend.destroy())
    })
    await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve))
    const address = pooler.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    expect(await codeOf(resolve(newRig({ port }), 1))).toBe('SINK_UNSUITABLE')
    pooler.close()
  })

  test('because it is in recovery', async () => {
    await server.stop('fast')
    await writeFile(join(server.data, 'standby.signal'), '')
    const { uid, gid } = await stat(server.data)
    await chown(join(server.data, 'standby.signal'), uid, gid)
    await server.start()
    expect(await codeOf(resolve(newRig(server), 1))).toBe('SINK_UNSUITABLE')
  })
})

describe('what is remembered of a server', () => {
  const seen = { systemIdentifier: '1', timeline: '00000002', version: 150_000 }
  test.each([
    ['the same', seen, undefined],
    ['a newer timeline', { ...seen, timeline: '0000000A' }, undefined],
    ['an older timeline', { ...seen, timeline: '00000001' }, 'SINK_UNSUITABLE'],
    ['another cluster', { ...seen, systemIdentifier: '2' }, 'SINK_UNSUITABLE'],
  ])('%s', (_, found, code) => {
    const watch = new ServerWatch()
    expect(watch.check('host', seen)).toBeUndefined()
    expect(watch.check('host', found)?.code).toBe(code)
    expect(watch.check('other host', found)).toBeUndefined()
  })
})

describe('sslmode', () => {
  let plain: Server
  let secure: Server
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'onceflow-tls-'))
    // For the address only, not for the name localhost; signed by itself.
    await run(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=db'],
        ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', 'key.pem', '-out', 'cert.pem'],
      ],
      { cwd: folder },
    )
    plain = await startServer()
    secure = await startServer({
      settings: ['ssl = on', "ssl_cert_file = 'cert.pem'", "ssl_key_file = 'key.pem'"],
      prepare: async (data) => {
        const { uid, gid } = await stat(data)
        for (const name of ['cert.pem', 'key.pem']) {
          await cp(join(folder, name), join(data, name))
          await chmod(join(data, name), 0o600)
          await chown(join(data, name), uid, gid)
        }
      },
    })
    await secure.query('SELECT 1')
  })
  afterAll(async () => {
    await plain.close()
    await secure.close()
    await rm(folder, { recursive: true, force: true })
  })

  const modes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
  const outcome = async (server: Server, more: Parameters<typeof newRig>[1]) =>
    codeOf(resolve(newRig(server, more), 1))

  test('against a server without TLS', async () => {
    const codes: string[] = []
    for (const sslmode of modes) codes.push(await outcome(plain, { sslmode }))
    expect(codes).toEqual([
      'none',
      'none',
      'SINK_UNREACHABLE',
      'SINK_UNREACHABLE',
      'SINK_UNREACHABLE',
    ])
  })

  test('against a certificate that nobody we know has signed', async () => {
    const codes: string[] = []
    for (const sslmode of modes) codes.push(await outcome(secure, { sslmode }))
    expect(codes).toEqual(['none', 'none', 'none', 'SINK_UNREACHABLE', 'SINK_UNREACHABLE'])
  })

  test('with the root certificate: the name is checked by verify-full only', async () => {
    const sslRootCertFile = join(folder, 'cert.pem')
    const codes: string[] = []
    for (const sslmode of modes) codes.push(await outcome(secure, { sslmode, sslRootCertFile }))
    expect(codes).toEqual(['none', 'none', 'none', 'none', 'none'])
    const named: string[] = []
    for (const sslmode of modes) {
      named.push(await outcome(secure, { sslmode, sslRootCertFile, host: 'localhost' }))
    }
    expect(named).toEqual(['none', 'none', 'none', 'none', 'SINK_UNREACHABLE'])
  })

  test('prefer takes TLS where it is offered', async () => {
    const rig = newRig(secure, { sslmode: 'prefer' })
    await resolve(rig, 1)
    const sink = await openTask(rig, 1)
    const rows = await secure.query(
      `SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
       WHERE application_name LIKE 'onceflow:%'`,
    )
    expect(rows).toEqual([{ ssl: true }])
    await sink.close()
  })
})
