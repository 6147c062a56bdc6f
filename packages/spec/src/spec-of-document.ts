import {
  type CustomSinkSpec,
  fail,
  type PipelineSpec,
  type PostgresSinkSpec,
  pipelineName,
  type SaslSpec,
  type Secret,
  type SourceSpec,
  type StartFrom,
  sinkName,
  type TableRef,
  type TableSpec,
  type TlsSpec,
  type TopicSelection,
} from '@onceflow/model'
import type {
  PipelineDocument,
  SecretDocument,
  SinkDocument,
  SourceDocument,
  TableDocument,
  TableRefDocument,
} from './pipeline-document.ts'
import { durationMs, instantMs, sizeBytes } from './units.ts'

export const defaults = {
  interval: '250ms',
  timeout: '1m',
  bufferRecords: 100_000,
  bufferSize: '12MiB',
  schema: 'public',
} as const

/** The spec of a document whose shape was checked; defaults are put in here and nowhere else. */
export function specOfDocument(document: PipelineDocument): PipelineSpec {
  const schema = targetSchema(document)
  return {
    version: 1,
    name: pipelineName(document.name),
    source: sourceOf(document.source),
    tables: (document.tables ?? []).map((table) => tableOf(table, schema)),
    otherTables: document.other_tables ?? 'pass',
    sinks: document.sinks.map(sinkOf),
    guarantee: document.guarantee ?? 'exactly-once',
    checkpoint: {
      intervalMs: exact(durationMs(document.checkpoint?.interval ?? defaults.interval)),
      timeoutMs: exact(durationMs(document.checkpoint?.timeout ?? defaults.timeout)),
    },
    parallelism: document.parallelism,
  }
}

/** The schema of targets that name none: that of the first sink with a schema. */
export function targetSchema(document: PipelineDocument): string {
  const sink = document.sinks.find((one) => one.kind === 'postgres')
  return sink?.schema ?? defaults.schema
}

// The document's shape was checked with the same patterns, so that only an impossible date or a
// size beyond 2^53 can still be undefined; spec-rules.ts has reported those.
function exact(value: number | undefined): number {
  if (value === undefined) return fail('SPEC_INVALID', { detail: 'a value with a unit is invalid' })
  return value
}

function sourceOf(source: SourceDocument): SourceSpec {
  const common = {
    topics: topicsOf(source),
    format: source.format ?? ('debezium-json' as const),
    start: startOf(source.start ?? 'earliest'),
    ...(source.decimals === undefined ? {} : { decimals: source.decimals }),
    ...(source.binary === undefined ? {} : { binary: source.binary }),
    ...(source.placeholder === undefined ? {} : { placeholder: source.placeholder }),
  }
  if (source.kind === 'file') return { kind: 'file', directory: source.directory, ...common }
  return {
    kind: 'kafka',
    brokers: source.brokers,
    tls: source.tls === undefined ? undefined : tlsOf(source.tls),
    sasl: source.sasl === undefined ? undefined : saslOf(source.sasl),
    ...common,
  }
}

const topicsOf = (source: SourceDocument): TopicSelection =>
  source.topic_pattern === undefined
    ? { kind: 'list', topics: source.topics ?? [] }
    : { kind: 'pattern', pattern: source.topic_pattern }

const startOf = (start: string): StartFrom =>
  start === 'earliest' || start === 'latest'
    ? { kind: start }
    : { kind: 'timestamp', timestampMs: exact(instantMs(start)) }

type KafkaDocument = Extract<SourceDocument, { kind: 'kafka' }>

const tlsOf = (tls: NonNullable<KafkaDocument['tls']>): TlsSpec => ({
  caFile: tls.ca_file,
  certFile: tls.cert_file,
  keyFile: tls.key_file,
  verifyServer: tls.verify_server === false ? 'no' : 'yes',
})

const saslOf = (sasl: NonNullable<KafkaDocument['sasl']>): SaslSpec => ({
  mechanism: sasl.mechanism,
  username: sasl.username,
  password: secretOf(sasl) ?? { kind: 'inline', value: '' },
})

export function secretOf(given: SecretDocument): Secret | undefined {
  if (given.password !== undefined) return { kind: 'inline', value: given.password }
  if (given.password_file !== undefined) return { kind: 'file', path: given.password_file }
  if (given.password_env !== undefined) return { kind: 'env', name: given.password_env }
  return undefined
}

const tableOf = (table: TableDocument, schema: string): TableSpec => {
  const source = refOf(table.source, '')
  return {
    source,
    target: refOf(table.target ?? { table: source.table }, schema),
    columns: columnsOf(table.columns),
    tasks: table.tasks === 1 ? 'one' : 'many',
  }
}

/** `a.b` is table b of schema a; a name that holds dots itself must be given in parts. */
export function refOf(ref: TableRefDocument, schema: string): TableRef {
  if (typeof ref !== 'string') return { schema: ref.schema ?? schema, table: ref.table }
  const dot = ref.indexOf('.')
  if (dot < 0) return { schema, table: ref }
  return { schema: ref.slice(0, dot), table: ref.slice(dot + 1) }
}

function columnsOf(columns: TableDocument['columns']): TableSpec['columns'] {
  if (columns === undefined) return { kind: 'all' }
  if ('include' in columns) return { kind: 'include', names: columns.include }
  return { kind: 'exclude', names: columns.exclude }
}

function sinkOf(sink: SinkDocument): PostgresSinkSpec | CustomSinkSpec {
  if (sink.kind === 'custom') {
    const { type, options } = sink
    return { kind: 'custom', name: sinkName(sink.name), type, options: options ?? {} }
  }
  return {
    kind: 'postgres',
    name: sinkName(sink.name),
    host: sink.host,
    port: sink.port ?? 5432,
    database: sink.database,
    user: sink.user,
    password: secretOf(sink),
    sslmode: sink.sslmode ?? 'prefer',
    sslRootCertFile: sink.ssl_root_cert_file,
    schema: sink.schema ?? defaults.schema,
    tables: sink.tables ?? 'create',
    bufferRecordsMax: sink.buffer_records ?? defaults.bufferRecords,
    bufferBytesMax: exact(sizeBytes(sink.buffer_size ?? defaults.bufferSize)),
  }
}
