import {
  type PipelineSpec,
  pipelineName,
  type Secret,
  type SinkSpec,
  type SourceSpec,
  sinkName,
  type TableSpec,
} from '@onceflow/model'
import fc from 'fast-check'

const anyWord = fc.string({ minLength: 1, maxLength: 12 })
const anyName = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/)
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const anySecret: fc.Arbitrary<Secret> = fc.oneof(
  fc.record({ kind: fc.constant('inline' as const), value: anyWord }),
  fc.record({ kind: fc.constant('file' as const), path: anyWord }),
  fc.record({ kind: fc.constant('env' as const), name: anyWord }),
)

const common = {
  topics: fc.oneof(
    fc.record({
      kind: fc.constant('list' as const),
      topics: fc.array(anyWord, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('pattern' as const), pattern: anyWord }),
  ),
  format: fc.constantFrom('debezium-json' as const, 'json' as const, 'bytes' as const),
  start: fc.oneof(
    fc.record({ kind: fc.constantFrom('earliest' as const, 'latest' as const) }),
    fc.record({
      kind: fc.constant('timestamp' as const),
      timestampMs: fc.integer({ min: 0, max: 253_402_300_799_999 }),
    }),
  ),
}

const anySource: fc.Arbitrary<SourceSpec> = fc.oneof(
  fc.record({
    kind: fc.constant('kafka' as const),
    brokers: fc.array(anyWord, { minLength: 1, maxLength: 3 }),
    tls: optional(
      fc.record({
        caFile: optional(anyWord),
        certFile: optional(anyWord),
        keyFile: optional(anyWord),
        verifyServer: fc.constantFrom('yes' as const, 'no' as const),
      }),
    ),
    sasl: optional(
      fc.record({
        mechanism: fc.constantFrom(
          'plain' as const,
          'scram-sha-256' as const,
          'scram-sha-512' as const,
        ),
        username: anyWord,
        password: anySecret,
      }),
    ),
    ...common,
  }),
  fc.record({ kind: fc.constant('file' as const), directory: anyWord, ...common }),
)

const anyRef = fc.record({ schema: fc.string({ maxLength: 8 }), table: anyWord })

const anyTable: fc.Arbitrary<TableSpec> = fc.record({
  source: anyRef,
  target: anyRef,
  columns: fc.oneof(
    fc.constant({ kind: 'all' as const }),
    fc.record({
      kind: fc.constantFrom('include' as const, 'exclude' as const),
      names: fc.array(anyWord, { minLength: 1, maxLength: 3 }),
    }),
  ),
  tasks: fc.constantFrom('one' as const, 'many' as const),
})

const anySink: fc.Arbitrary<SinkSpec> = fc.oneof(
  fc.record({
    kind: fc.constant('postgres' as const),
    name: anyName.map(sinkName),
    host: anyWord,
    port: fc.integer({ min: 1, max: 65_535 }),
    database: anyWord,
    user: anyWord,
    password: optional(anySecret),
    sslmode: fc.constantFrom('disable' as const, 'prefer' as const, 'verify-full' as const),
    sslRootCertFile: optional(anyWord),
    schema: anyWord,
    tables: fc.constantFrom('create' as const, 'require' as const),
    bufferRecordsMax: fc.integer({ min: 1, max: 1_000_000 }),
    bufferBytesMax: fc.integer({ min: 1, max: 2 ** 40 }),
  }),
  fc.record({
    kind: fc.constant('custom' as const),
    name: anyName.map(sinkName),
    type: anyWord,
    options: fc.dictionary(
      anyWord.filter((key) => key !== '__proto__'),
      fc.oneof(anyWord, fc.integer(), fc.boolean()),
    ),
  }),
)

/** Any spec that the document's shape can carry; its relations need not make sense. */
export const anySpec: fc.Arbitrary<PipelineSpec> = fc.record({
  version: fc.constant(1 as const),
  name: anyName.map(pipelineName),
  source: anySource,
  tables: fc.array(anyTable, { maxLength: 3 }),
  otherTables: fc.constantFrom('pass' as const, 'ignore' as const, 'refuse' as const),
  sinks: fc.array(anySink, { minLength: 1, maxLength: 3 }),
  guarantee: fc.constantFrom(
    'exactly-once' as const,
    'at-least-once' as const,
    'at-most-once' as const,
  ),
  checkpoint: fc.record({
    intervalMs: fc.integer({ min: 1, max: 10_000_000 }),
    timeoutMs: fc.integer({ min: 1, max: 10_000_000 }),
  }),
  parallelism: optional(fc.integer({ min: 1, max: 1024 })),
})
