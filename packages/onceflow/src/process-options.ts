/** What a process knows besides its configuration. */
export interface ProcessRuntime {
  readonly version: string
  /** Environment that secrets of kind env are read from. */
  readonly env: { readonly [name: string]: string | undefined }
  /** Fail points of a test run (ONCEFLOW_FAILPOINTS); '' in real life. */
  readonly failPoints: string
}

/** A running process: `address` is where it listens, `stop` ends it cleanly (R14). */
export interface RunningProcess {
  readonly address: string
  readonly metricsPort: number | undefined
  stop(): Promise<void>
}
