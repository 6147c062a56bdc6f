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
import { coordinatorRegistry } from './metrics.ts'
import type { CoordinatorOptions, EtcdSettings, RunningProcess } from './process-options.ts'
import { metricsOf, type ProcessParts, processParts } from './process-parts.ts'
import { systemClock, systemRandom } from './system-clock.ts'

/** A coordinator on etcd. */
export async function startCoordinator(options: CoordinatorOptions): Promise<RunningProcess> {
  const parts = processParts(options, { role: 'coordinator', node: options.node })
  const store = new EtcdMetadataStore(etcdOptions(options.etcd))
  return runCoordinator(options, store, parts)
}

/** A coordinator on any metadata store; it closes the store when it stops. */
export async function runCoordinator(
  options: Omit<CoordinatorOptions, 'etcd'>,
  store: MetadataStore,
  parts: ProcessParts,
): Promise<RunningProcess> {
  const { journal, failPoints } = parts
  let coordinator: Coordinator | undefined
  const admin = relayAdmin(
    () => coordinator?.admin() ?? fail('NOT_LEADER', { detail: 'starting' }),
  )
  const server = new RpcServer({
    listen: options.listen,
    advertise: options.advertise,
    insecureBind: options.insecureBind,
    admin,
    clock: systemClock,
    journal,
  })
  await server.start()
  coordinator = new Coordinator({
    store,
    gate: server.gate,
    clock: systemClock,
    random: systemRandom,
    journal,
    failPoints,
    settings: defaultTermSettings,
    checkpoint: defaultSettings,
    identity: { node: options.node, address: server.address },
    lease: defaultLeaseSettings,
    version: options.version,
  })
  coordinator.start()
  const metrics = await metricsOf(options, coordinatorRegistry(coordinator, options.version))
  journal.write('info', 'coordinator started', { address: server.address })
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

function etcdOptions(settings: EtcdSettings): EtcdOptions {
  const { tls, auth } = settings
  return {
    endpoints: settings.endpoints,
    prefix: `onceflow/${settings.cluster}/`,
    ...(auth === undefined ? {} : { auth }),
    ...(tls === undefined
      ? {}
      : {
          tls: {
            ca: readFileSync(tls.caFile),
            ...(tls.certFile === undefined ? {} : { cert: readFileSync(tls.certFile) }),
            ...(tls.keyFile === undefined ? {} : { key: readFileSync(tls.keyFile) }),
          },
        }),
  }
}
