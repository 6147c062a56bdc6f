import { describe, expect, test } from 'vitest'
import {
  type ColumnText,
  decodeWith,
  fieldSchema,
  keySchema,
  newDecoder,
  shapeOf,
} from './support.ts'
import { w1Columns, w1Events } from './w1-events.ts'

const json = '{"type":"string","optional":true,"name":"io.debezium.data.Json","version":1}'
const zoned =
  '{"type":"string","optional":true,"name":"io.debezium.time.ZonedTimestamp","version":1}'

const wireOf = (type: string): string => {
  if (type === 'bigint') return '{"type":"int64","optional":true}'
  if (type === 'integer') return '{"type":"int32","optional":true}'
  if (type === 'jsonb') return json
  return type.startsWith('timestamp') ? zoned : '{"type":"string","optional":true}'
}

const fields = w1Columns.map(([name, type]) => fieldSchema(name, wireOf(type)))
const row = `"type":"struct","fields":[${fields.join(',')}],"optional":true`
const rows = ['before', 'after'].map((name) => `{${row},"field":"${name}"}`)
const valueSchema = `{"type":"struct","fields":[${rows.join(',')}]}`
const schemas = { key: keySchema(fields.slice(0, 1)), value: valueSchema }

describe.each([
  ['W1, without schemas', undefined],
  ['W4, with inline schemas', schemas],
])('%s', (_, texts) => {
  test('every row comes out as it was made', () => {
    const decoder = newDecoder()
    const into = shapeOf(w1Columns as readonly ColumnText[])
    const counts = { upsert: 0, delete: 0, ignored: 0 }
    const options = { events: 2000, seed: 42n, ...(texts === undefined ? {} : { schemas: texts }) }
    for (const event of w1Events(options)) {
      const record = { key: event.key, value: event.value ?? null }
      let decoded = decodeWith(decoder, record)
      if (decoded.kind === 'needs-table') {
        decoder.provide(decoded.source, decoded.declared, into)
        decoded = decodeWith(decoder, record)
      }
      if (decoded.kind === 'upsert') expect(decoded.cells).toEqual(event.row)
      if (decoded.kind === 'upsert' || decoded.kind === 'delete' || decoded.kind === 'ignored') {
        counts[decoded.kind]++
      }
    }
    expect(counts.upsert + counts.delete).toBe(2000)
    expect(counts.ignored).toBe(counts.delete)
    expect(counts.delete).toBeGreaterThan(0)
  })
})
