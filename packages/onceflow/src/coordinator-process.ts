import { readFileSync } from 'node:fs'
import { defaultSettings } from '@onceflow/checkpoint'
import {
  Coordinator,
  defaultLeaseSettings,
  defaultTermSettings,
  relayAdmin,
} from '@onceflow/coordinator'
import { EtcdMetadataStore, type EtcdOptions } from '@onceflow/etcd'
import { fail } from '@onceflow/model'
import type { MetadataStore } from '@onceflow/ports'
import { RpcServer } from '@onceflow/rpc'
import type { CoordinatorConfig, MetadataConfig } from '@onceflow/spec'
import { coordinatorRegistry } from './metrics.ts'
import type { ProcessRuntime, RunningProcess } from './process-options.ts'
import { metricsOf, type ProcessParts, processName, processParts } from './process-parts.ts'
import { systemClock, systemRandom } from './system-clock.ts'

/** A coordinator on etcd. */
export async function startCoordinator(
  config: CoordinatorConfig,
  runtime: ProcessRuntime,
): Promise<RunningProcess> {
  const node = processName(config.id, 'coordinator')
  const parts = processParts(runtime, config.logLevel, { role: 'coordinator', node })
  const store = new EtcdMetadataStore(etcdOptions(config.metadata, parts))
  const { advertise, leaseTtlMs } = config
  return runCoordinator({ ...config, node, advertise, leaseTtlMs }, store, parts)
}

export type LeadingOptions = Omit<CoordinatorConfig, 'id' | 'metadata'> & {
  readonly node: string
}

/** A coordinator on any metadata store, which it closes when it stops. */
export async function runCoordinator(
  options: LeadingOptions,
  store: MetadataStore,
  parts: ProcessParts,
): Promise<RunningProcess> {
  const { journal } = parts
  let coordinator: Coordinator | undefined
  const server = new RpcServer({
    listen: options.listen,
    advertise: options.advertise,
    insecureBind: options.insecureBind,
    admin: relayAdmin(() => coordinator?.admin() ?? fail('NOT_LEADER', { detail: 'starting' })),
    clock: systemClock,
    journal,
  })
  await server.start()
  coordinator = makeCoordinator(options, { server, store, parts })
  const registry = coordinatorRegistry(coordinator, parts.runtime.version)
  const metrics = await metricsOf(options.metricsListen, registry).catch(async (error: unknown) => {
    await server.stop()
    throw error
  })
  coordinator.start()
  journal.write('info', 'coordinator started', {
    address: server.address,
    metricsPort: metrics?.port,
  })
  return {
    address: server.address,
    metricsPort: metrics?.port,
    stop: async () => {
      await coordinator.stop()
      await server.stop()
      await metrics?.close()
      await store.close()
    },
  }
}

function makeCoordinator(
  options: LeadingOptions,
  on: { readonly server: RpcServer; readonly store: MetadataStore; readonly parts: ProcessParts },
): Coordinator {
  const { journal, failPoints, runtime } = on.parts
  return new Coordinator({
    store: on.store,
    gate: on.server.gate,
    clock: systemClock,
    random: systemRandom,
    journal,
    failPoints,
    settings: {
      ...defaultTermSettings,
      heartbeatIntervalMs: options.heartbeatIntervalMs,
      registry: {
        goneAfterMs: options.workerReconnectMs,
        silentAfterMs: options.workerLostMs,
      },
    },
    checkpoint: {
      ...defaultSettings,
      restartsMax: options.restartsMax,
      backOffMinMs: options.restartBackoffMinMs,
      backOffMaxMs: options.restartBackoffMaxMs,
    },
    identity: { node: options.node, address: on.server.address },
    lease: {
      ...defaultLeaseSettings,
      ttlMs: options.leaseTtlMs,
      marginMs: Math.max(500, options.leaseTtlMs * 0.3),
      keepaliveMs: Math.min(1_000, options.leaseTtlMs / 5),
    },
    version: runtime.version,
  })
}

function etcdOptions(config: MetadataConfig, parts: ProcessParts): EtcdOptions {
  const { username, password, caFile, certFile, keyFile } = config
  const scheme = caFile === undefined ? 'http' : 'https'
  const prefix = config.prefix.endsWith('/') ? config.prefix : `${config.prefix}/`
  return {
    endpoints: config.endpoints.map((place) =>
      place.includes('://') ? place : `${scheme}://${place}`,
    ),
    prefix,
    ...(username === undefined || password === undefined
      ? {}
      : { auth: { username, password: parts.secrets.resolve(password) } }),
    ...(caFile === undefined
      ? {}
      : {
          tls: {
            ca: readFileSync(caFile),
            ...(certFile === undefined ? {} : { cert: readFileSync(certFile) }),
            ...(keyFile === undefined ? {} : { key: readFileSync(keyFile) }),
          },
        }),
  }
}
