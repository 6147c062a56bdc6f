// Rows that left their key in a sealed epoch, while the create of their new key comes in a later
// one: a barrier may fall between the two halves of a key change. The create does not repeat values
// that did not change, so what the row held is kept, in the transaction that deletes it.
//
// Invariants: what is in memory is what is in onceflow.departed for rows this task may ask for; an
// entry is removed in the transaction that uses it, or when it is too old to be asked for.
import type { EpochBuffer, MovedRow, OpenDeparture } from '@onceflow/dataflow'
import { type Cell, type Position, partitionKey, type TableShape, unchanged } from '@onceflow/model'
import type { SealOrder, TaskSinkScope } from '@onceflow/ports'
import { type KeptRows, selectRow } from './moved-rows.ts'
import { sinkCondition, sinkValues } from './scope-sql.ts'
import type { Session } from './session.ts'
import { quoteText } from './sql-text.ts'
import type { Statement } from './statement-list.ts'
import type { TargetColumns } from './target-table.ts'

/**
 * The second half follows the first within few offsets (the tombstone, a transaction marker): only
 * rows that left this near to the cut can be asked for, the others went to another task.
 */
const offsetsToCutMax = 16n
/** Seals after which an entry is no longer kept. */
const sealsMax = 50

type Values = { readonly [column: string]: string | null }

interface Kept {
  readonly target: string
  readonly lsn: bigint
  readonly values: Values
  age: number
}

export class DepartedRows implements KeptRows {
  readonly #scope: TaskSinkScope
  #kept = new Map<string, Kept>()
  #next: Kept[] = []
  readonly #used = new Set<string>()

  constructor(scope: TaskSinkScope) {
    this.#scope = scope
  }

  /** Of all subtasks: the second half may come to another task in this attempt. */
  async load(session: Session): Promise<void> {
    const [found] = await session.must(
      'SELECT target, lsn, row_values FROM onceflow.departed' +
        ` WHERE ${sinkCondition(this.#scope)}`,
      'reading departed rows',
    )
    for (const [target, lsn, text] of found?.rows ?? []) {
      const values: Values = JSON.parse(text ?? '{}')
      this.#keep({ target: target ?? '', lsn: BigInt(lsn ?? 0), values, age: 0 })
    }
  }

  #keep(kept: Kept): void {
    this.#kept.set(nameOf(kept.target, kept.lsn), kept)
  }

  /** The row in the shape's order, for an arrival whose first half is not in its epoch. */
  find(move: MovedRow): readonly Cell[] | undefined {
    if (move.lsn === undefined) return undefined
    const kept = this.#kept.get(nameOf(move.target, move.lsn))
    if (kept === undefined) return undefined
    this.#used.add(nameOf(move.target, move.lsn))
    return move.shape.columns.map(({ name }) =>
      Object.hasOwn(kept.values, name) ? kept.values[name] : undefined,
    )
  }

  /** Reads what is about to leave, before anything is written. */
  async collect(
    session: Session,
    buffer: EpochBuffer,
    what: {
      readonly order: SealOrder
      readonly columnsOf: (target: string, shape: TableShape) => TargetColumns
    },
  ): Promise<void> {
    this.#next = []
    const ends = new Map(what.order.to.map((end) => [partitionKey(end), end]))
    for (const departure of buffer.departures().filter((one) => isNearCut(one, ends))) {
      const cells = await wholeRow(
        session,
        departure,
        what.columnsOf(departure.target, departure.shape),
      )
      if (cells === undefined) continue
      const values = valuesOf(departure, cells)
      this.#next.push({ target: departure.target, lsn: departure.lsn, values, age: 0 })
    }
  }

  /** For the transaction that seals: keeps what leaves, forgets what was used or is too old. */
  statements(order: SealOrder): readonly Statement[] {
    const { subtask } = this.#scope
    const kept = this.#next.map(({ target, lsn, values }) => ({
      sql:
        'INSERT INTO onceflow.departed (cluster, pipeline_uid, sink, subtask, checkpoint,' +
        ` target, lsn, row_values) VALUES (${sinkValues(this.#scope)}, ${subtask},` +
        ` ${order.checkpoint}, ${quoteText(target)}, ${lsn},` +
        ` ${quoteText(JSON.stringify(values))})` +
        ' ON CONFLICT (cluster, pipeline_uid, sink, target, lsn) DO UPDATE' +
        ' SET subtask = EXCLUDED.subtask, checkpoint = EXCLUDED.checkpoint,' +
        ' row_values = EXCLUDED.row_values',
    }))
    // Every task of an attempt has loaded the same entries and forgets them at the same seal: what
    // another one's sealed transaction removes already must not be waited for (the locks of n are
    // held until all tasks have sealed n).
    const gone = this.#forgotten().map(({ target, lsn }) => ({
      sql:
        'DELETE FROM onceflow.departed WHERE ctid = ANY(ARRAY(SELECT ctid FROM onceflow.departed' +
        ` WHERE ${sinkCondition(this.#scope)} AND target = ${quoteText(target)}` +
        ` AND lsn = ${lsn} FOR UPDATE SKIP LOCKED))`,
    }))
    return [...gone, ...kept]
  }

  #forgotten(): readonly Kept[] {
    const old = [...this.#kept].filter(([name, { age }]) => age >= sealsMax || this.#used.has(name))
    return old.map(([, kept]) => kept)
  }

  /** The seal is prepared: memory follows. */
  sealed(): void {
    for (const { target, lsn } of this.#forgotten()) this.#kept.delete(nameOf(target, lsn))
    this.#used.clear()
    for (const kept of this.#kept.values()) kept.age += 1
    for (const kept of this.#next) this.#keep(kept)
    this.#next = []
  }
}

const nameOf = (target: string, lsn: bigint): string => `${lsn} ${target}`

function isNearCut(departure: OpenDeparture, ends: ReadonlyMap<string, Position>): boolean {
  const end = ends.get(partitionKey(departure.position))
  return end !== undefined && end.offset - departure.position.offset <= offsetsToCutMax
}

/** What the buffer knows, its gaps filled from the stored row. */
async function wholeRow(
  session: Session,
  { from, cells }: OpenDeparture,
  columns: TargetColumns,
): Promise<readonly Cell[] | undefined> {
  const hasGaps =
    cells === undefined || cells.some((cell) => cell === undefined || cell === unchanged)
  if (!hasGaps || from === undefined) return cells
  const [found] = await session.must(selectRow(columns, from), 'reading a row that leaves')
  const stored = found?.rows[0]
  if (stored === undefined || cells === undefined) return stored ?? cells
  return cells.map((cell, index) =>
    cell === undefined || cell === unchanged ? stored[index] : cell,
  )
}

function valuesOf({ shape }: OpenDeparture, cells: readonly Cell[]): Values {
  const values = shape.columns.flatMap(({ name }, index): [string, string | null][] => {
    const cell = cells[index]
    return typeof cell === 'string' || cell === null ? [[name, cell]] : []
  })
  return Object.fromEntries(values)
}
