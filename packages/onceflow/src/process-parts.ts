import type { FailPoints, Journal } from '@onceflow/ports'
import type { Registry } from 'prom-client'
import { armedFailPoints } from './armed-fail-points.ts'
import { type MetricsEndpoint, serveMetrics } from './metrics.ts'
import { processJournal } from './process-journal.ts'
import type { ProcessOptions } from './process-options.ts'
import { SecretStore } from './secret-store.ts'

/** What coordinator and worker processes are both made of. */
export interface ProcessParts {
  readonly journal: Journal
  readonly secrets: SecretStore
  readonly failPoints: FailPoints
}

export function processParts(
  options: ProcessOptions,
  base: { readonly [key: string]: string },
): ProcessParts {
  const secrets = new SecretStore(options.env)
  const journal = processJournal({
    level: options.logLevel,
    base,
    secrets: () => secrets.known(),
  })
  const failPoints = armedFailPoints(options.failPoints)
  if (options.failPoints !== '') {
    journal.write('warn', 'fail points are armed: this is a test run', {
      points: options.failPoints,
    })
  }
  return { journal, secrets, failPoints }
}

export async function metricsOf(
  options: ProcessOptions,
  registry: Registry,
): Promise<MetricsEndpoint | undefined> {
  return options.metrics === undefined ? undefined : serveMetrics(registry, options.metrics)
}
