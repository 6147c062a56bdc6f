import type { EpochTable, PartialRows } from '@onceflow/dataflow'
import type { Cell } from '@onceflow/model'
import { failure, unchanged } from '@onceflow/model'
import { copyText } from './copy-text.ts'
import { quoteText } from './sql-text.ts'
import type { StagingTable } from './staging.ts'
import type { Statement } from './statement-list.ts'
import type { TargetColumns } from './target-table.ts'

/**
 * direct: rows that the source created are copied into the target as new rows; one that exists
 * fails the epoch with 23505, and it is done again. upsert: no row is taken to be new.
 */
export type WriteMode = 'direct' | 'upsert'

/** Statements of an epoch for one table, by the step in which they run over all tables. */
export interface TableStatements {
  /** Into staging: touches no target. */
  readonly stage: readonly Statement[]
  readonly deletes: readonly Statement[]
  readonly writes: readonly Statement[]
}

/** Up to this many rows go as literals, without staging: it saves round trips, not work. */
export const literalRowsMax = 200

export function rowsOf(table: EpochTable): number {
  const partial = table.partials.reduce((sum, { rows }) => sum + rows.length, 0)
  return table.deletes.length + table.upserts.length + table.inserts.length + partial
}

export const needsStaging = (table: EpochTable, mode: WriteMode): boolean => {
  if (rowsOf(table) <= literalRowsMax) return false
  const direct = mode === 'direct' || table.shape.keyColumns.length === 0
  return rowsOf(table) > (direct ? table.inserts.length : 0)
}

/** `OVERRIDING SYSTEM VALUE` lets an identity column keep the source's value. */
const overriding = ' OVERRIDING SYSTEM VALUE'

export class TableWriter {
  readonly #table: EpochTable
  readonly #target: TargetColumns
  readonly #every: readonly number[]

  constructor(table: EpochTable, target: TargetColumns) {
    this.#table = table
    this.#target = target
    this.#every = table.shape.columns.map((_, index) => index)
  }

