import { createServer, type Server } from 'node:http'
import type { Coordinator, Term } from '@onceflow/coordinator'
import type { FlowFigures, PipelineGlance } from '@onceflow/ports'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** Serves /metrics in the Prometheus text format; every series is made when it is asked for. */
export interface MetricsEndpoint {
  readonly port: number
  close(): Promise<void>
}

export async function serveMetrics(
  registry: Registry,
  listen: { readonly host: string; readonly port: number },
): Promise<MetricsEndpoint> {
  const server: Server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(listen.port, listen.host, () => resolve())
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : listen.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Series that every process has: build, memory, CPU, event loop lag, garbage collection. */
export function processRegistry(version: string, role: 'coordinator' | 'worker'): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'onceflow_' })
  const build = new Gauge({
    name: 'onceflow_build_info',
    help: 'Always 1; the labels tell the version and the role of the process.',
    labelNames: ['version', 'role'],
    registers: [registry],
  })
  build.set({ version, role }, 1)
  return registry
}

const gauges = {
  onceflow_source_lag_records: 'Records of the source that are not committed to the sinks yet.',
  onceflow_commit_freshness_seconds:
    'Now minus the source commit time of the newest visible row, in seconds.',
  onceflow_records_per_second: 'Records taken from the source per second, over five seconds.',
  onceflow_rows_per_second: 'Rows written to the sinks per second, over five seconds.',
  onceflow_checkpoint_last_completed_timestamp_seconds:
    'When the newest decided checkpoint was decided, in seconds since 1970.',
  onceflow_checkpoint_duration_seconds: 'Barrier to last confirmation of the newest checkpoint.',
  onceflow_sink_prepared_transactions: 'Sealed transactions that are not confirmed yet.',
  onceflow_sink_oldest_prepared_age_seconds: 'Age of the oldest of them, in seconds.',
  onceflow_pipeline_attempt: 'Number of the running attempt.',
} as const

/** The series of a coordinator, filled from the leader's state at each scrape. */
export function coordinatorRegistry(coordinator: Coordinator, version: string): Registry {
  const registry = processRegistry(version, 'coordinator')
  const byPipeline = new Map(
    Object.entries(gauges).map(([name, help]) => [
      name,
      new Gauge({ name, help, labelNames: ['pipeline'], registers: [registry] }),
    ]),
  )
  const state = new Gauge({
    name: 'onceflow_pipeline_state',
    help: '1 for the state that the pipeline is in, by state.',
    labelNames: ['pipeline', 'state'],
    registers: [registry],
  })
  const workers = new Gauge({
    name: 'onceflow_workers',
    help: 'Workers by state.',
    labelNames: ['state'],
    registers: [registry],
  })
  const totals = totalsOf(registry)
  new Gauge({
    name: 'onceflow_leader',
    help: '1 while this coordinator leads.',
    registers: [registry],
    async collect() {
      const term = termOf(coordinator)
      this.set(term === undefined ? 0 : 1)
      for (const gauge of [...byPipeline.values(), state, workers]) gauge.reset()
      if (term !== undefined) await fill(coordinator, term, { byPipeline, state, workers, totals })
    },
  })
  return registry
}

function totalsOf(registry: Registry) {
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  return {
    checkpoints: counter(
      'onceflow_checkpoints_total',
      'Checkpoints of this term by result (completed, aborted).',
      ['result'],
    ),
    recoveries: counter('onceflow_recoveries_total', 'Attempts given up in this term.', []),
    epoch: new Gauge({
      name: 'onceflow_leader_epoch',
      help: 'Leader epoch of this coordinator while it leads.',
      registers: [registry],
    }),
  }
}

function termOf(coordinator: Coordinator): Term | undefined {
  try {
    return coordinator.leading()
  } catch {
    return undefined
  }
}

async function fill(
  coordinator: Coordinator,
  term: Term,
  into: {
    readonly byPipeline: ReadonlyMap<string, Gauge>
    readonly state: Gauge
    readonly workers: Gauge
    readonly totals: ReturnType<typeof totalsOf>
  },
): Promise<void> {
  const status = await coordinator.admin().getStatus()
  const { completed, aborted, recoveries } = term.pipelines.totals
  into.totals.epoch.set(Number(term.leaderEpoch))
  into.totals.checkpoints.reset()
  into.totals.checkpoints.inc({ result: 'completed' }, completed)
  into.totals.checkpoints.inc({ result: 'aborted' }, aborted)
  into.totals.recoveries.reset()
  into.totals.recoveries.inc(recoveries)
  into.workers.set({ state: 'live' }, status.workersLive)
  into.workers.set({ state: 'lost' }, status.workersLost)
  for (const glance of status.pipelines) {
    into.state.set({ pipeline: glance.name, state: glance.state }, 1)
    const transactions = await coordinator
      .admin()
      .listTransactions(glance.name, { size: 1_000, after: undefined })
    const values = figures(glance, glance.flow)
    const ages = transactions.items.map((item) => item.ageMs)
    values.set('onceflow_sink_prepared_transactions', ages.length)
    values.set('onceflow_sink_oldest_prepared_age_seconds', Math.max(0, ...ages) / 1_000)
    const view = await coordinator.admin().getPipeline(glance.name)
    values.set('onceflow_pipeline_attempt', Number(view.attempt))
    for (const [name, value] of values) {
      into.byPipeline.get(name)?.set({ pipeline: glance.name }, value)
    }
  }
}

function figures(glance: PipelineGlance, flow: FlowFigures): Map<string, number> {
  const values = new Map([
    ['onceflow_source_lag_records', flow.lagRecords],
    ['onceflow_records_per_second', flow.recordsPerSecond],
    ['onceflow_rows_per_second', flow.rowsPerSecond],
  ])
  if (flow.freshnessMs !== undefined) {
    values.set('onceflow_commit_freshness_seconds', flow.freshnessMs / 1_000)
  }
  const last = glance.lastCheckpoint
  if (last !== undefined) {
    values.set('onceflow_checkpoint_last_completed_timestamp_seconds', last.decidedMs / 1_000)
    values.set('onceflow_checkpoint_duration_seconds', last.durationMs / 1_000)
  }
  return values
}
