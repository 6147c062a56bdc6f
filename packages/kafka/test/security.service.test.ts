import type { SaslSpec, TlsSpec } from '@onceflow/model'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  openSource,
  pollUntil,
  type SpecInput,
  startPositions,
  values,
  valuesOf,
} from './support/source-under-test.ts'
import { kafkaIsThere, TestBroker } from './support/test-broker.ts'
import { TestCluster } from './support/test-cluster.ts'

const sasl = (mechanism: SaslSpec['mechanism'], password = 'alice-secret'): SaslSpec => ({
  mechanism,
  username: 'alice',
  password: { kind: 'inline', value: password },
})

describe.skipIf(!kafkaIsThere())('SASL and TLS', () => {
  let broker: TestBroker
  let cluster: TestCluster
  let tls: TlsSpec

  beforeAll(async () => {
    broker = await TestBroker.start({ secure: 'yes' })
    cluster = await TestCluster.connect(broker.brokers)
    await cluster.createTopic('secured', 1)
    await cluster.produce({ topic: 'secured', partition: 0 }, [{ value: 'secret' }])
    tls = {
      caFile: broker.status.certificateAuthority,
      certFile: undefined,
      keyFile: undefined,
      verifyServer: 'yes',
    }
  })
  afterAll(async () => {
    cluster?.close()
    await broker?.stop()
  })

  const read = async (input: SpecInput): Promise<string[]> => {
    const source = await openSource({ ...input, topics: ['secured'] }, { lookUpTimeoutMs: 5_000 })
    try {
      const positions = await startPositions(source)
      const reader = await source.open({ positions, bufferBytesMax: 1_000_000 })
      return valuesOf(await pollUntil(reader, values(1)))
    } finally {
      await source.close()
    }
  }
  const saslBrokers = () => broker.status.kafkaSaslBrokers ?? []
  const sslBrokers = () => broker.status.kafkaSslBrokers ?? []
  const bothBrokers = () => broker.status.kafkaSaslSslBrokers ?? []

  for (const mechanism of ['plain', 'scram-sha-256', 'scram-sha-512'] as const) {
    test(`${mechanism} over plain TCP and over TLS`, async () => {
      expect(await read({ brokers: saslBrokers(), sasl: sasl(mechanism) })).toEqual(['secret'])
      const secure = { brokers: bothBrokers(), sasl: sasl(mechanism), tls }
      expect(await read(secure)).toEqual(['secret'])
    })

    test(`${mechanism} with a wrong password: SOURCE_AUTH, and no password in its text`, async () => {
      const wrong = { brokers: saslBrokers(), sasl: sasl(mechanism, 'not-the-password') }
      const problem = await read(wrong).catch((thrown: unknown) => String(thrown))
      expect(problem).toMatch(/SOURCE_AUTH/)
      expect(problem).not.toMatch(/not-the-password/)
    })
  }

  test('TLS with the authority given, and without verifying', async () => {
    expect(await read({ brokers: sslBrokers(), tls })).toEqual(['secret'])
    const unverified: TlsSpec = { ...tls, caFile: undefined, verifyServer: 'no' }
    expect(await read({ brokers: sslBrokers(), tls: unverified })).toEqual(['secret'])
  })

  test('a server that cannot be verified: SOURCE_AUTH', async () => {
    const unknown: TlsSpec = { ...tls, caFile: undefined }
    await expect(read({ brokers: sslBrokers(), tls: unknown })).rejects.toThrowError(/SOURCE_AUTH/)
  })

  test('plain TCP to a TLS listener ends with a typed failure', async () => {
    await expect(read({ brokers: sslBrokers() })).rejects.toThrowError(/SOURCE_/)
  }, 60_000)

  test('a missing certificate file: CONFIG_INVALID', async () => {
    const missing: TlsSpec = { ...tls, caFile: '/nowhere/ca.crt' }
    await expect(read({ brokers: sslBrokers(), tls: missing })).rejects.toThrowError(
      /CONFIG_INVALID/,
    )
  })
})