  /** A small epoch: values stand in the statements, cast by PostgreSQL from text input. */
  literal(): TableStatements {
    const { deletes, upserts, inserts, partials } = this.#table
    const gone = deletes.length === 0 ? [] : [{ sql: this.#deleteLiterals() }]
    const whole = [...upserts, ...inserts]
    return {
      stage: [],
      deletes: [...this.#truncate(), ...gone],
      writes: [
        ...(whole.length === 0 ? [] : [this.#insertLiterals(whole, this.#every)]),
        ...partials.flatMap((group) => this.#partialLiterals(group)),
      ],
    }
  }

  staged(staging: StagingTable, mode: WriteMode): TableStatements {
    const { deletes, upserts, inserts, partials, shape } = this.#table
    const stage: Statement[] = []
    const writes: Statement[] = []
    const direct = mode === 'direct' || shape.keyColumns.length === 0
    const gone: Statement[] = []
    if (deletes.length > 0) {
      stage.push(this.#copyKeys(staging))
      gone.push({ sql: this.#deleteStaged(staging) })
    }
    if (direct && inserts.length > 0) writes.push(this.#copyInto(inserts))
    const merged = direct ? [upserts] : [upserts, inserts]
    const count = merged.reduce((sum, rows) => sum + rows.length, 0)
    if (count > 0) {
      for (const rows of merged) stage.push(...this.#copyRows(staging, rows, '0'))
      writes.push(this.#merge(staging, { part: '0', columns: this.#every, count }))
    }
    for (const [index, group] of partials.entries()) {
      const part = String(index + 2)
      stage.push(this.#copyPartial(staging, group, part))
      writes.push(
        group.needsRow === 'yes'
          ? this.#updateStaged(staging, group, part)
          : this.#merge(staging, { part, columns: group.columns, count: group.rows.length }),
      )
    }
    return { stage, deletes: [...this.#truncate(), ...gone], writes }
  }

  /** Only creates of a big epoch: nothing is staged. */
  direct(): TableStatements {
    const { inserts } = this.#table
    return { stage: [], deletes: this.#truncate(), writes: [this.#copyInto(inserts)] }
  }

  /** As rows, not as a file: readers go on, and no lock waits for them. */
  #truncate(): Statement[] {
    return this.#table.truncated === 'yes' ? [{ sql: `DELETE FROM ${this.#target.table}` }] : []
  }

  #names(columns: readonly number[]): string {
    return columns.map((column) => this.#target.all[column] ?? '').join(', ')
  }

  #copyInto(rows: readonly (readonly Cell[])[]): Statement {
    return {
      sql: `COPY ${this.#target.table} (${this.#names(this.#every)}) FROM STDIN`,
      source: () => copyText(rows, this.#every, ''),
      rows: rows.length,
    }
  }

  #copyRows(staging: StagingTable, rows: readonly (readonly Cell[])[], part: string): Statement[] {
    if (rows.length === 0) return []
    return [
      {
        sql: `COPY ${staging.sql} (${staging.part}, ${this.#names(this.#every)}) FROM STDIN`,
        source: () => copyText(rows, this.#every, `${part}\t`),
        rows: rows.length,
      },
    ]
  }

  #copyKeys(staging: StagingTable): Statement {
    const { deletes, shape } = this.#table
    const ordinals = shape.keyColumns.map((_, ordinal) => ordinal)
    return {
      sql: `COPY ${staging.sql} (${staging.part}, ${this.#target.key.join(', ')}) FROM STDIN`,
      source: () => copyText(deletes, ordinals, '1\t'),
      rows: deletes.length,
    }
  }

  #copyPartial(staging: StagingTable, group: PartialRows, part: string): Statement {
    return {
      sql: `COPY ${staging.sql} (${staging.part}, ${this.#names(group.columns)}) FROM STDIN`,
      source: () => copyText(group.rows, group.columns, `${part}\t`),
      rows: group.rows.length,
    }
  }

  #deleteStaged(staging: StagingTable): string {
    return (
      `DELETE FROM ${this.#target.table} t USING ${staging.sql} s` +
      ` WHERE s.${staging.part} = 1 AND ${this.#sameKey()}`
    )
  }

  #sameKey(): string {
    return this.#target.key.map((name) => `t.${name} = s.${name}`).join(' AND ')
  }

  #merge(
    staging: StagingTable,
    what: { readonly part: string; readonly columns: readonly number[]; readonly count: number },
  ): Statement {
    const names = this.#names(what.columns)
    const conflict = this.#onConflict(what.columns)
    return {
      sql:
        `INSERT INTO ${this.#target.table} (${names})${overriding}` +
        ` SELECT ${names} FROM ${staging.sql} WHERE ${staging.part} = ${what.part}${conflict.sql}`,
      ...(conflict.counts === 'all' ? { rows: what.count } : {}),
    }
  }

  #updateStaged(staging: StagingTable, group: PartialRows, part: string): Statement {
    const sets = this.#settableOf(group.columns).map((name) => `${name} = s.${name}`)
    return {
      sql:
        `UPDATE ${this.#target.table} t SET ${sets.join(', ')} FROM ${staging.sql} s` +
        ` WHERE s.${staging.part} = ${part} AND ${this.#sameKey()}`,
      rows: group.rows.length,
      otherwise: (found) => missingRows(group, found),
    }
  }

  /** Columns that an upsert or update sets: those it has, without the key where others exist. */
  #settableOf(columns: readonly number[]): string[] {
    const { keyColumns } = this.#table.shape
    const free = columns.filter((column) => this.#target.settable.has(column))
    const values = free.filter((column) => !keyColumns.includes(column))
    return (values.length > 0 ? values : free).map((column) => this.#target.all[column] ?? '')
  }

  #onConflict(columns: readonly number[]): {
    readonly sql: string
    readonly counts: 'all' | 'new'
  } {
    if (this.#target.key.length === 0) return { sql: '', counts: 'all' }
    const key = this.#target.key.join(', ')
    const sets = this.#settableOf(columns).map((name) => `${name} = EXCLUDED.${name}`)
    if (sets.length === 0) return { sql: ` ON CONFLICT (${key}) DO NOTHING`, counts: 'new' }
    return { sql: ` ON CONFLICT (${key}) DO UPDATE SET ${sets.join(', ')}`, counts: 'all' }
  }

  #insertLiterals(rows: readonly (readonly Cell[])[], columns: readonly number[]): Statement {
    const values = rows.map((row) => `(${columns.map((column) => literal(row[column])).join(',')})`)
    const conflict = this.#onConflict(columns)
    return {
      sql:
        `INSERT INTO ${this.#target.table} (${this.#names(columns)})${overriding}` +
        ` VALUES ${values.join(',\n')}${conflict.sql}`,
      ...(conflict.counts === 'all' ? { rows: rows.length } : {}),
    }
  }

  #partialLiterals(group: PartialRows): Statement[] {
    if (group.needsRow === 'no') return [this.#insertLiterals(group.rows, group.columns)]
    const { keyColumns } = this.#table.shape
    const names = new Set(this.#settableOf(group.columns))
    const sets = group.columns.filter((column) => names.has(this.#target.all[column] ?? ''))
    return group.rows.map((row) => ({
      sql:
        `UPDATE ${this.#target.table} SET ` +
        sets.map((column) => `${this.#target.all[column]} = ${literal(row[column])}`).join(', ') +
        ` WHERE ${whereKey(
          this.#target,
          keyColumns.map((column) => row[column]),
        )}`,
      rows: 1,
      otherwise: (found: number) => missingRows(group, found),
    }))
  }

  #deleteLiterals(): string {
    const { key, table } = this.#target
    const { deletes } = this.#table
    if (key.length === 1) {
      const values = deletes.map(([cell]) => literal(cell))
      return `DELETE FROM ${table} WHERE ${key[0]} IN (${values.join(',')})`
    }
    const rows = deletes.map((one) => `(${one.map(literal).join(',')})`)
    return `DELETE FROM ${table} WHERE (${key.join(', ')}) IN (${rows.join(',')})`
  }
}

/** One row by its key, with literals that take the columns' types. */
export const whereKey = (target: TargetColumns, key: readonly Cell[]): string =>
  target.key.map((name, index) => `${name} = ${literal(key[index])}`).join(' AND ')

function missingRows(group: PartialRows, found: number) {
  const { position } = group
  return failure('PLACEHOLDER_WITHOUT_ROW', {
    detail:
      `${group.rows.length} rows hold placeholders for unchanged values, ` +
      `and ${found} of them are stored`,
    ...(position === undefined ? {} : { position }),
  })
}

function literal(cell: Cell): string {
  if (cell === null) return 'NULL'
  if (cell === undefined || cell === unchanged) throw new Error('a literal has a value')
  return quoteText(cell)
}
