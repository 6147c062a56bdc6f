import type { Clock, FailPoints, Journal } from '@onceflow/ports'
import type { ResolveSecret } from './endpoint.ts'

/** What the top layer gives to every sink of the process. */
export interface PostgresSinkServices {
  readonly resolveSecret: ResolveSecret
  readonly clock: Clock
  readonly journal: Journal
  readonly failPoints: FailPoints
}
