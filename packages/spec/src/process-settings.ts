/** The processes that read a configuration. */
export type ProcessKind = 'coordinator' | 'worker' | 'dev'

export type SettingKind =
  | 'text'
  | 'list'
  | 'duration'
  | 'count'
  | 'yes-no'
  | 'address'
  | 'secret'
  | 'level'

/**
 * One setting. Its key in a file is `section.name`; its flag `--section-name`; its variable
 * `ONCEFLOW_SECTION__NAME`. A secret has a second key that ends in `_file` and holds a path.
 */
export interface Setting {
  readonly processes: readonly ProcessKind[]
  readonly kind: SettingKind
  /** Text as a person would write it; undefined: none. */
  readonly fallback: string | undefined
  readonly need: 'needed' | 'optional'
  /** One sentence for the reference and for --help. */
  readonly meaning: string
}

const all = ['coordinator', 'worker', 'dev'] as const
const serving = ['coordinator', 'dev'] as const
const coordinator = ['coordinator'] as const
const worker = ['worker'] as const
const dev = ['dev'] as const

type SettingInput = Omit<Setting, 'processes' | 'need' | 'fallback'> &
  Partial<Pick<Setting, 'need' | 'fallback'>>
const setting = (processes: readonly ProcessKind[], input: SettingInput): Setting => ({
  processes,
  need: 'optional',
  fallback: undefined,
  ...input,
})

export const settings = {
  id: setting(['coordinator', 'worker'], {
    kind: 'text',
    meaning: 'Name of this process, unique among its kind; default: made of the host name.',
  }),
  listen: setting(serving, {
    kind: 'address',
    fallback: '127.0.0.1:7070',
    meaning: 'Address of the control plane and the admin API.',
  }),
  advertise: setting(coordinator, {
    kind: 'address',
    meaning: 'Address that workers and clients are told; default: where it listens.',
  }),
  insecure_bind: setting(all, {
    kind: 'yes-no',
    fallback: 'no',
    meaning: 'Listen beyond loopback although there is no authentication yet.',
  }),
  coordinators: setting(worker, {
    kind: 'list',
    fallback: '127.0.0.1:7070',
    meaning: 'Addresses of coordinators, any of them; the leader is found through them.',
  }),
  tasks_max: setting(worker, {
    kind: 'count',
    fallback: '16',
    meaning: 'Tasks that this worker takes at most.',
  }),
  drain_timeout: setting(worker, {
    kind: 'duration',
    fallback: '60s',
    meaning: 'How long a stopping worker waits until its tasks are handed over.',
  }),
  'metadata.endpoints': setting(coordinator, {
    kind: 'list',
    need: 'needed',
    meaning: 'Addresses of etcd, host:port.',
  }),
  'metadata.prefix': setting(coordinator, {
    kind: 'text',
    fallback: '/onceflow',
    meaning: 'Where the cluster keeps its keys; each cluster needs its own.',
  }),
  'metadata.username': setting(coordinator, { kind: 'text', meaning: 'User of etcd.' }),
  'metadata.password': setting(coordinator, { kind: 'secret', meaning: 'Its password.' }),
  'metadata.ca_file': setting(coordinator, {
    kind: 'text',
    meaning: 'Certificates to trust, PEM; given: etcd is reached over TLS.',
  }),
  'metadata.cert_file': setting(coordinator, { kind: 'text', meaning: 'Our certificate, PEM.' }),
  'metadata.key_file': setting(coordinator, { kind: 'text', meaning: 'The key of it, PEM.' }),
  'lease.ttl': setting(coordinator, {
    kind: 'duration',
    fallback: '5s',
    meaning: 'How long a leader that has stopped answering still counts as the leader.',
  }),
  'heartbeat.interval': setting(serving, {
    kind: 'duration',
    fallback: '1s',
    meaning: 'Between heartbeats of leader and workers.',
  }),
  'worker.lost_after': setting(serving, {
    kind: 'duration',
    fallback: '5s',
    meaning: 'Without a heartbeat for this long a worker is lost.',
  }),
  'worker.reconnect_within': setting(serving, {
    kind: 'duration',
    fallback: '1s',
    meaning: 'A worker whose stream broke is lost when it is not back in this time.',
  }),
  'restarts.max': setting(serving, {
    kind: 'count',
    fallback: '20',
    meaning: 'Failed attempts in a row after which a pipeline stops.',
  }),
  'restarts.backoff_min': setting(serving, {
    kind: 'duration',
    fallback: '200ms',
    meaning: 'Wait before the first new attempt.',
  }),
  'restarts.backoff_max': setting(serving, {
    kind: 'duration',
    fallback: '10s',
    meaning: 'Longest wait between attempts.',
  }),
  'metrics.listen': setting(all, {
    kind: 'text',
    fallback: 'off',
    meaning: 'Address of /metrics, host:port, or off.',
  }),
  'log.level': setting(all, {
    kind: 'level',
    fallback: 'info',
    meaning: 'debug, info, warn or error.',
  }),
  directory: setting(dev, {
    kind: 'text',
    fallback: '.onceflow',
    meaning: 'Where decisions, the file log and the database are kept.',
  }),
  workers: setting(dev, {
    kind: 'count',
    fallback: '2',
    meaning: 'Workers to run.',
  }),
  'postgres.url': setting(dev, {
    kind: 'secret',
    meaning: 'A PostgreSQL to use instead of the embedded one.',
  }),
} as const satisfies Record<string, Setting>

export type SettingKey = keyof typeof settings

export const settingKeys = Object.keys(settings) as readonly SettingKey[]

export const keysOf = (process: ProcessKind): readonly SettingKey[] =>
  settingKeys.filter((key) => settings[key].processes.some((one) => one === process))

export const flagOf = (key: string): string => `--${key.replaceAll(/[._]/g, '-')}`

export const variableOf = (key: string): string =>
  `ONCEFLOW_${key.replaceAll('.', '__').toUpperCase()}`
