import { failureOf } from '@onceflow/model'
import type { PreflightProblem } from '@onceflow/ports'
import { bookkeepingScript } from './bookkeeping.ts'
import type { Link } from './link.ts'
import { error, type PreflightInput, problem, valuesOf } from './preflight-problem.ts'
import { checkTables } from './preflight-table.ts'
import type { Session } from './session.ts'

/** Checkpoints sealed and not yet confirmed, per task (K of the protocol). */
const sealedPerTask = 1
/** Prepared transactions kept free for a person who works on the same server. */
const slack = 2

/** Every reason why the sink could not keep its promise, at once. */
export async function preflight(
  link: Link,
  input: PreflightInput,
): Promise<readonly PreflightProblem[]> {
  try {
    const session = await link.open()
    return [
      ...(await checkPrepared(session, input)),
      ...(await checkBookkeepingRights(session)),
      ...(await checkTables(session, input)),
    ]
  } catch (thrown) {
    return [error(failureOf(thrown))]
  }
}

async function checkPrepared(
  session: Session,
  { tasks }: PreflightInput,
): Promise<readonly PreflightProblem[]> {
  const [row] = await valuesOf(
    session,
    "SELECT current_setting('max_prepared_transactions'), count(*) FILTER (WHERE NOT" +
      " starts_with(gid, 'onceflow:')) FROM pg_prepared_xacts",
  )
  const limit = Number(row?.[0])
  const foreign = Number(row?.[1])
  const needed = tasks * (sealedPerTask + 1) + slack
  if (limit < needed) {
    return [
      problem(
        'error',
        `max_prepared_transactions is ${limit}; ${tasks} tasks need ${needed}`,
        `ALTER SYSTEM SET max_prepared_transactions = ${Math.max(needed, 64)}; then restart` +
          ' PostgreSQL (standbys need at least the same)',
      ),
    ]
  }
  if (limit - foreign >= needed) return []
  return [
    problem(
      'warning',
      `${foreign} of ${limit} prepared transactions are held by somebody else`,
      'look at pg_prepared_xacts and finish what was forgotten',
    ),
  ]
}

/** FOR SHARE on the fence asks for the right to update it. */
const rights: readonly (readonly [table: string, right: string])[] = [
  ['onceflow.format', 'SELECT'],
  ['onceflow.fence', 'SELECT'],
  ['onceflow.fence', 'INSERT'],
  ['onceflow.fence', 'UPDATE'],
  ['onceflow.ledger', 'SELECT'],
  ['onceflow.ledger', 'INSERT'],
  ['onceflow.ledger', 'DELETE'],
  ['onceflow.made', 'SELECT'],
  ['onceflow.made', 'INSERT'],
  ...(['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const).map(
    (right) => ['onceflow.departed', right] as const,
  ),
]

async function checkBookkeepingRights(session: Session): Promise<readonly PreflightProblem[]> {
  const [row] = await valuesOf(
    session,
    "SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'onceflow')::int," +
      " has_database_privilege(current_database(), 'CREATE')::int",
  )
  if (row?.[0] !== '1') {
    if (row?.[1] === '1') return []
    return [
      problem(
        'error',
        'schema onceflow does not exist, and the role may not create it',
        `let the role create schemas, or run this and grant it to the role:\n${bookkeepingScript}`,
      ),
    ]
  }
  const [usage] = await valuesOf(session, "SELECT has_schema_privilege('onceflow', 'USAGE')::int")
  if (usage?.[0] !== '1') {
    const hint = 'GRANT USAGE, CREATE ON SCHEMA onceflow TO ..., and rights on its tables'
    return [problem('error', 'the role may not use schema onceflow', hint)]
  }
  const asked = rights.map(([table, right]) => `has_table_privilege('${table}', '${right}')::int`)
  const [held] = await valuesOf(
    session,
    `SELECT ${asked.join(', ')}, has_schema_privilege('onceflow', 'CREATE')::int`,
  )
  const lacking = rights.filter((_, index) => held?.[index] !== '1')
  const problems = lacking.map(([table, right]) =>
    problem('error', `the role lacks ${right} on ${table}`, `GRANT ${right} ON ${table} TO ...`),
  )
  if (held?.[rights.length] !== '1') {
    const hint = 'GRANT CREATE ON SCHEMA onceflow TO ...'
    problems.push(
      problem('error', 'the role may not create staging tables in schema onceflow', hint),
    )
  }
  return problems
}
