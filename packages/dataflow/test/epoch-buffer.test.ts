import { type Change, OnceflowError, unchanged } from '@onceflow/model'
import { describe, expect, test } from 'vitest'
import { EpochBuffer } from '../src/epoch-buffer.ts'
import {
  apply,
  arrives,
  columnDefault,
  gone,
  leaves,
  type Rows,
  shape,
  truncate,
  upsert,
} from './epoch-buffer-model.ts'

const newBuffer = (limits?: { recordsMax?: number; bytesMax?: number }) =>
  new EpochBuffer({
    recordsMax: limits?.recordsMax ?? 1_000,
    bytesMax: limits?.bytesMax ?? 1_000_000,
    targetOf: (source) => `${source.schema}.${source.table}`,
  })

function outcome(changes: readonly Change[], before: readonly (string | null)[][] = []) {
  const rows: Rows = new Map(before.map((row) => [String(row[0]), row]))
  const buffer = newBuffer()
  buffer.add(changes)
  apply(buffer, rows)
  return [...rows.values()].sort((a, b) => Number(a[0]) - Number(b[0]))
}

function codeOf(run: () => unknown): string {
  try {
    run()
    return 'none'
  } catch (thrown) {
    return thrown instanceof OnceflowError ? thrown.failure.code : String(thrown)
  }
}

const full = (id: string, doc: string | null, qty = '0') => [id, doc, qty, 'x']

describe('EB-1: the last change of a key wins', () => {
  test('within and over updates', () => {
    expect(outcome([upsert('create', full('1', 'a')), upsert('update', full('1', 'b'))])).toEqual([
      full('1', 'b'),
    ])
  })
  test('C9: create and delete in turn, ending with either', () => {
    const turn = [upsert('create', full('1', 'a')), gone('1')]
    expect(outcome([...turn, ...turn])).toEqual([])
    expect(
      outcome(
        [upsert('update', full('1', 'b')), gone('1'), upsert('create', full('1', 'z'))],
        [full('1', 'a')],
      ),
    ).toEqual([full('1', 'z')])
  })
})

describe('EB-2: gaps keep what is known', () => {
  test('C7: a placeholder keeps the value of the change before it', () => {
    expect(
      outcome([
        upsert('create', ['1', 'B1', '1', 'x']),
        upsert('update', ['1', unchanged, '2', 'x']),
      ]),
    ).toEqual([['1', 'B1', '2', 'x']])
    expect(
      outcome(
        [upsert('update', ['1', 'B2', '3', 'x']), upsert('update', ['1', unchanged, '4', 'x'])],
        [full('1', 'old')],
      ),
    ).toEqual([['1', 'B2', '4', 'x']])
  })
  test('a placeholder alone leaves the stored value', () => {
    expect(outcome([upsert('update', ['1', unchanged, '2', 'x'])], [full('1', 'old')])).toEqual([
      ['1', 'old', '2', 'x'],
    ])
  })
  test('an absent column stays as it is, and is the default in a new row', () => {
    const change = upsert('update', ['1', 'b', '2', undefined])
    expect(outcome([change], [['1', 'a', '1', 'kept']])).toEqual([['1', 'b', '2', 'kept']])
    expect(outcome([change])).toEqual([['1', 'b', '2', columnDefault]])
  })
  test('a deleted row lends nothing to the next one of its key', () => {
    expect(
      outcome([gone('1'), upsert('create', ['1', 'b', '2', undefined])], [full('1', 'a')]),
    ).toEqual([['1', 'b', '2', columnDefault]])
  })
})

describe('EB-3: a key change takes the old row along', () => {
  const moved = [leaves('1', 7), arrives(['2', unchanged, '5', 'x'], 7)]
  test('from the target', () => {
    expect(outcome(moved, [full('1', 'toast')])).toEqual([['2', 'toast', '5', 'x']])
  })
  test('from the buffer', () => {
    expect(outcome([upsert('create', full('1', 'new')), ...moved])).toEqual([
      ['2', 'new', '5', 'x'],
    ])
  })
  test('from the target through a partial update, over two moves', () => {
    expect(
      outcome(
        [
          upsert('update', ['1', unchanged, '3', 'x']),
          ...moved,
          leaves('2', 8),
          arrives(['3', unchanged, '6', 'x'], 8),
        ],
        [full('1', 'toast')],
      ),
    ).toEqual([['3', 'toast', '6', 'x']])
  })
  test('swapped keys swap their rows', () => {
    const swap = [
      leaves('1', 1),
      arrives(['9', unchanged, '1', 'x'], 1),
      leaves('2', 2),
      arrives(['1', unchanged, '2', 'x'], 2),
      leaves('9', 3),
      arrives(['2', unchanged, '1', 'x'], 3),
    ]
    expect(outcome(swap, [full('1', 'one'), full('2', 'two')])).toEqual([
      ['1', 'two', '2', 'x'],
      ['2', 'one', '1', 'x'],
    ])
  })
  test('shifted keys shift their rows', () => {
    const ids = Array.from({ length: 50 }, (_, index) => 50 - index)
    const shift = ids.flatMap((id) => [
      leaves(String(id), id),
      arrives([String(id + 1), unchanged, '0', 'x'], id),
    ])
    const before = ids.map((id) => full(String(id), `row ${id}`))
    const after = ids.map((id) => full(String(id + 1), `row ${id}`)).reverse()
    expect(outcome(shift, before)).toEqual(after)
  })
  test('a repeated run of the same changes does no harm', () => {
    expect(outcome([...moved, ...moved], [full('1', 'toast')])).toEqual([['2', 'toast', '5', 'x']])
    const rows: Rows = new Map([['2', full('2', 'toast')]])
    const buffer = newBuffer()
    buffer.add(moved)
    apply(buffer, rows, 'upserted')
    expect([...rows.values()]).toEqual([['2', 'toast', '5', 'x']])
  })
})

