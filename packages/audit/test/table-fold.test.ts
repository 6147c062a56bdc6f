// The fold against the source itself: a random history is done to a plain table and told in change
// events; the fold of the events must be the table. Events are also split over partitions and
// brought together again.
import type { Cell, Change, RecordPosition, TableShape } from '@onceflow/model'
import { unchanged } from '@onceflow/model'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeByLsn } from '../src/change-merge.ts'
import { type FoldedCell, TableFold } from '../src/table-fold.ts'

const source = { schema: 'public', table: 'item' }
const shape: TableShape = {
  source,
  columns: [
    { name: 'id', type: 'bigint', nullable: false, keyOrdinal: 0 },
    { name: 'small', type: 'integer', nullable: true, keyOrdinal: undefined },
    { name: 'large', type: 'text', nullable: true, keyOrdinal: undefined },
  ],
  keyColumns: [0],
  origin: 'record',
}

type Step =
  | { readonly kind: 'put'; readonly id: number; readonly small: number; readonly large: number }
  | { readonly kind: 'remove'; readonly id: number }
  | { readonly kind: 'move'; readonly id: number; readonly to: number }
  | { readonly kind: 'truncate' }
  | { readonly kind: 'repeat' }

const id = fc.integer({ min: 0, max: 5 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('put' as const), id, small: id, large: id }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), id }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), id, to: id }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'truncate' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'repeat' as const }) },
)

interface Row {
  readonly small: string
  readonly large: string
}

/** The source: does the steps to a plain table, and tells what it does. */
class Source {
  readonly rows = new Map<string, Row>()
  readonly changes: Change[] = []
  #lsn = 0n

  do(one: Step): void {
    this.#lsn += 1n
    switch (one.kind) {
      case 'put':
        this.#put(String(one.id), { small: String(one.small), large: `text ${one.large}` })
        return
      case 'remove':
        if (this.rows.delete(String(one.id))) this.#gone(String(one.id), 'none')
        return
      case 'move':
        this.#move(String(one.id), String(one.to))
        return
      case 'truncate':
        this.rows.clear()
        this.changes.push({ kind: 'truncate', source, ...this.#where() })
        return
      case 'repeat': {
        // A connector that was restarted sends its last event again.
        const last = this.changes.at(-1)
        const isHalf = last?.kind !== 'truncate' && last?.keyChange !== 'none'
        if (last !== undefined && !isHalf) this.changes.push(last)
      }
    }
  }

  #put(key: string, row: Row): void {
    const before = this.rows.get(key)
    this.rows.set(key, row)
    const large = before?.large === row.large ? unchanged : row.large
    this.#row([key, row.small, large], before === undefined ? 'create' : 'update')
  }

  #move(from: string, to: string): void {
    const row = this.rows.get(from)
    if (row === undefined || this.rows.has(to)) return
    this.rows.delete(from)
    this.rows.set(to, row)
    this.#gone(from, 'leaves')
    this.#row([to, row.small, unchanged], 'create', 'arrives')
  }

  #row(cells: readonly Cell[], op: 'create' | 'update', keyChange: 'none' | 'arrives' = 'none') {
    this.changes.push({ kind: 'upsert', op, shape, cells, keyChange, ...this.#where() })
  }

  #gone(key: string, keyChange: 'none' | 'leaves'): void {
    this.changes.push({ kind: 'delete', shape, key: [key], keyChange, ...this.#where() })
  }

  #where() {
    const position: RecordPosition = { topic: 'item', partition: 0, offset: this.#lsn }
    return { origin: { lsn: this.#lsn, commitTimeMs: 0 }, position }
  }
}

const newFold = () =>
  new TableFold(
    { schema: 'public', table: 'item' },
    { rows: 0, textBytes: 0, rowsMax: 1_000, textBytesMax: 1_000_000 },
  )

function apply(fold: TableFold, change: Change): void {
  if (change.kind === 'upsert') fold.upsert(change)
  else if (change.kind === 'delete') fold.delete(change)
  else fold.truncate(change.source)
}

function contents(fold: TableFold): Record<string, readonly FoldedCell[]> {
  const alive: Record<string, readonly FoldedCell[]> = {}
  for (const { cells } of fold.rows()) if (cells !== undefined) alive[cells[0] ?? ''] = cells
  return alive
}

const tableOf = ({ rows }: Source) =>
  Object.fromEntries([...rows].map(([key, { small, large }]) => [key, [key, small, large]]))

describe('the fold of a table', () => {
  it('is the table, whatever was done to it', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const origin = new Source()
        const fold = newFold()
        for (const one of steps) origin.do(one)
        for (const change of origin.changes) apply(fold, change)
        expect(contents(fold)).toEqual(tableOf(origin))
      }),
      { numRuns: 1_000 },
    )
  })

  it('is the same when its events were spread over partitions by key', async () => {
    const work = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const origin = new Source()
      for (const one of steps) if (one.kind !== 'repeat') origin.do(one)
      const parts: Change[][] = [[], [], []]
      for (const change of origin.changes) {
        const cell =
          change.kind === 'upsert'
            ? change.cells[0]
            : change.kind === 'delete'
              ? change.key[0]
              : '0'
        parts[Number(cell) % 3]?.push(change)
      }
      const fold = newFold()
      await mergeByLsn(parts.map(pages), (change) => apply(fold, change))
      expect(contents(fold)).toEqual(tableOf(origin))
    })
    await fc.assert(work, { numRuns: 500 })
  })

  it('takes numeric keys of other scale for one key', () => {
    const priced: TableShape = {
      ...shape,
      columns: shape.columns.map((column) =>
        column.name === 'id' ? { ...column, type: 'numeric(10,2)' } : column,
      ),
    }
    const fold = newFold()
    const at = { topic: 'item', partition: 0, offset: 1n }
    const origin = { lsn: 1n, commitTimeMs: 0 }
    for (const text of ['1.50', '1.5', '01.500']) {
      const cells = [text, '1', 'x']
      const change = { op: 'create', shape: priced, cells, keyChange: 'none' } as const
      fold.upsert({ kind: 'upsert', ...change, origin, position: at })
    }
    fold.delete({
      kind: 'delete',
      shape: priced,
      key: ['1.500'],
      keyChange: 'none',
      origin,
      position: at,
    })
    expect([...fold.rows()].map(({ cells }) => cells)).toEqual([undefined])
  })

  it('says when it would hold more than it may', () => {
    const origin = new Source()
    for (let id = 0; id < 6; id += 1) origin.do({ kind: 'put', id, small: 1, large: 1 })
    const fold = new TableFold(source, { rows: 0, textBytes: 0, rowsMax: 5, textBytesMax: 1_000 })
    expect(() => {
      for (const change of origin.changes) apply(fold, change)
    }).toThrow(/LIMIT_EXCEEDED.*rowsMax 5/)
  })
})

/** Two changes at a time, as a reader gives them. */
const pages = (changes: readonly Change[]) => {
  let at = 0
  return {
    next: async () => {
      at += 2
      return changes.slice(at - 2, at)
    },
  }
}
