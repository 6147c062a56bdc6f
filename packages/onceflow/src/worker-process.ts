import { fileSourceLogFactory } from '@onceflow/embedded'
import { KafkaSourceFactory } from '@onceflow/kafka'
import { failureText, incarnation, workerId } from '@onceflow/model'
import type { SinkFactory, SourceLogFactory } from '@onceflow/ports'
import { postgresSinkFactory } from '@onceflow/postgres'
import { createLeaderLink } from '@onceflow/rpc'
import type { WorkerConfig } from '@onceflow/spec'
import { debeziumDecoder, defaultWorkerLimits, WorkerLoop } from '@onceflow/worker'
import { processRegistry } from './metrics.ts'
import type { ProcessRuntime, RunningProcess } from './process-options.ts'
import { metricsOf, type ProcessParts, processName, processParts } from './process-parts.ts'
import { systemClock, systemRandom, yieldTurn } from './system-clock.ts'

/** Sinks of the user's own beside the ones that come with onceflow. */
export interface WorkerExtensions {
  readonly sinks: readonly SinkFactory[]
}

export async function startWorker(
  config: WorkerConfig,
  runtime: ProcessRuntime,
  extensions: WorkerExtensions = { sinks: [] },
): Promise<RunningProcess> {
  const worker = processName(config.id, 'worker')
  const parts = processParts(runtime, config.logLevel, { role: 'worker', worker })
  return runWorker({ ...config, worker }, parts, extensions)
}

export async function runWorker(
  options: Omit<WorkerConfig, 'id'> & { readonly worker: string },
  parts: ProcessParts,
  extensions: WorkerExtensions = { sinks: [] },
): Promise<RunningProcess> {
  const { journal, failPoints, runtime } = parts
  const loop = new WorkerLoop({
    worker: workerId(options.worker),
    incarnation: incarnation(systemRandom.token(12)),
    version: runtime.version,
    link: createLeaderLink({
      addresses: options.coordinators,
      clock: systemClock,
      random: systemRandom,
    }),
    clock: systemClock,
    journal,
    failPoints,
    sources: sourcesOf(parts),
    sinks: [sinkOf(parts), ...extensions.sinks],
    createDecoder: debeziumDecoder,
    limits: {
      ...defaultWorkerLimits,
      tasksMax: options.tasksMax,
      drainMs: options.drainTimeoutMs,
    },
    rssBytes: () => process.memoryUsage.rss(),
    yieldTurn,
    onFenced: (failure) => {
      journal.write('error', 'fenced: this process was replaced', { cause: failureText(failure) })
      process.exit(fencedExitCode)
    },
    onDefect: (error) => {
      journal.write('error', 'defect: the process stops', { error: stackOf(error) })
      process.exit(defectExitCode)
    },
  })
  const metrics = await metricsOf(options.metricsListen, processRegistry(runtime.version, 'worker'))
  loop.start()
  journal.write('info', 'worker started', {
    coordinators: options.coordinators.join(','),
    metricsPort: metrics?.port,
  })
  return {
    address: '',
    metricsPort: metrics?.port,
    stop: async () => {
      await loop.drain()
      await loop.stop()
      await metrics?.close()
    },
  }
}

/** A supervisor restarts the process after either: it comes back as a new incarnation. */
const fencedExitCode = 10
const defectExitCode = 70

const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

function sourcesOf(parts: ProcessParts): readonly SourceLogFactory[] {
  const { journal, secrets } = parts
  return [
    new KafkaSourceFactory({
      clock: systemClock,
      journal,
      resolveSecret: (secret) => secrets.resolve(secret),
    }),
    fileSourceLogFactory,
  ]
}

function sinkOf(parts: ProcessParts): SinkFactory {
  const { journal, failPoints, secrets } = parts
  return postgresSinkFactory({
    clock: systemClock,
    journal,
    failPoints,
    resolveSecret: async (secret) => secrets.resolve(secret),
  })
}