describe('EB-4: a placeholder that nothing can fill is a failure', () => {
  test.each<[string, Change[]]>([
    ['its old row is in another task', [arrives(['2', unchanged, '5', 'x'], 7)]],
    ['the event has no lsn', [leaves('1', 7), arrives(['2', unchanged, '5', 'x'])]],
    ['its row was deleted', [gone('1'), upsert('update', ['1', unchanged, '2', 'x'])]],
    [
      'the table was truncated',
      [upsert('create', full('3', 'a')), truncate(), upsert('update', ['1', unchanged, '2', 'x'])],
    ],
    ['the old row is in no place', [leaves('1', 7), arrives(['2', unchanged, '5', 'x'], 7)]],
  ])('%s', (_, changes) => {
    expect(codeOf(() => outcome(changes))).toBe('PLACEHOLDER_WITHOUT_ROW')
  })
  test('but not when a later change tells all', () => {
    expect(
      outcome([arrives(['2', unchanged, '5', 'x'], 7), upsert('update', full('2', 'b'))]),
    ).toEqual([full('2', 'b')])
    expect(outcome([arrives(['2', unchanged, '5', 'x'], 7), gone('2')])).toEqual([])
  })
})

describe('EB-5: a truncate takes every earlier row', () => {
  test('C11: in the middle', () => {
    expect(
      outcome(
        [upsert('create', full('1', 'a')), truncate(), upsert('create', full('2', 'b'))],
        [full('7', 'old')],
      ),
    ).toEqual([full('2', 'b')])
  })
  test('before the first row of the table is seen', () => {
    const rows: Rows = new Map([['7', full('7', 'old')]])
    const buffer = newBuffer()
    buffer.add([truncate()])
    expect(buffer.truncatedOnly()).toEqual(['public.item'])
    buffer.add([upsert('create', full('2', 'b'))])
    expect(buffer.truncatedOnly()).toEqual([])
    apply(buffer, rows)
    expect([...rows.values()]).toEqual([full('2', 'b')])
  })
})

describe('EB-6: rows that the source created go in directly', () => {
  test('and others as upserts, each list by key', () => {
    const buffer = newBuffer()
    buffer.add([
      upsert('create', full('10', 'a')),
      upsert('read', full('9', 'a')),
      upsert('update', full('2', 'a')),
      upsert('update', full('1', 'a')),
      upsert('update', full('10', 'b')),
      gone('30'),
      gone('4'),
    ])
    const [table] = buffer.tables()
    expect(table?.inserts).toEqual([full('9', 'a'), full('10', 'b')])
    expect(table?.upserts).toEqual([full('1', 'a'), full('2', 'a')])
    expect(table?.deletes).toEqual([['4'], ['30']])
  })
})

describe('EB-7: keys that PostgreSQL holds equal are one key', () => {
  const typed = (type: string) => ({
    ...shape,
    columns: shape.columns.map((column, index) => (index === 0 ? { ...column, type } : column)),
  })
  test.each([
    ['numeric', '1.0', '1.00'],
    ['numeric', '100', '100.0'],
    ['numeric(12,2)', '-0.00', '0'],
    ['character(4)', 'a', 'a   '],
    ['public.citext', 'Ab', 'aB'],
  ])('%s: %s and %s', (type, one, other) => {
    const buffer = newBuffer()
    const key = typed(type)
    const row = (id: string): Change => ({
      ...(upsert('update', full(id, id)) as Change & { kind: 'upsert' }),
      shape: key,
    })
    buffer.add([row(one), row(other)])
    expect(buffer.tables()[0]?.upserts).toEqual([full(other, other)])
  })
  test.each([
    ['numeric', '10', '1'],
    ['character varying(4)', 'a', 'a '],
    ['text', 'A', 'a'],
  ])('%s: %s and %s are two', (type, one, other) => {
    const buffer = newBuffer()
    const key = typed(type)
    const row = (id: string): Change => ({
      ...(upsert('update', full(id, id)) as Change & { kind: 'upsert' }),
      shape: key,
    })
    buffer.add([row(one), row(other)])
    expect(buffer.rows).toBe(2)
  })
  test('two key columns never run into each other', () => {
    const buffer = newBuffer()
    const pair = { ...shape, keyColumns: [1, 3] }
    const row = (a: string, b: string): Change => ({
      ...(upsert('update', ['1', a, '1', b]) as Change & { kind: 'upsert' }),
      shape: pair,
    })
    buffer.add([row('a', '1:b'), row('a1:', 'b'), row('1:a', 'b'), row('a', '1:b')])
    expect(buffer.rows).toBe(3)
  })
})

