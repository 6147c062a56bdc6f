import { type Cell, type Change, unchanged } from '@onceflow/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EpochBuffer } from '../src/epoch-buffer.ts'
import {
  apply,
  arrives,
  columnDefault,
  gone,
  leaves,
  type Rows,
  truncate,
  upsert,
} from './epoch-buffer-model.ts'

type Step =
  | { readonly kind: 'write'; readonly id: number; readonly doc: boolean; readonly late: boolean }
  | { readonly kind: 'remove'; readonly id: number }
  | { readonly kind: 'move'; readonly id: number; readonly to: number; readonly doc: boolean }
  | { readonly kind: 'swap'; readonly id: number; readonly to: number }
  | { readonly kind: 'truncate' }
  | { readonly kind: 'cut' }

const id = fc.nat({ max: 7 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      id,
      doc: fc.boolean(),
      late: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), id }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('move' as const), id, to: id, doc: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('swap' as const), id, to: id }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'truncate' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'cut' as const }) },
)

/** A source table that emits the changes a connector would, TOAST placeholders included. */
class Source {
  readonly rows: Rows = new Map()
  changes: Change[] = []
  #clock = 0

  run(one: Step): void {
    switch (one.kind) {
      case 'write':
        this.#write(one)
        break
      case 'remove':
        if (this.rows.delete(String(one.id))) this.changes.push(gone(String(one.id)))
        break
      case 'move':
        this.#move(String(one.id), String(one.to), one.doc)
        break
      case 'swap':
        if (this.rows.has(String(one.id)) && this.rows.has(String(one.to)) && one.id !== one.to) {
          this.#move(String(one.id), 'spare', false)
          this.#move(String(one.to), String(one.id), false)
          this.#move('spare', String(one.to), false)
        }
        break
      case 'truncate':
        this.rows.clear()
        this.changes.push(truncate())
        break
      case 'cut':
        break
    }
  }

  #write(one: Step & { kind: 'write' }): void {
    const key = String(one.id)
    const old = this.rows.get(key)
    const tick = String(++this.#clock)
    const doc = one.doc || old === undefined ? `doc ${tick}` : (old[1] ?? null)
    const late = one.late ? `late ${tick}` : (old?.[3] ?? columnDefault)
    const docCell: Cell = one.doc || old === undefined ? doc : unchanged
    const lateCell: Cell = one.late ? late : undefined
    this.rows.set(key, [key, doc, tick, late])
    this.changes.push(
      upsert(old === undefined ? 'create' : 'update', [key, docCell, tick, lateCell]),
    )
  }

  #move(from: string, to: string, newDoc: boolean): void {
    const old = this.rows.get(from)
    if (old === undefined || this.rows.has(to)) return
    const lsn = ++this.#clock
    const doc = newDoc ? `doc ${lsn}` : (old[1] ?? null)
    this.rows.delete(from)
    this.rows.set(to, [to, doc, String(lsn), `late ${lsn}`])
    const cells: Cell[] = [to, newDoc ? doc : unchanged, String(lsn), `late ${lsn}`]
    this.changes.push(leaves(from, lsn), arrives(cells, lsn))
  }
}

const sorted = (rows: Rows) => [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1))

test('EB-10: at every cut the target equals the source', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const source = new Source()
      const target: Rows = new Map()
      for (const one of [...steps, { kind: 'cut' } as const]) {
        source.run(one)
        if (one.kind !== 'cut') continue
        const buffer = new EpochBuffer({
          recordsMax: 1_000,
          bytesMax: 1_000_000,
          targetOf: () => 'item',
        })
        buffer.add(source.changes)
        source.changes = []
        if (buffer.truncatedOnly().length > 0) target.clear()
        apply(buffer, target)
        expect(sorted(target)).toEqual(sorted(source.rows))
      }
    }),
    { numRuns: 2_000 },
  )
})
