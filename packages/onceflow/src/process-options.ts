import type { JournalOptions } from './process-journal.ts'

/** What every process of a cluster is told; the command line makes it of flags, files and env. */
export interface ProcessOptions {
  readonly version: string
  readonly logLevel: JournalOptions['level']
  /** Environment that secrets of kind env are read from. */
  readonly env: { readonly [name: string]: string | undefined }
  /** Fail points of a test run; empty in real life. */
  readonly failPoints: string
  /** Where /metrics is served; undefined: nowhere. Port 0 takes a free one. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined
}

export interface EtcdSettings {
  readonly endpoints: readonly string[]
  /** Name of the cluster: keys stand under `onceflow/<name>/`. */
  readonly cluster: string
  readonly tls:
    | { readonly caFile: string; readonly certFile?: string; readonly keyFile?: string }
    | undefined
  readonly auth: { readonly username: string; readonly password: string } | undefined
}

export interface CoordinatorOptions extends ProcessOptions {
  readonly node: string
  /** host:port of the gRPC server; port 0 takes a free one. */
  readonly listen: string
  readonly advertise: string | undefined
  readonly insecureBind: 'yes' | 'no'
  readonly etcd: EtcdSettings
}

export interface WorkerProcessOptions extends ProcessOptions {
  readonly worker: string
  /** host:port of any coordinators. */
  readonly coordinators: readonly string[]
  readonly tasksMax: number | undefined
  readonly readerBytesMax: number | undefined
}

/** A running process: `address` is where it listens, `stop` ends it cleanly (R14). */
export interface RunningProcess {
  readonly address: string
  readonly metricsPort: number | undefined
  stop(): Promise<void>
}
