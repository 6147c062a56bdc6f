import { offset } from '@onceflow/model'
import type { RecordBatch } from '@onceflow/ports'
import { expect, test } from 'vitest'
import { debeziumDecoder } from '../src/index.ts'

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

const row = {
  type: 'struct',
  fields: [
    { type: 'int64', optional: false, field: 'id' },
    { type: 'string', optional: true, field: 'name' },
  ],
}

function change(id: number): Uint8Array {
  const source = { db: 'd', schema: 'public', table: 'items', lsn: 5, ts_ms: 1_700_000_000_000 }
  const payload = { before: null, after: { id, name: 'a' }, source, op: 'c', ts_ms: 1 }
  const schema = { type: 'struct', fields: [{ ...row, optional: true, field: 'after' }] }
  return bytes({ schema, payload })
}
const key = (id: number) =>
  bytes({ schema: { type: 'struct', fields: [row.fields[0]] }, payload: { id } })

function batchOf(values: readonly (Uint8Array | null)[]): RecordBatch {
  const records = values.map((value, index) => ({
    offset: BigInt(index),
    timestampMs: 0,
    key: key(index),
    value,
    headers: [],
  }))
  const place = { topic: 'd.public.items', topicId: '', partition: 0 }
  const next = { ...place, offset: offset(BigInt(values.length)), leaderEpoch: -1 }
  return { ...place, records, next, bytes: 100 }
}

test('stops at a table that is not known, goes on when it is, and counts what it ignores', () => {
  const decoder = debeziumDecoder({ format: 'debezium-json', tables: [], otherTables: 'pass' })
  const batch = batchOf([change(0), null, change(2)])
  const first = decoder.decode(batch, 0)
  const need = first.stop?.kind === 'needs-table' ? first.stop : expect.fail('no table is needed')
  expect(need).toMatchObject({ at: 0, source: { schema: 'public', table: 'items' } })
  expect(need.declared?.columns.map(({ name }) => name)).toEqual(['id', 'name'])
  decoder.provide(need, need.declared ?? expect.fail('no shape'))
  const second = decoder.decode(batch, need.at)
  expect(second).toMatchObject({ ignored: 1, stop: undefined })
  expect(second.changes).toMatchObject([
    { kind: 'upsert', cells: ['0', 'a'] },
    { kind: 'upsert', cells: ['2', 'a'] },
  ])
})

test('stops at a record that cannot be read, and names its place', () => {
  const decoder = debeziumDecoder({ format: 'debezium-json', tables: [], otherTables: 'pass' })
  const stop = decoder.decode(batchOf([null, new TextEncoder().encode('{')]), 0).stop
  expect(stop).toMatchObject({
    kind: 'failed',
    at: 1,
    failure: { position: { topic: 'd.public.items', partition: 0, offset: 1n } },
  })
})
