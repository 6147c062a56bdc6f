import type { Cell, RecordPosition, TableShape } from '@onceflow/model'
import { unchanged } from '@onceflow/model'

export interface BufferedRow {
  readonly id: string
  /** Of deletes; an upsert's key is in its cells. */
  key: readonly Cell[] | undefined
  kind: 'upsert' | 'delete'
  cells: readonly Cell[]
  /** Cells that are `unchanged` or absent. */
  gaps: number
  /** own: the target's row of this key; a key: the target's row of that key; or nowhere. */
  stored: 'own' | 'nowhere' | readonly Cell[]
  /** The first change of the key in this epoch was a read or a create. */
  created: boolean
  /** The key's row went (delete or truncate) before this one came: no old value may stay. */
  replaced: boolean
  bytes: number
  /** Of the last change with gaps. */
  position: RecordPosition | undefined
  /** Of the key change that brought the row here, while it has gaps. */
  lsn: bigint | undefined
  /** Scratch for sorting. */
  order: number
}

/** The row that a delete with keyChange 'leaves' took away, for the create that follows it. */
export interface Departure {
  readonly key: readonly Cell[]
  readonly cells: readonly Cell[] | undefined
  readonly stored: 'nowhere' | readonly Cell[]
  /** Of an earlier key change of the same row, whose first half is not in this buffer. */
  readonly lsn: bigint | undefined
  readonly position: RecordPosition
}

/** A row that left its key while the create of its new key has not come yet. */
export interface OpenDeparture {
  readonly target: string
  readonly shape: TableShape
  readonly lsn: bigint
  /** The key whose stored row has what `cells` lacks; undefined: no stored row has it. */
  readonly from: readonly Cell[] | undefined
  /** What the buffer knew of the row; undefined: nothing. */
  readonly cells: readonly Cell[] | undefined
  readonly position: RecordPosition
}

export interface MovedRow {
  readonly target: string
  readonly shape: TableShape
  /**
   * The key whose row, as the target held it before this epoch, has the missing values. undefined:
   * it left in an earlier epoch, and only who kept it then can tell.
   */
  readonly from: readonly Cell[] | undefined
  /** Of the key change. */
  readonly lsn: bigint | undefined
  readonly key: readonly Cell[]
  readonly cells: readonly Cell[]
  readonly row: BufferedRow
}

/** Ours, and behind them what only the other has; a column of both has the other's type. */
export function union(ours: TableShape, other: TableShape): TableShape {
  const kept = ours.columns.map(
    (column) => other.columns.find(({ name }) => name === column.name) ?? column,
  )
  const added = other.columns.filter(
    ({ name }) => !ours.columns.some((column) => column.name === name),
  )
  const columns = [...kept, ...added]
  const same =
    columns.length === other.columns.length && columns.every((c, i) => c === other.columns[i])
  // The newer shape itself, where it is the union: its changes then need no rearranging.
  return same ? other : { ...other, columns, keyColumns: ours.keyColumns }
}

export const padded = (cells: readonly Cell[], width: number): readonly Cell[] =>
  Array.from({ length: width }, (_, index) => cells[index])

/** The newer cells, their gaps filled from the older ones. */
export function filled(
  newer: readonly Cell[],
  older: readonly Cell[] | undefined,
): readonly Cell[] {
  if (older === undefined) return newer
  return newer.map((cell, index) => {
    if (cell !== undefined && cell !== unchanged) return cell
    return older[index]
  })
}

export function gapsOf(cells: readonly Cell[]): number {
  let gaps = 0
  for (const cell of cells) if (cell === undefined || cell === unchanged) gaps += 1
  return gaps
}

export function appendedRow(cells: readonly Cell[]): BufferedRow {
  return {
    id: '',
    key: undefined,
    kind: 'upsert',
    cells,
    gaps: gapsOf(cells),
    stored: 'nowhere',
    created: true,
    replaced: false,
    bytes: 0,
    position: undefined,
    lsn: undefined,
    order: 0,
  }
}
