import { readFile } from 'node:fs/promises'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { fail, type KafkaSourceSpec, type Secret, type TlsSpec } from '@onceflow/model'
import type { Journal } from '@onceflow/ports'
import type { ISocketFactory } from 'kafkajs'
import type { ConnectionOptions, KafkajsLogger, KafkajsSasl } from './kafkajs-internals.ts'

export type CommonConnectionOptions = Omit<ConnectionOptions, 'host' | 'port'>

export interface ConnectionSettings {
  readonly connectTimeoutMs: number
  readonly requestTimeoutMs: number
}

const clientId = 'onceflow'
/** A SASL session is renewed this long before its end. */
const reauthenticationThresholdMs = 10_000
const keepAliveDelayMs = 30_000

export interface ConnectionInput {
  readonly spec: KafkaSourceSpec
  readonly settings: ConnectionSettings
  readonly journal: Journal
  readonly resolveSecret: (secret: Secret) => string
}

/** Reads the files of TLS and the secret of SASL: what every connection of a source shares. */
export async function connectionOptions(input: ConnectionInput): Promise<CommonConnectionOptions> {
  const { spec, settings } = input
  return {
    clientId,
    ssl: spec.tls === undefined ? null : await tlsOptions(spec.tls),
    sasl: spec.sasl === undefined ? null : saslOptions(spec.sasl, input.resolveSecret),
    connectionTimeout: settings.connectTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    enforceRequestTimeout: false,
    maxInFlightRequests: null,
    reauthenticationThreshold: reauthenticationThresholdMs,
    logger: quietLogger(input.journal),
    socketFactory,
  }
}

function saslOptions(
  spec: NonNullable<KafkaSourceSpec['sasl']>,
  resolveSecret: (secret: Secret) => string,
): KafkajsSasl {
  return {
    mechanism: spec.mechanism,
    username: spec.username,
    password: resolveSecret(spec.password),
  }
}

async function tlsOptions(spec: TlsSpec): Promise<object> {
  const [ca, cert, key] = await Promise.all(
    [spec.caFile, spec.certFile, spec.keyFile].map(async (path) => {
      if (path === undefined) return undefined
      try {
        return await readFile(path)
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause)
        return fail('CONFIG_INVALID', { detail: `a TLS file cannot be read: ${reason}` })
      }
    }),
  )
  return { ca, cert, key, rejectUnauthorized: spec.verifyServer === 'yes' }
}

const socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  // kafkajs hands on whatever ssl is; its type does not say that null means plain TCP.
  const secure = ssl as typeof ssl | null
  const serverName = isIP(host) === 0 ? { servername: host } : {}
  const socket: Socket =
    secure === null
      ? connectTcp({ host, port }, onConnect)
      : connectTls({ host, port, ...serverName, ...secure }, onConnect)
  socket.setKeepAlive(true, keepAliveDelayMs)
  socket.setNoDelay(true)
  return socket
}

/**
 * What kafkajs reports is repeated by the failure that we build from the error that it throws, so
 * its own lines are debug lines. Their extra fields are left out: they may hold whole requests.
 */
function quietLogger(journal: Journal): KafkajsLogger {
  const drop = (): void => undefined
  const note = (message: string): void => journal.write('debug', 'kafkajs', { text: message })
  const logger: KafkajsLogger = {
    namespace: () => logger,
    debug: drop,
    info: drop,
    warn: note,
    error: note,
  }
  return logger
}
