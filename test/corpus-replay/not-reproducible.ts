/**
 * What the events alone cannot give back, with the reason: each is a property of the source or of
 * its connector, seen in the recorded events themselves. All that is not listed must be equal.
 */

export interface Gap {
  readonly table: string
  /** Columns that differ; undefined: whole rows. */
  readonly columns?: readonly string[]
  /** Values of the key columns, joined with '|'; undefined: any row. */
  readonly keys?: readonly string[]
  /** Folders in which it shows; undefined: every one. */
  readonly folders?: readonly string[]
  readonly reason: string
}

export const gaps: readonly Gap[] = [
  {
    table: 'evolve',
    reason: 'rows from before ADD COLUMN .. DEFAULT and RENAME COLUMN are never sent again',
  },
  { table: 'part', reason: 'partitioned: streaming events come for its leaves only' },
  {
    table: 'nopk',
    folders: ['pg-full'],
    reason: 'without key an update of one of two equal rows names no row',
  },
  {
    table: 'nopk_ri',
    reason: 'its replica identity is an index; the target made from tables.json has no key',
  },
  {
    table: 't_arr',
    columns: ['tma'],
    reason: 'elements of time[] are cut to milliseconds by the connector',
  },
  { table: 't_arr', columns: ['ea'], reason: 'an array of an enum is sent as null' },
  { table: 't_defaults', columns: ['g'], reason: 'a generated column is absent in streaming' },
  {
    table: 't_num',
    columns: ['n'],
    keys: ['5', '105', '108'],
    reason: 'zeros behind the point of a numeric without scale are not sent',
  },
  { table: 't_text', columns: ['nm'], reason: 'a column of type name is null in streaming' },
  {
    table: 't_text',
    columns: ['vb'],
    keys: ['5', '105'],
    reason: 'leading zeros of bit varying are not sent',
  },
  { table: 't_time', columns: ['iv'], reason: 'a month counts as 30.4375 days of microseconds' },
  { table: 't_time', columns: ['ttz'], reason: 'timetz is normalised to UTC by the connector' },
  {
    table: 't_time',
    columns: ['d'],
    keys: ['9', '11'],
    reason: 'dates in the calendar gap of 1582 and before Christ are wrong in the snapshot',
  },
  {
    table: 'accounts',
    columns: ['ver'],
    keys: ['1', '3'],
    folders: ['pg-loss-a'],
    reason: 'the connector lost two updates when it was restarted',
  },
]

export interface Difference {
  readonly folder: string
  readonly table: string
  /** undefined: the row itself is missing or too many. */
  readonly column: string | undefined
  readonly key: string
}

export const gapOf = ({ folder, table, column, key }: Difference): Gap | undefined =>
  gaps.find((gap) => {
    if (gap.table !== table || gap.folders?.includes(folder) === false) return false
    if (gap.columns === undefined) return true
    return column !== undefined && gap.columns.includes(column) && gap.keys?.includes(key) !== false
  })
