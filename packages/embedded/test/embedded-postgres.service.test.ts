import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@onceflow/embedded'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'onceflow-postgres-'))
  // The server's user, where root runs the tests, may enter it.
  chmodSync(folder, 0o755)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** SSLRequest of the wire protocol: a server of PostgreSQL answers with one letter. */
function answerOf(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', reject)
    socket.on('connect', () => socket.write(Buffer.from('0000000804d2162f', 'hex')))
    socket.on('data', (data) => {
      socket.destroy()
      resolve(data.toString())
    })
  })
}

test('starts, answers, stops, and starts again with the same data', async () => {
  const directory = join(folder, 'server')
  const first = await startEmbeddedPostgres({ directory })
  expect(first).toMatchObject({ host: '127.0.0.1', user: 'onceflow', database: 'onceflow' })
  expect(await answerOf(first.port)).toMatch(/^[NS]$/)
  await first.stop()
  await first.exited
  await first.stop()
  await expect(answerOf(first.port)).rejects.toThrow('ECONNREFUSED')
  const second = await startEmbeddedPostgres({ directory })
  expect(second.password).toBe(first.password)
  expect(second.port).toBe(first.port)
  expect(await answerOf(second.port)).toMatch(/^[NS]$/)
  // As when the process before was killed: the server it left is stopped first.
  const third = await startEmbeddedPostgres({ directory })
  await second.exited
  expect(third.port).toBe(first.port)
  expect(await answerOf(third.port)).toMatch(/^[NS]$/)
  await third.stop()
})

test.runIf(process.getuid?.() === 0)('root may keep it in a folder of its own', async () => {
  const closed = join(folder, 'closed')
  mkdirSync(closed, { mode: 0o700 })
  const server = await startEmbeddedPostgres({ directory: join(closed, 'server') })
  expect(server.directory).not.toContain(folder)
  expect(await answerOf(server.port)).toMatch(/^[NS]$/)
  await server.stop()
  rmSync(server.directory, { recursive: true })
})

test('what cannot be started says why', async () => {
  const starting = startEmbeddedPostgres({ directory: join(folder, 'bad'), port: 1 })
  await expect(starting).rejects.toThrow('EMBEDDED_UNAVAILABLE')
})
