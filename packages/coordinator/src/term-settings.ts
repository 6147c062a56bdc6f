import type { RegistryLimits } from '@onceflow/placement'

export interface TermSettings {
  readonly registry: RegistryLimits
  readonly heartbeatIntervalMs: number
  readonly registryTickMs: number
  /** A new leader waits this long for known workers before it places tasks. */
  readonly gatherMs: number
  /** Aborted checkpoints kept in memory, per pipeline, for people. */
  readonly abortedKept: number
}

export const defaultTermSettings: TermSettings = {
  registry: { goneAfterMs: 1_000, silentAfterMs: 5_000 },
  heartbeatIntervalMs: 1_000,
  registryTickMs: 100,
  gatherMs: 1_000,
  abortedKept: 100,
}
