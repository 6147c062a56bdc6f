import { fail } from '@onceflow/model'
import { noop } from 'cockatiel'
import { Etcd3, type IOptions } from 'etcd3'

export interface EtcdOptions {
  /** `http://host:2379` or `https://host:2379`; names rather than addresses where TLS is used. */
  readonly endpoints: readonly string[]
  /** Stands before every key, as in `onceflow/<cluster>/`. */
  readonly prefix: string
  /** PEM, read once: other certificates need another client. */
  readonly tls?: EtcdTls
  readonly auth?: { readonly username: string; readonly password: string }
  /** Of every request except the stream of hints; 2000 unless given. */
  readonly deadlineMs?: number
}

export interface EtcdTls {
  readonly ca: Uint8Array
  readonly cert?: Uint8Array
  readonly key?: Uint8Array
}

/** Bytes of one answer that are taken; a range that would be larger comes in smaller pages. */
export const answerBytesMax = 16 * 1024 * 1024

const deadlineMsDefault = 2_000

/**
 * Three clients with a connection each, so that nothing large or broken on one delays a keepalive
 * on another.
 */
export interface EtcdClients {
  readonly lease: Etcd3
  readonly data: Etcd3
  readonly hints: Etcd3
}

export function openClients(options: EtcdOptions): EtcdClients {
  if (!options.prefix.endsWith('/') || options.endpoints.length === 0) {
    fail('CONFIG_INVALID', {
      detail: 'etcd needs an endpoint, and a prefix that ends with a slash',
    })
  }
  const settings = clientOptions(options)
  return { lease: new Etcd3(settings), data: new Etcd3(settings), hints: new Etcd3(settings) }
}

function clientOptions(options: EtcdOptions): IOptions {
  const deadlineMs = options.deadlineMs ?? deadlineMsDefault
  const { tls, auth } = options
  return {
    hosts: [...options.endpoints],
    // The client's own policies would send a Txn again, and would stop every call of the client,
    // keepalives included, for 5 s after three failures of any of them.
    faultHandling: { host: () => noop, global: noop },
    defaultCallOptions: ({ isStream }) => (isStream ? {} : { deadline: Date.now() + deadlineMs }),
    grpcOptions: {
      // etcd closes connections that are pinged more often than every 5 s.
      'grpc.keepalive_time_ms': 5_000,
      'grpc.keepalive_timeout_ms': 2_000,
      'grpc.max_receive_message_length': answerBytesMax,
      'grpc.enable_retries': 0,
      'grpc.use_local_subchannel_pool': 1,
    },
    ...(tls === undefined ? {} : { credentials: credentialsOf(tls) }),
    ...(auth === undefined ? {} : { auth: { ...auth } }),
  }
}

function credentialsOf(tls: EtcdTls): NonNullable<IOptions['credentials']> {
  return {
    rootCertificate: Buffer.from(tls.ca),
    ...(tls.key === undefined ? {} : { privateKey: Buffer.from(tls.key) }),
    ...(tls.cert === undefined ? {} : { certChain: Buffer.from(tls.cert) }),
  }
}
