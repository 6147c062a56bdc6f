import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EtcdMetadataStore } from '@onceflow/etcd'
import type { TxnRequest } from '@onceflow/ports'
import { Etcd3 } from 'etcd3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EtcdServer } from './etcd-server.ts'

const put: TxnRequest = {
  compares: [],
  writes: [{ kind: 'put', key: 'k', value: 'v' }],
  elseReads: [],
}
const prefix = 'onceflow/test/'

describe('etcd over TLS, with certificates on both sides', () => {
  let folder: string
  let server: EtcdServer
  const pem = (name: string): Uint8Array => readFileSync(join(folder, name))
  const openssl = (...options: readonly string[]): void => {
    execFileSync('openssl', options, { cwd: folder, stdio: 'pipe' })
  }
  const authority = (name: string): void => {
    const subject = ['-subj', `/CN=${name}`, '-days', '2']
    const files = ['-keyout', `${name}.key`, '-out', `${name}.crt`]
    openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files)
  }
  const certificate = (name: string): void => {
    const files = ['-keyout', `${name}.key`, '-out', `${name}.csr`]
    openssl('req', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${name}`, ...files)
    writeFileSync(join(folder, `${name}.ext`), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n')
    const signer = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2']
    const request = ['-in', `${name}.csr`, '-out', `${name}.crt`, '-extfile', `${name}.ext`]
    openssl('x509', '-req', ...request, ...signer)
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'onceflow-tls-'))
    authority('ca')
    authority('stranger')
    certificate('server')
    certificate('client')
    server = await EtcdServer.start([
      ...['--cert-file', join(folder, 'server.crt'), '--key-file', join(folder, 'server.key')],
      ...['--trusted-ca-file', join(folder, 'ca.crt'), '--client-cert-auth'],
    ])
  })
  afterAll(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('a client with a certificate is served', async () => {
    const tls = { ca: pem('ca.crt'), cert: pem('client.crt'), key: pem('client.key') }
    const store = new EtcdMetadataStore({ endpoints: [server.endpoint], prefix, tls })
    expect((await store.txn(put)).kind).toBe('applied')
    const { lease } = await store.grantLease(5_000)
    expect(await store.keepLeaseAlive(lease)).toBe('alive')
    await store.close()
  })

  test('a wrong authority, and a client without certificate, are told by their cause', async () => {
    const wrong = { ca: pem('stranger.crt') }
    const bare = { ca: pem('ca.crt') }
    for (const tls of [wrong, bare]) {
      const store = new EtcdMetadataStore({ endpoints: [server.endpoint], prefix, tls })
      expect((await store.txn(put)).kind).not.toBe('applied')
      await expect(store.range({ prefix: '', limit: 1 })).rejects.toThrow('METADATA_UNREACHABLE')
      await store.close()
    }
  })
})

describe('etcd with users', () => {
  let server: EtcdServer
  const auth = { username: 'root', password: 'secret' }

  beforeAll(async () => {
    server = await EtcdServer.start()
    const raw = new Etcd3({ hosts: server.endpoint })
    await raw.auth.userAdd({ name: auth.username, password: auth.password })
    await raw.auth.roleAdd({ name: 'root' })
    await raw.auth.userGrantRole({ user: auth.username, role: 'root' })
    await raw.auth.authEnable()
    raw.close()
  })
  afterAll(() => server?.stop())

  test('a token that a restart has voided is renewed for Txns, leases and hints', async () => {
    const store = new EtcdMetadataStore({ endpoints: [server.endpoint], prefix, auth })
    let hints = 0
    store.watch('', () => {
      hints += 1
    })
    const { lease } = await store.grantLease(60_000)
    expect((await store.txn(put)).kind).toBe('applied')
    await server.kill()
    await server.restart()
    for (let tries = 0; (await store.txn(put)).kind !== 'applied'; tries += 1) {
      if (tries === 50) throw new Error('no Txn was applied after the restart')
      await sleep(100)
    }
    const alive = () => store.keepLeaseAlive(lease).catch(() => 'unknown')
    for (let tries = 0; (await alive()) !== 'alive'; tries += 1) {
      if (tries === 50) throw new Error('the lease was not kept alive after the restart')
      await sleep(100)
    }
    await sleep(3_000)
    hints = 0
    expect((await store.txn(put)).kind).toBe('applied')
    for (let tries = 0; hints === 0 && tries < 100; tries += 1) await sleep(100)
    expect(hints).toBeGreaterThan(0)
    await store.close()
  })

  test('a wrong password and a missing one store nothing', async () => {
    const endpoints = [server.endpoint]
    const wrong = new EtcdMetadataStore({
      endpoints,
      prefix,
      auth: { ...auth, password: 'wrong' },
    })
    expect(await wrong.txn(put)).toMatchObject({ kind: 'not-applied' })
    await wrong.close()
    const none = new EtcdMetadataStore({ endpoints, prefix })
    expect(await none.txn(put)).toMatchObject({ kind: 'not-applied' })
    await none.close()
  })
})
