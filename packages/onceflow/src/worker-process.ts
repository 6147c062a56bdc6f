import { fileSourceLogFactory } from '@onceflow/embedded'
import { KafkaSourceFactory } from '@onceflow/kafka'
import { failureText, incarnation, workerId } from '@onceflow/model'
import type { SinkFactory, SourceLogFactory } from '@onceflow/ports'
import { createLeaderLink } from '@onceflow/rpc'
import { debeziumDecoder, defaultWorkerLimits, WorkerLoop } from '@onceflow/worker'
import { processRegistry } from './metrics.ts'
import type { RunningProcess, WorkerProcessOptions } from './process-options.ts'
import { metricsOf, type ProcessParts, processParts } from './process-parts.ts'
import { postgresSinks } from './sink-factories.ts'
import { systemClock, systemRandom, yieldTurn } from './system-clock.ts'

/** Sinks of the user's own beside the ones that come with onceflow. */
export interface WorkerExtensions {
  readonly sinks: readonly SinkFactory[]
}

export async function startWorker(
  options: WorkerProcessOptions,
  extensions: WorkerExtensions = { sinks: [] },
): Promise<RunningProcess> {
  const parts = processParts(options, { role: 'worker', worker: options.worker })
  const { journal, failPoints } = parts
  const link = createLeaderLink({
    addresses: options.coordinators,
    clock: systemClock,
    random: systemRandom,
  })
  const loop = new WorkerLoop({
    worker: workerId(options.worker),
    incarnation: incarnation(systemRandom.token(12)),
    version: options.version,
    link,
    clock: systemClock,
    journal,
    failPoints,
    sources: sourcesOf(parts),
    sinks: [...postgresSinks(parts), ...extensions.sinks],
    createDecoder: debeziumDecoder,
    limits: {
      ...defaultWorkerLimits,
      tasksMax: options.tasksMax ?? defaultWorkerLimits.tasksMax,
      readerBytesMax: options.readerBytesMax ?? defaultWorkerLimits.readerBytesMax,
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
  loop.start()
  const metrics = await metricsOf(options, processRegistry(options.version, 'worker'))
  journal.write('info', 'worker started', { coordinators: options.coordinators.join(',') })
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
  return [
    new KafkaSourceFactory({
      clock: systemClock,
      journal: parts.journal,
      resolveSecret: (secret) => parts.secrets.resolve(secret),
    }),
    fileSourceLogFactory({ clock: systemClock, journal: parts.journal }),
  ]
}
