import { type Failure, failureOf, InvariantViolation, type PipelineSpec } from '@onceflow/model'
import type { InspectedOk, PartitionInfo, SinkRequest, WorkerMessage } from '@onceflow/ports'
import { factoryKindOf, findByKind } from './sink-lane.ts'
import type { TaskHost } from './task-host.ts'

type Result = Extract<WorkerMessage, { kind: 'inspected' }>['result']

/** parallelism of a spec that does not say it: one task for each partition, up to this many. */
const tasksByDefaultMax = 8

/** Lists the partitions, and checks every sink; all problems come at once. */
export async function inspect(host: TaskHost, spec: PipelineSpec): Promise<Result> {
  const failures: Failure[] = []
  const partitions = await attempt(failures, () => partitionsOf(host, spec))
  const tasks = spec.parallelism ?? Math.min(tasksByDefaultMax, partitions?.length ?? 1)
  const warnings: Failure[] = []
  const claims: InspectedOk['claims'][number][] = []
  for (const sink of spec.sinks) {
    const { tables, otherTables } = spec
    const request: SinkRequest = { spec: sink, tables, otherTables }
    await attempt(failures, async () => {
      const factory = findByKind(host.sinks, factoryKindOf(sink))
      claims.push({ sink: sink.name, ...factory.claim(request) })
      for (const problem of await factory.preflight(request, tasks)) {
        if (problem.severity === 'error') failures.push(problem.failure)
        else warnings.push(problem.failure)
      }
    })
  }
  if (failures.length > 0 || partitions === undefined) return { kind: 'failed', failures }
  return { kind: 'ok', partitions, claims, warnings }
}

async function partitionsOf(host: TaskHost, spec: PipelineSpec): Promise<readonly PartitionInfo[]> {
  const log = await findByKind(host.sources, spec.source.kind).open(spec.source)
  try {
    return await log.inspect()
  } finally {
    await log.close()
  }
}

async function attempt<T>(failures: Failure[], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof InvariantViolation) throw error
    failures.push(failureOf(error))
    return undefined
  }
}
