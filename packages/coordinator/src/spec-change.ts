import { fail, type PipelineSpec, type SinkSpec, type TableSpec } from '@onceflow/model'

/**
 * A changed spec goes on where the pipeline stands: what came before is not applied again. A change
 * that would leave earlier rows out of what it names, without a word, is refused once a checkpoint
 * has been decided: a sink that is new (a renamed one is new too), another target for rows that are
 * in the old one already.
 */
export function refuseLossyChange(before: PipelineSpec, after: PipelineSpec): void {
  const known = new Map(before.sinks.map((sink) => [sink.name, sink]))
  for (const sink of after.sinks) {
    const old = known.get(sink.name)
    if (old === undefined) {
      refuse(`sink ${sink.name} is new: it would not get what came before`)
    } else if (placeOf(old) !== placeOf(sink)) {
      refuse(`sink ${sink.name} would write to another place than before`)
    }
  }
  const routes = new Map(before.tables.map((table) => [sourceOf(table), targetOf(table)]))
  for (const table of after.tables) {
    const old = routes.get(sourceOf(table))
    if (old !== undefined && old !== targetOf(table)) {
      refuse(`table ${sourceOf(table)} would go to another target than before`)
    }
  }
}

/** The database's own name and the schema; not the address, which moves with a failover. */
const placeOf = (sink: SinkSpec): string =>
  sink.kind === 'postgres' ? JSON.stringify([sink.database, sink.schema]) : sink.type

const sourceOf = ({ source }: TableSpec): string => `${source.schema}.${source.table}`
const targetOf = ({ target }: TableSpec): string => JSON.stringify([target.schema, target.table])

function refuse(detail: string): never {
  return fail('PRECONDITION_FAILED', {
    detail,
    hint: 'create another pipeline for it, which reads from the start',
  })
}
