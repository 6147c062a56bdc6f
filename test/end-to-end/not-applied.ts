/**
 * Tables that a pipeline of the corpus leaves out through its spec, and gaps of the replay that the
 * whole product does not have. Rows and columns that events cannot give back stand with their
 * reasons in corpus-replay/not-reproducible.ts.
 */

import { type Gap, gaps } from '../corpus-replay/not-reproducible.ts'

export const columnsLeftOut: ReadonlyMap<string, readonly string[]> = new Map([
  // Generated in the target: it computes the value, and no statement may give one.
  ['t_defaults', ['g']],
])

/** like-source: targets are there before; from-records: the sink makes them. */
export type Targets = 'like-source' | 'from-records'

export interface LeftOut {
  readonly table: string
  /** Folders in which it is left out; undefined: every one. */
  readonly folders?: readonly string[]
  /** Only where the sink makes the tables. */
  readonly when?: 'made'
  readonly reason: string
}

export const leftOut: readonly LeftOut[] = [
  {
    table: 'evolve',
    reason: 'its records have columns that were renamed or dropped: no target holds all of them',
  },
  {
    table: 'nopk',
    folders: ['pg-full'],
    reason: 'updates and deletes without a key are refused (KEY_MISSING)',
  },
  ...['t_num', 't_time', 't_text', 't_arr', 't_negscale', 't_defaults'].map((table) => ({
    table,
    when: 'made' as const,
    reason:
      `a record's schema does not tell each type of ${table} (money, domains, enums): ` +
      'the column is made in a type with another text form',
  })),
]

export function isLeftOut(where: {
  readonly folder: string
  readonly table: string
  readonly targets: Targets
}): boolean {
  return leftOut.some((one) => {
    if (one.when === 'made' && where.targets !== 'from-records') return false
    return one.table === where.table && one.folders?.includes(where.folder) !== false
  })
}

/** A target of its own kind closes these: it has the unique index, and computes the column. */
const closed = ['nopk_ri', 't_defaults']

export const openGaps: readonly Gap[] = gaps.filter(({ table }) => !closed.includes(table))
