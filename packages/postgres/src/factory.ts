import { invariant, type PostgresSinkSpec } from '@onceflow/model'
import type { SinkFactory, SinkRequest } from '@onceflow/ports'
import { Link } from './link.ts'
import { preflight } from './preflight.ts'
import { ServerWatch } from './server.ts'
import type { PostgresSinkServices } from './services.ts'
import { PostgresSink } from './sink.ts'

/** The factory of sinks of kind 'postgres': one for a process, which remembers the servers seen. */
export function postgresSinkFactory(services: PostgresSinkServices): SinkFactory {
  const watch = new ServerWatch()
  return {
    kind: 'postgres',
    create: (request) =>
      new PostgresSink({ spec: specOf(request), tables: request.tables, services, watch }),
    claim: () => ({
      guarantee: 'exactly-once',
      reason:
        'rows and their ledger row are prepared in one transaction of the target and committed ' +
        'after the decision of the checkpoint',
    }),
    preflight: async (request, tasks) => {
      const { resolveSecret, clock } = services
      const spec = specOf(request)
      const link = new Link(spec, { resolveSecret, clock, watch }, 'onceflow:preflight')
      try {
        return await preflight(link, { spec, tables: request.tables, tasks })
      } finally {
        await link.close()
      }
    },
  }
}

function specOf({ spec }: SinkRequest): PostgresSinkSpec {
  invariant(spec.kind === 'postgres', `not a PostgreSQL sink: ${spec.kind}`)
  return spec
}
