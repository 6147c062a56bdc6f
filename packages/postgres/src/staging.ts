// Invariants:
// - a staging table is UNLOGGED and committed before it is used; it belongs to one target table of
//   one subtask in one attempt; there are two of them when a checkpoint seals before the one before
//   it is emptied, and never more;
// - it is empty when it is taken: it is truncated after COMMIT PREPARED only, since a TRUNCATE
//   inside a prepared transaction would hold its lock until then, and the merge asserts the count;
// - one that could not be emptied is given up: another takes its place, RESOLVE drops it.
import type { TaskSinkScope } from '@onceflow/ports'
import { enterFenced } from './fence.ts'
import type { Link } from './link.ts'
import { fenceSql, stagingPrefix } from './scope-sql.ts'
import type { Session } from './session.ts'
import { qualified, quoteName } from './sql-text.ts'
import type { TargetColumns } from './target-table.ts'

export interface StagingTable {
  /** Quoted and qualified. */
  readonly sql: string
  /** Quoted name of our own column: which statement a row belongs to. */
  readonly part: string
}

interface Held {
  readonly table: StagingTable
  readonly columns: string
}

/** One that a sealed checkpoint holds until it is emptied, and one for the next. */
const tablesPerTarget = 2

export class StagingTables {
  readonly #scope: TaskSinkScope
  readonly #free = new Map<string, Held[]>()
  readonly #held = new Map<StagingTable, { readonly target: string; readonly held: Held }>()
  #ordinal = 0
  #emptying: Promise<void> = Promise.resolve()

  constructor(scope: TaskSinkScope) {
    this.#scope = scope
  }

  /** An empty staging table with the columns of the target; made when none is free. */
  async take(session: Session, target: TargetColumns): Promise<StagingTable> {
    const columns = target.all.join(', ')
    if (this.#heldOf(target.table) >= tablesPerTarget) await this.#emptying
    const taken = this.#takeFree(target.table, columns) ?? {
      table: await this.#create(session, target),
      columns,
    }
    this.#held.set(taken.table, { target: target.table, held: taken })
    return taken.table
  }

  #takeFree(target: string, columns: string): Held | undefined {
    const free = this.#free.get(target) ?? []
    const held = free.find((one) => one.columns === columns)
    this.#free.set(
      target,
      free.filter((one) => one !== held),
    )
    return held
  }

  #heldOf(target: string): number {
    return [...this.#held.values()].filter((one) => one.target === target).length
  }

  async #create(session: Session, target: TargetColumns): Promise<StagingTable> {
    const { attempt, subtask } = this.#scope
    this.#ordinal += 1
    const name = `${stagingPrefix(this.#scope)}${attempt}_${subtask}_${this.#ordinal}`
    const sql = qualified('onceflow', name)
    const part = partColumn(target)
    // AS SELECT takes the types with their modifiers and leaves every constraint behind.
    const create =
      `CREATE UNLOGGED TABLE ${sql} WITH (autovacuum_enabled = off) AS` +
      ` SELECT NULL::smallint AS ${part}, ${target.all.join(', ')} FROM ${target.table}` +
      ' WITH NO DATA'
    await enterFenced(session, this.#scope)
    await session.must(
      `DROP TABLE IF EXISTS ${sql};\n${create};\nCOMMIT`,
      `creating a staging table for ${target.table}`,
    )
    return { sql, part }
  }

  /**
   * After COMMIT PREPARED: empties the tables, beside whatever the task does meanwhile, and runs
   * `housekeeping` in the same transaction.
   */
  release(tables: readonly StagingTable[], link: Link, housekeeping: readonly string[]): void {
    const names = tables.map((table) => table.sql).join(', ')
    const work = [...(names === '' ? [] : [`TRUNCATE ${names}`]), ...housekeeping]
    if (work.length === 0) return
    const sql = [
      'BEGIN ISOLATION LEVEL READ COMMITTED',
      "SET LOCAL lock_timeout = '1s'",
      fenceSql(this.#scope),
      ...work,
      'COMMIT',
    ].join(';\n')
    this.#emptying = this.#emptying
      .then(() => link.run(sql))
      .then((outcome) => {
        for (const table of tables) this.#give(table, outcome.kind === 'ok')
        if (outcome.kind === 'refused') return link.run('ROLLBACK').then(() => undefined)
        return undefined
      })
      .catch(() => undefined)
  }

  #give(table: StagingTable, empty: unknown): void {
    const entry = this.#held.get(table)
    this.#held.delete(table)
    if (entry === undefined || empty !== true) return
    const free = this.#free.get(entry.target) ?? []
    this.#free.set(entry.target, [...free, entry.held])
  }

  /** Resolves when nothing is being emptied. */
  settled(): Promise<void> {
    return this.#emptying
  }
}

/** A name that no column of the target has. */
function partColumn(target: TargetColumns): string {
  let name = 'onceflow_part'
  while (target.all.includes(quoteName(name))) name += '_'
  return quoteName(name)
}