describe('EB-8: tables without key are appended to', () => {
  const keyless = { ...shape, keyColumns: [] }
  const of = (change: Change): Change => ({ ...change, shape: keyless }) as Change
  test('in order', () => {
    const buffer = newBuffer()
    buffer.add([of(upsert('create', full('2', 'a'))), of(upsert('create', full('2', 'a')))])
    expect(buffer.tables()[0]?.inserts).toEqual([full('2', 'a'), full('2', 'a')])
  })
  test.each([
    ['update', upsert('update', full('1', 'a'))],
    ['delete', gone('1')],
  ])('an %s of one is refused', (_, change) => {
    expect(codeOf(() => newBuffer().add([of(change)]))).toBe('KEY_MISSING')
  })
  test('a null in a key is refused', () => {
    const change = upsert('create', [null, 'a', '1', 'x'])
    expect(codeOf(() => newBuffer().add([change]))).toBe('KEY_MISSING')
  })
})

describe('EB-9: the buffer says when it is full', () => {
  test('by rows, after coalescing', () => {
    const buffer = newBuffer({ recordsMax: 2 })
    expect(buffer.add([upsert('create', full('1', 'a'))])).toBe('accepted')
    expect(buffer.add([upsert('update', full('1', 'b'))])).toBe('accepted')
    expect(buffer.add([upsert('update', full('2', 'b'))])).toBe('full')
    expect([buffer.records, buffer.rows]).toEqual([3, 2])
  })
  test('by bytes, and gives them back', () => {
    const buffer = newBuffer({ bytesMax: 2_000 })
    expect(buffer.add([upsert('create', full('1', 'a'.repeat(3_000)))])).toBe('full')
    expect(buffer.add([gone('1')])).toBe('accepted')
  })
})

describe('EB-11: a table may change its shape within an epoch', () => {
  const columns = shape.columns.slice(0, 3)
  const narrow = { ...shape, columns }
  const of = (change: Change, other: typeof shape): Change =>
    ({ ...change, shape: other }) as Change
  test('a column that comes later is absent from the rows before', () => {
    expect(
      outcome(
        [
          of(upsert('create', ['1', 'a', '1']), narrow),
          of(upsert('update', ['2', unchanged, '2']), narrow),
          upsert('create', full('3', 'c')),
          upsert('update', ['2', unchanged, '5', 'late']),
          of(upsert('update', ['3', 'd', '3']), narrow),
        ],
        [full('2', 'stored')],
      ),
    ).toEqual([
      ['1', 'a', '1', columnDefault],
      ['2', 'stored', '5', 'late'],
      ['3', 'd', '3', 'x'],
    ])
  })
  test('a column in another place keeps its values', () => {
    const [id, doc, qty, late] = shape.columns
    if (!id || !doc || !qty || !late) throw new Error('four columns')
    const turned = { ...shape, columns: [late, qty, doc, id], keyColumns: [3] }
    expect(
      outcome([
        upsert('create', full('1', 'a')),
        of(upsert('update', ['x', '7', 'b', '1']), turned),
      ]),
    ).toEqual([['1', 'b', '7', 'x']])
  })
  test('another key is refused', () => {
    const buffer = newBuffer()
    buffer.add([upsert('create', full('1', 'a'))])
    const other = { ...narrow, keyColumns: [1] }
    expect(codeOf(() => buffer.add([of(upsert('create', ['1', 'a', '1']), other)]))).toBe(
      'TARGET_MISMATCH',
    )
  })
})

describe('EB-12: a key change may be cut in two by a barrier', () => {
  test('the first half tells what left, and the second asks for it', () => {
    const first = newBuffer()
    first.add([leaves('1', 7), leaves('3', 8), arrives(['4', 'd', '1', 'x'], 8)])
    expect(first.departures()).toMatchObject([{ lsn: 7n, from: ['1'], cells: undefined }])
    const second = newBuffer()
    second.add([
      arrives(['2', unchanged, '5', 'x'], 7),
      upsert('update', ['2', unchanged, '6', 'x']),
    ])
    const [move] = second.moves()
    if (move === undefined) throw new Error('one moved row')
    expect(move).toMatchObject({ lsn: 7n, from: undefined, key: ['2'] })
    second.fill(move, full('1', 'toast'))
    expect(second.tables()[0]?.inserts).toEqual([['2', 'toast', '6', 'x']])
  })
  test('and a row that moves on takes the question along', () => {
    const buffer = newBuffer()
    buffer.add([
      arrives(['2', unchanged, '5', 'x'], 7),
      leaves('2', 9),
      arrives(['3', unchanged, '6', 'x'], 9),
    ])
    expect(buffer.moves()).toMatchObject([{ lsn: 7n, from: undefined, key: ['3'] }])
  })
})
