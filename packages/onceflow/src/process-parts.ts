import { hostname } from 'node:os'
import { fail } from '@onceflow/model'
import type { FailPoints, Journal } from '@onceflow/ports'
import type { LogLevel } from '@onceflow/spec'
import type { Registry } from 'prom-client'
import { armedFailPoints } from './armed-fail-points.ts'
import { type MetricsEndpoint, serveMetrics } from './metrics.ts'
import { processJournal } from './process-journal.ts'
import type { ProcessRuntime } from './process-options.ts'
import { SecretStore } from './secret-store.ts'

/** What coordinator and worker processes are both made of. */
export interface ProcessParts {
  readonly runtime: ProcessRuntime
  readonly journal: Journal
  readonly secrets: SecretStore
  readonly failPoints: FailPoints
}

export function processParts(
  runtime: ProcessRuntime,
  level: LogLevel,
  base: { readonly [key: string]: string },
): ProcessParts {
  const secrets = new SecretStore(runtime.env)
  const journal = processJournal({ level, base, secrets: () => secrets.known() })
  const failPoints = armedFailPoints(runtime.failPoints)
  if (runtime.failPoints !== '') {
    journal.write('warn', 'fail points are armed: this is a test run', {
      points: runtime.failPoints,
    })
  }
  return { runtime, journal, secrets, failPoints }
}

/** `listen` is host:port, or undefined where no metrics are wanted. */
export async function metricsOf(
  listen: string | undefined,
  registry: Registry,
): Promise<MetricsEndpoint | undefined> {
  if (listen === undefined) return undefined
  const at = listen.lastIndexOf(':')
  const port = Number(listen.slice(at + 1))
  if (at < 1 || !Number.isInteger(port)) {
    return fail('CONFIG_INVALID', { detail: `metrics.listen is host:port, not ${listen}` })
  }
  return serveMetrics(registry, { host: listen.slice(0, at), port })
}

/** A name for a process that was given none: stable on one host, so that a restart replaces it. */
export const processName = (given: string | undefined, role: string): string =>
  given ?? `${hostname()}-${role}`
