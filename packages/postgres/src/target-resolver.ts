// Invariants:
// - the shapes it gives out are interned: equal columns of one source table are one object;
// - a target is read from the catalogue again whenever a new shape of its source is declared, and
//   never in between: within an epoch one picture of a table holds;
// - it creates tables only, in a transaction of its own that has read the fence; it alters none;
// - it creates a table once: one that it made and that is gone had rows which are not read again.
import {
  type Column,
  fail,
  type PostgresSinkSpec,
  type SourceTable,
  type TableShape,
  type TableSpec,
} from '@onceflow/model'
import type { FailPoints, TaskSinkScope } from '@onceflow/ports'
import { readTable } from './catalogue.ts'
import type { PostgresFailPoint } from './fail-point.ts'
import { enterFenced } from './fence.ts'
import type { Link } from './link.ts'
import { isIncluded, isUsableName, type Route, routeOf } from './route.ts'
import { sinkCondition } from './scope-sql.ts'
import type { Session } from './session.ts'
import { lockKey, quoteName, quoteText } from './sql-text.ts'
import { keyOf, shapeOf } from './target-shape.ts'
import { type TargetColumns, type TargetTable, targetColumns } from './target-table.ts'

export interface TargetResolverServices {
  readonly sink: PostgresSinkSpec
  readonly tables: readonly TableSpec[]
  readonly scope: TaskSinkScope
  /** Of its own: a task resolves tables while its writer seals and its committer commits. */
  readonly link: Link
  readonly failPoints: FailPoints
}

export class TargetResolver {
  readonly #services: TargetResolverServices
  readonly #targets = new Map<string, TargetTable>()
  readonly #shapes = new Map<string, TableShape>()
  readonly #columns = new WeakMap<TableShape, TargetColumns>()

  constructor(services: TargetResolverServices) {
    this.#services = services
  }

  targetOf(source: SourceTable): string {
    return this.#route(source).sql
  }

  /** A target that several sources share cannot be emptied for one of them. */
  checkTruncate(source: SourceTable): void {
    const target = this.targetOf(source)
    const others = this.#services.tables.filter(
      ({ source: one }) =>
        (one.schema !== source.schema || one.table !== source.table) &&
        this.targetOf(one) === target,
    )
    if (others.length === 0) return
    fail('TARGET_MISMATCH', {
      detail: `${source.schema}.${source.table} was truncated, and ${target} has other sources too`,
      hint: 'route each source to a table of its own, or skip truncates in the connector',
    })
  }

  /** A target's name is its quoted and qualified SQL. */
  columnsOf(target: string, shape: TableShape): TargetColumns {
    const known = this.#columns.get(shape)
    if (known !== undefined) return known
    const table = this.#targets.get(target)
    if (table === undefined) fail('UNEXPECTED', { detail: `${target} was never resolved` })
    const columns = targetColumns(table, shape)
    this.#columns.set(shape, columns)
    return columns
  }

  async resolve(source: SourceTable, declared: TableShape | undefined): Promise<TableShape> {
    const route = this.#route(source)
    if (!isUsableName(route.target)) {
      fail('TARGET_MISMATCH', {
        detail: `the target name ${route.sql} is empty or longer than 63 bytes`,
        hint: 'route the table to a shorter name in tables[]',
      })
    }
    const session = await this.#services.link.open()
    const table = await this.#find(session, route, declared)
    this.#targets.set(route.sql, table)
    const shape = shapeOf({ source, declared, route, table })
    const known = JSON.stringify([source, route.sql, shape.columns, shape.keyColumns])
    const interned = this.#shapes.get(known) ?? shape
    this.#shapes.set(known, interned)
    return interned
  }

  async #find(
    session: Session,
    route: Route,
    declared: TableShape | undefined,
  ): Promise<TargetTable> {
    const { schema, table } = route.target
    const found = await readTable(session, schema, table)
    if (found !== undefined) return found
    if (declared === undefined || this.#services.sink.tables === 'require') {
      fail('TARGET_TABLE_MISSING', {
        detail: `the target table ${route.sql} does not exist, or the role may not see it`,
        ...(declared === undefined
          ? {}
          : { hint: 'create the table, or set sinks[].tables to create' }),
      })
    }
    if (await this.#madeBefore(session, route)) {
      // Another task may have made it since we looked.
      const late = await readTable(session, schema, table)
      if (late !== undefined) return late
      fail('TARGET_TABLE_MISSING', {
        detail: `${route.sql} was made by this pipeline, and somebody dropped it`,
        hint: 'restore the table, or make a new pipeline that reads from the start',
      })
    }
    await this.#create(session, route, declared)
    const made = await readTable(session, schema, table)
    if (made === undefined) {
      fail('TARGET_TABLE_MISSING', { detail: `${route.sql} was created, and is gone again` })
    }
    return made
  }

  /** Two tasks at once: the second waits for the first one's lock, and finds the table there. */
  async #create(session: Session, route: Route, declared: TableShape): Promise<void> {
    const { scope } = this.#services
    await this.#reached('sink.postgres.table.create.before')
    const what = `creating ${route.sql}`
    try {
      await enterFenced(session, scope)
      const statements = [...createSql(route, declared), this.#madeSql(route), 'COMMIT']
      await session.must(statements.join(';\n'), what)
    } catch (thrown) {
      await session.run('ROLLBACK')
      throw thrown
    }
    await this.#reached('sink.postgres.table.create.after')
  }

  async #madeBefore(session: Session, route: Route): Promise<boolean> {
    const [found] = await session.must(
      `SELECT 1 FROM onceflow.made WHERE ${sinkCondition(this.#services.scope)}` +
        ` AND target = ${quoteText(route.sql)}`,
      'looking for tables that were made',
    )
    return (found?.rows.length ?? 0) > 0
  }

  #madeSql(route: Route): string {
    const { cluster, pipeline, sink } = this.#services.scope
    const values = [cluster, pipeline, sink, route.sql].map(quoteText).join(', ')
    return (
      `INSERT INTO onceflow.made (cluster, pipeline_uid, sink, target) VALUES (${values})` +
      ' ON CONFLICT DO NOTHING'
    )
  }

  #route(source: SourceTable): Route {
    return routeOf(source, this.#services.tables, this.#services.sink)
  }

  #reached(name: PostgresFailPoint): Promise<void> | undefined {
    return this.#services.failPoints.reached(name)
  }
}

function createSql(route: Route, declared: TableShape): readonly string[] {
  const schema = quoteName(route.target.schema)
  const columns = declared.columns.filter(
    ({ name, keyOrdinal }) => keyOrdinal !== undefined || isIncluded(route.columns, name),
  )
  const key = keyOf(declared)
  const parts = columns.map(columnSql)
  if (key.length > 0) parts.push(`PRIMARY KEY (${key.map(quoteName).join(', ')})`)
  return [
    `SELECT pg_advisory_xact_lock(${lockKey(route.sql)})`,
    // Types of extensions are named without their schema in records.
    `SET LOCAL search_path = pg_catalog, ${schema}, public`,
    // IF NOT EXISTS asks for the right to create schemas even when it is there.
    `DO $do$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = ${quoteText(
      route.target.schema,
    )}) THEN CREATE SCHEMA ${schema}; END IF; END $do$`,
    `CREATE TABLE IF NOT EXISTS ${route.sql} (${parts.join(', ')})`,
  ]
}

/** Only the key is NOT NULL: the source keeps its own constraints, the target follows it. */
const columnSql = (column: Column): string =>
  `${quoteName(column.name)} ${column.type}${column.keyOrdinal === undefined ? '' : ' NOT NULL'}`
