import { type Cell, type Change, type TableShape, unchanged } from '@onceflow/model'
import type { AnySink } from '@onceflow/ports'
import fc from 'fast-check'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Server, startServer } from './server-fixture.ts'
import {
  declaredShape,
  gone,
  newRig,
  openTask,
  order,
  permit,
  place,
  resolve,
  row,
  source,
} from './sink-fixture.ts'

let server: Server
let client: Client
beforeAll(async () => {
  server = await startServer()
  client = new Client({ host: '127.0.0.1', port: server.port, user: 'postgres' })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await server.close()
})

const columns: [string, string][] = [
  ['a', 'integer'],
  ['b', 'text'],
  ['doc', 'text'],
  ['n', 'numeric'],
]
const create = (table: string) =>
  `CREATE TABLE ${table} (a integer, b text, doc text, n numeric DEFAULT 42, PRIMARY KEY (b, a))`

interface Key {
  readonly a: number
  readonly b: string
}
type Step =
  | { readonly kind: 'write'; readonly key: Key; readonly doc: boolean; readonly n: boolean }
  | { readonly kind: 'remove'; readonly key: Key }
  | { readonly kind: 'move'; readonly key: Key; readonly to: Key; readonly doc: boolean }
  | { readonly kind: 'truncate' }

const key = fc.record({ a: fc.nat({ max: 150 }), b: fc.constantFrom('x', "y'", 'z\\', '') })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 60,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      key,
      doc: fc.boolean(),
      n: fc.boolean(),
    }),
  },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('remove' as const), key }) },
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant('move' as const), key, to: key, doc: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'truncate' as const }) },
)

/** The source database: every step is one statement there, and the changes a connector makes. */
class Source {
  readonly sql: string[] = []
  readonly changes: Change[] = []
  readonly #shape: TableShape
  readonly #rows = new Map<string, string>()
  #clock = 0

  constructor(shape: TableShape) {
    this.#shape = shape
  }

  run(one: Step): void {
    this.#clock += 1
    if (one.kind === 'write') this.#write(one)
    else if (one.kind === 'remove') this.#remove(one.key)
    else if (one.kind === 'move') this.#move(one)
    else if (one.kind === 'truncate') {
      this.#rows.clear()
      this.sql.push('TRUNCATE truth')
      const origin = { lsn: BigInt(this.#clock), commitTimeMs: 0 }
      this.changes.push({ kind: 'truncate', source, origin, position: place() })
    }
  }

  #write({ key: { a, b }, doc, n }: Step & { kind: 'write' }): void {
    const id = `${a}/${b}`
    const exists = this.#rows.has(id)
    const text = `doc ${this.#clock} \\ \t '`
    const docCell: Cell = doc || !exists ? text : unchanged
    const number = `${this.#clock}.50`
    if (exists) {
      const sets = [...(docCell === unchanged ? [] : [`doc = ${quoted(text)}`])]
      if (n) sets.push(`n = ${number}`)
      if (sets.length > 0) {
        this.sql.push(`UPDATE truth SET ${sets.join()} WHERE a = ${a} AND b = ${quoted(b)}`)
      }
    } else {
      const names = n ? 'a, b, doc, n' : 'a, b, doc'
      const values = [a, quoted(b), quoted(text), ...(n ? [number] : [])]
      this.sql.push(`INSERT INTO truth (${names}) VALUES (${values.join()})`)
    }
    this.#rows.set(id, id)
    const cells: Cell[] = [String(a), b, docCell, n ? number : undefined]
    this.changes.push(row(this.#shape, cells, exists ? 'update' : 'create'))
  }

  #remove({ a, b }: Key): void {
    if (!this.#rows.delete(`${a}/${b}`)) return
    this.sql.push(`DELETE FROM truth WHERE a = ${a} AND b = ${quoted(b)}`)
    this.changes.push(gone(this.#shape, [b, String(a)]))
  }

  #move({ key: from, to, doc }: Step & { kind: 'move' }): void {
    const target = `${to.a}/${to.b}`
    if (this.#rows.has(target) || !this.#rows.delete(`${from.a}/${from.b}`)) return
    this.#rows.set(target, target)
    const text = `moved ${this.#clock}`
    const number = `${this.#clock}`
    const sets = [`a = ${to.a}`, `b = ${quoted(to.b)}`, `n = ${number}`]
    if (doc) sets.push(`doc = ${quoted(text)}`)
    this.sql.push(`UPDATE truth SET ${sets.join()} WHERE a = ${from.a} AND b = ${quoted(from.b)}`)
    const origin = { lsn: BigInt(this.#clock), commitTimeMs: 0 }
    const cells: Cell[] = [String(to.a), to.b, doc ? text : unchanged, number]
    this.changes.push(
      { ...gone(this.#shape, [from.b, String(from.a)]), keyChange: 'leaves', origin } as Change,
      { ...row(this.#shape, cells), keyChange: 'arrives', origin } as Change,
    )
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

async function epoch(sink: AnySink, changes: readonly Change[], n: number): Promise<void> {
  const txn = await sink.beginTransaction(undefined)
  await sink.invoke(txn, changes, undefined)
  await sink.preCommit(txn, order(n))
  expect((await sink.commit(txn, permit(n, 1))).kind).toBe('committed')
}

const differences =
  '(TABLE truth EXCEPT TABLE public.item) UNION ALL (TABLE public.item EXCEPT TABLE truth)'

test('an epoch leaves what its changes leave one by one, in small and in big epochs', async () => {
  let staged = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 400, maxLength: 1_500, size: 'max' }),
      fc.integer({ min: 1, max: 4 }),
      async (steps, epochs) => {
        await client.query('DROP TABLE IF EXISTS truth, public.item')
        await client.query(`${create('truth')}; ${create('public.item')}`)
        const rig = newRig(server)
        await resolve(rig, 1)
        const sink = await openTask(rig, 1)
        const shape = await sink.resolveTable(source, declaredShape(columns, ['b', 'a']))
        const one = new Source(shape)
        const length = Math.ceil(steps.length / epochs)
        for (let n = 1; n <= epochs; n += 1) {
          for (const next of steps.slice((n - 1) * length, n * length)) one.run(next)
          if (one.sql.length > 0) await client.query(one.sql.splice(0).join(';\n'))
          if (one.changes.length > 350) staged += 1
          await epoch(sink, one.changes.splice(0), n)
          expect((await client.query(differences)).rows).toEqual([])
        }
        await sink.close()
      },
    ),
    { numRuns: 20, interruptAfterTimeLimit: 60_000 },
  )
  expect(staged).toBeGreaterThan(0)
})
