import { type PipelineSpec, pipelineName, sinkName } from '@onceflow/model'
import { expect, test } from 'vitest'
import { refuseLossyChange } from '../src/spec-change.ts'

const sink = (name: string, place: { database?: string; schema?: string; host?: string } = {}) => ({
  kind: 'postgres' as const,
  name: sinkName(name),
  host: 'db-1',
  port: 5432,
  database: 'warehouse',
  user: 'u',
  password: undefined,
  sslmode: 'disable' as const,
  sslRootCertFile: undefined,
  schema: 'public',
  tables: 'create' as const,
  bufferRecordsMax: 10,
  bufferBytesMax: 10,
  ...place,
})

const table = (target: string) => ({
  source: { schema: 'public', table: 'orders' },
  target: { schema: 'public', table: target },
  columns: { kind: 'all' as const },
  tasks: 'many' as const,
})

const spec = (change: Partial<PipelineSpec>): PipelineSpec => ({
  version: 1,
  name: pipelineName('shop'),
  source: {
    kind: 'file',
    directory: 'log',
    topics: { kind: 'list', topics: ['t'] },
    format: 'debezium-json',
    start: { kind: 'earliest' },
  },
  tables: [table('orders')],
  otherTables: 'pass',
  sinks: [sink('a')],
  guarantee: 'exactly-once',
  checkpoint: { intervalMs: 250, timeoutMs: 60_000 },
  parallelism: undefined,
  ...change,
})

test.each([
  ['a second sink', { sinks: [sink('a'), sink('b')] }],
  ['a renamed sink', { sinks: [sink('b')] }],
  ['another database', { sinks: [sink('a', { database: 'other' })] }],
  ['another schema', { sinks: [sink('a', { schema: 'other' })] }],
  ['another target of a table', { tables: [table('orders_2')] }],
])('CO-16: %s is refused, since what came before would be missing there', (_what, change) => {
  expect(() => refuseLossyChange(spec({}), spec(change))).toThrow(/PRECONDITION_FAILED/)
})

test.each([
  ['the same spec', {}],
  ['another address of the same database', { sinks: [sink('a', { host: 'db-2' })] }],
  ['another interval', { checkpoint: { intervalMs: 100, timeoutMs: 60_000 } }],
  ['a route less', { tables: [] }],
])('CO-16: %s is taken', (_what, change) => {
  expect(() => refuseLossyChange(spec({}), spec(change))).not.toThrow()
})
