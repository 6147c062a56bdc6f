import type { Secret } from '@onceflow/model'
import type { Problem } from './problem.ts'
import type { ProcessKind } from './process-settings.ts'
import { type LogLevel, SettingReader } from './setting-reader.ts'
import { type Origin, type SettingSources, settingValues } from './setting-values.ts'

/** What every process has. */
interface CommonConfig {
  readonly insecureBind: 'yes' | 'no'
  /** host:port of /metrics; undefined: off. */
  readonly metricsListen: string | undefined
  readonly logLevel: LogLevel
}

/** How a leader judges workers and pipelines. */
interface LeadingConfig {
  readonly heartbeatIntervalMs: number
  readonly workerLostMs: number
  readonly workerReconnectMs: number
  readonly restartsMax: number
  readonly restartBackoffMinMs: number
  readonly restartBackoffMaxMs: number
}

export interface CoordinatorConfig extends CommonConfig, LeadingConfig {
  /** undefined: the process makes one of its host name. */
  readonly id: string | undefined
  readonly listen: string
  readonly advertise: string | undefined
  readonly metadata: MetadataConfig
  readonly leaseTtlMs: number
}

export interface MetadataConfig {
  readonly endpoints: readonly string[]
  readonly prefix: string
  readonly username: string | undefined
  readonly password: Secret | undefined
  readonly caFile: string | undefined
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
}

export interface WorkerConfig extends CommonConfig {
  readonly id: string | undefined
  readonly coordinators: readonly string[]
  readonly tasksMax: number
  readonly drainTimeoutMs: number
}

export interface DevConfig extends CommonConfig, LeadingConfig {
  readonly listen: string
  readonly directory: string
  readonly workers: number
  /** Of a database to use instead of the embedded one; holds a password. */
  readonly postgresUrl: Secret | undefined
}

export interface ConfigOf {
  readonly coordinator: CoordinatorConfig
  readonly worker: WorkerConfig
  readonly dev: DevConfig
}

export type ProcessConfigResult<Kind extends ProcessKind> =
  | {
      readonly kind: 'ok'
      readonly config: ConfigOf[Kind]
      /** Where each value came from, by setting key. */
      readonly origins: ReadonlyMap<string, Origin>
    }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }

/** The configuration of a process from flags, environment and file, or every problem in them. */
export function parseProcessConfig<Kind extends ProcessKind>(
  process: Kind,
  sources: SettingSources,
): ProcessConfigResult<Kind> {
  const { values, problems } = settingValues(process, sources)
  const reader = new SettingReader(values)
  const config = builders[process](reader)
  const found = [...problems, ...reader.problems]
  if (found.length > 0) return { kind: 'invalid', problems: found }
  const origins = new Map([...values].map(([key, { origin }]) => [key, origin]))
  return { kind: 'ok', config, origins }
}

const builders: { readonly [Kind in ProcessKind]: (reader: SettingReader) => ConfigOf[Kind] } = {
  coordinator: coordinatorConfig,
  worker: workerConfig,
  dev: devConfig,
}

const commonConfig = (reader: SettingReader): CommonConfig => ({
  insecureBind: reader.yesNo('insecure_bind'),
  metricsListen: reader.addressOrOff('metrics.listen'),
  logLevel: reader.level('log.level'),
})

function leadingConfig(reader: SettingReader): LeadingConfig {
  const config = {
    heartbeatIntervalMs: reader.duration('heartbeat.interval'),
    workerLostMs: reader.duration('worker.lost_after'),
    workerReconnectMs: reader.duration('worker.reconnect_within'),
    restartsMax: reader.count('restarts.max'),
    restartBackoffMinMs: reader.duration('restarts.backoff_min'),
    restartBackoffMaxMs: reader.duration('restarts.backoff_max'),
  }
  if (config.workerLostMs < 3 * config.heartbeatIntervalMs) {
    reader.complain('worker.lost_after', 'must be at least three times heartbeat.interval')
  }
  if (config.restartBackoffMaxMs < config.restartBackoffMinMs) {
    reader.complain('restarts.backoff_max', 'must not be below restarts.backoff_min')
  }
  return config
}

function coordinatorConfig(reader: SettingReader): CoordinatorConfig {
  const leading = leadingConfig(reader)
  const leaseTtlMs = reader.duration('lease.ttl')
  if (leaseTtlMs < 3 * leading.heartbeatIntervalMs || leaseTtlMs < 2000) {
    reader.complain('lease.ttl', 'must be at least 2s and three times heartbeat.interval')
  }
  return {
    ...commonConfig(reader),
    ...leading,
    id: reader.text('id'),
    listen: reader.address('listen') ?? '',
    advertise: reader.address('advertise'),
    leaseTtlMs,
    metadata: {
      endpoints: reader.addresses('metadata.endpoints'),
      prefix: reader.text('metadata.prefix') ?? '',
      username: reader.text('metadata.username'),
      password: reader.secret('metadata.password'),
      caFile: reader.text('metadata.ca_file'),
      certFile: reader.text('metadata.cert_file'),
      keyFile: reader.text('metadata.key_file'),
    },
  }
}

function workerConfig(reader: SettingReader): WorkerConfig {
  return {
    ...commonConfig(reader),
    id: reader.text('id'),
    coordinators: reader.addresses('coordinators'),
    tasksMax: reader.count('tasks_max'),
    drainTimeoutMs: reader.duration('drain_timeout'),
  }
}

function devConfig(reader: SettingReader): DevConfig {
  return {
    ...commonConfig(reader),
    ...leadingConfig(reader),
    listen: reader.address('listen') ?? '',
    directory: reader.text('directory') ?? '',
    workers: reader.count('workers'),
    postgresUrl: reader.secret('postgres.url'),
  }
}
