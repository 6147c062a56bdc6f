import { OnceflowError, type TableSpec } from '@onceflow/model'
import type { PreflightProblem } from '@onceflow/ports'
import { readTable } from './catalogue.ts'
import { error, type PreflightInput, problem, valuesOf } from './preflight-problem.ts'
import { isUsableName, routeOf } from './route.ts'
import type { Session } from './session.ts'
import { quoteText } from './sql-text.ts'
import { shapeOf } from './target-shape.ts'
import type { TargetTable } from './target-table.ts'

const tableRights = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const

/** What can be known of target tables before a record comes: those that routes name. */
export async function checkTables(
  session: Session,
  input: PreflightInput,
): Promise<readonly PreflightProblem[]> {
  const problems: PreflightProblem[] = []
  for (const table of input.tables) problems.push(...(await checkTable(session, input, table)))
  return problems
}

async function checkTable(
  session: Session,
  input: PreflightInput,
  spec: TableSpec,
): Promise<readonly PreflightProblem[]> {
  const route = routeOf(spec.source, input.tables, input.spec)
  if (!isUsableName(route.target)) {
    return [problem('error', `${route.sql} is no usable name`, 'names have 1 to 63 bytes')]
  }
  const table = await readTable(session, route.target.schema, route.target.table)
  if (table === undefined) {
    if (input.spec.tables === 'create') return []
    return [problem('error', `${route.sql} does not exist`, 'create it, or set tables to create')]
  }
  const manyTasks = input.tasks > 1 && spec.tasks === 'many'
  return [
    ...(await checkRights(session, route.sql)),
    ...checkShape({ spec, table, input }),
    ...checkIndexes(route.sql, table, manyTasks ? 'many' : 'one'),
    ...(await checkConstraints(session, route.sql, manyTasks ? 'many' : 'one')),
  ]
}

async function checkRights(session: Session, sql: string): Promise<readonly PreflightProblem[]> {
  const asked = tableRights.map(
    (right) => `has_table_privilege(${quoteText(sql)}, '${right}')::int`,
  )
  const [held] = await valuesOf(session, `SELECT ${asked.join(', ')}`)
  return tableRights
    .filter((_, index) => held?.[index] !== '1')
    .map((right) =>
      problem('error', `the role lacks ${right} on ${sql}`, `GRANT ${right} ON ${sql} TO ...`),
    )
}

function checkShape(what: {
  readonly spec: TableSpec
  readonly table: TargetTable
  readonly input: PreflightInput
}): readonly PreflightProblem[] {
  const { spec, table, input } = what
  const route = routeOf(spec.source, input.tables, input.spec)
  try {
    const shape = shapeOf({ source: spec.source, declared: undefined, route, table })
    if (shape.keyColumns.length > 0) return []
    const hint = 'give it the primary key of the source table, unless it is only appended to'
    return [problem('warning', `${route.sql} has no key: updates and deletes fail`, hint)]
  } catch (thrown) {
    if (thrown instanceof OnceflowError) return [error(thrown.failure)]
    throw thrown
  }
}

/** Rows are applied in key order, deletes first: a value that moves between rows can collide. */
function checkIndexes(
  sql: string,
  table: TargetTable,
  tasks: 'one' | 'many',
): readonly PreflightProblem[] {
  const { uniqueIndexes } = table
  const key = uniqueIndexes.find((one) => one.primary) ?? uniqueIndexes.find((one) => one.arbiter)
  return uniqueIndexes
    .filter((index) => index !== key && index.immediate)
    .map((index) => {
      const what = `${sql} has a unique index besides its key: ${index.name}`
      const remedy =
        'make it a constraint DEFERRABLE INITIALLY DEFERRED, or drop it: the source keeps it unique'
      if (tasks === 'one') return problem('warning', what, remedy)
      return problem('error', `${what}; tasks can deadlock on it`, `${remedy}; or set tasks: one`)
    })
}

const constraintsSql = (sql: string): string =>
  'SELECT conname, condeferrable::int & condeferred::int FROM pg_constraint' +
  ` WHERE contype = 'f' AND (conrelid = ${quoteText(sql)}::regclass` +
  ` OR confrelid = ${quoteText(sql)}::regclass)`

const triggersSql = (sql: string): string =>
  `SELECT tgname FROM pg_trigger WHERE tgrelid = ${quoteText(sql)}::regclass` +
  " AND NOT tgisinternal AND tgenabled <> 'D'"

async function checkConstraints(
  session: Session,
  sql: string,
  tasks: 'one' | 'many',
): Promise<readonly PreflightProblem[]> {
  const foreign = await valuesOf(session, constraintsSql(sql))
  const triggers = await valuesOf(session, triggersSql(sql))
  const keys = foreign.flatMap(([name, deferred]) => {
    const what = `${sql} has the foreign key ${name}`
    if (tasks === 'many') {
      const hint = 'set tasks: one for the tables it joins, or drop it: the source keeps it'
      return [problem('error', `${what}; a prepared row of another task does not satisfy it`, hint)]
    }
    if (deferred === '1') return []
    const hint = 'make it DEFERRABLE INITIALLY DEFERRED: it is then checked when all is written'
    return [problem('warning', what, hint)]
  })
  const fired = triggers.map(([name]) =>
    problem(
      'warning',
      `${sql} has the trigger ${name}: it fires once for each row that an epoch writes`,
      'what it does is part of the transaction; it must not depend on the order of rows',
    ),
  )
  return [...keys, ...fired]
}
