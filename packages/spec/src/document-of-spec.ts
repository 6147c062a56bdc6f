import type {
  Json,
  PipelineSpec,
  PostgresSinkSpec,
  Secret,
  SinkSpec,
  SourceSpec,
  TableRef,
  TableSpec,
} from '@onceflow/model'
import { durationText, instantText, sizeText } from './units.ts'

/** What stands in place of a secret in every output. */
export const redacted = '[redacted]'

export type Secrecy = 'whole' | 'redacted'

/** The document of a spec with every default written out: the form in which a spec is stored. */
export function documentOfSpec(spec: PipelineSpec, secrecy: Secrecy): Json {
  return clean({
    version: spec.version,
    name: spec.name,
    source: sourceDocument(spec.source, secrecy),
    tables: spec.tables.map(tableDocument),
    other_tables: spec.otherTables,
    sinks: spec.sinks.map((sink) => sinkDocument(sink, secrecy)),
    guarantee: spec.guarantee,
    checkpoint: {
      interval: durationText(spec.checkpoint.intervalMs),
      timeout: durationText(spec.checkpoint.timeoutMs),
    },
    parallelism: spec.parallelism,
  })
}

type Loose = { readonly [key: string]: Json | undefined }

/** Without the keys that have no value; keys keep their order. */
const clean = (value: Loose): { readonly [key: string]: Json } =>
  Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (one === undefined ? [] : [[key, one]])),
  )

function sourceDocument(source: SourceSpec, secrecy: Secrecy): Json {
  const common = {
    topics: source.topics.kind === 'list' ? source.topics.topics : undefined,
    topic_pattern: source.topics.kind === 'pattern' ? source.topics.pattern : undefined,
    format: source.format,
    decimals: source.decimals,
    binary: source.binary,
    placeholder: source.placeholder,
    start:
      source.start.kind === 'timestamp' ? instantText(source.start.timestampMs) : source.start.kind,
  }
  if (source.kind === 'file') return clean({ kind: 'file', directory: source.directory, ...common })
  const { tls, sasl } = source
  return clean({
    kind: 'kafka',
    brokers: source.brokers,
    tls:
      tls === undefined
        ? undefined
        : clean({
            ca_file: tls.caFile,
            cert_file: tls.certFile,
            key_file: tls.keyFile,
            verify_server: tls.verifyServer === 'yes',
          }),
    sasl:
      sasl === undefined
        ? undefined
        : {
            mechanism: sasl.mechanism,
            username: sasl.username,
            ...secretDocument(sasl.password, secrecy),
          },
    ...common,
  })
}

// A path or the name of a variable is no secret: it is shown, so that people can find it.
function secretDocument(
  secret: Secret | undefined,
  secrecy: Secrecy,
): { readonly [key: string]: Json } {
  switch (secret?.kind) {
    case 'inline':
      return { password: secrecy === 'redacted' ? redacted : secret.value }
    case 'file':
      return { password_file: secret.path }
    case 'env':
      return { password_env: secret.name }
    case undefined:
      return {}
  }
}

const plainName = /^[A-Za-z_][A-Za-z0-9_$-]*$/

const refDocument = (ref: TableRef): Json =>
  plainName.test(ref.schema) && plainName.test(ref.table)
    ? `${ref.schema}.${ref.table}`
    : { schema: ref.schema, table: ref.table }

const tableDocument = (table: TableSpec): Json =>
  clean({
    source: refDocument(table.source),
    target: refDocument(table.target),
    columns:
      table.columns.kind === 'all' ? undefined : { [table.columns.kind]: table.columns.names },
    tasks: table.tasks === 'one' ? 1 : 'many',
  })

function sinkDocument(sink: SinkSpec, secrecy: Secrecy): Json {
  if (sink.kind === 'postgres') return postgresDocument(sink, secrecy)
  const options = sink.options as { readonly [key: string]: Json }
  return {
    kind: 'custom',
    name: sink.name,
    type: sink.type,
    options: secrecy === 'redacted' ? redactNames(options) : options,
  }
}

const postgresDocument = (sink: PostgresSinkSpec, secrecy: Secrecy): Json =>
  clean({
    kind: 'postgres',
    name: sink.name,
    host: sink.host,
    port: sink.port,
    database: sink.database,
    user: sink.user,
    ...secretDocument(sink.password, secrecy),
    sslmode: sink.sslmode,
    ssl_root_cert_file: sink.sslRootCertFile,
    schema: sink.schema,
    tables: sink.tables,
    buffer_records: sink.bufferRecordsMax,
    buffer_size: sizeText(sink.bufferBytesMax),
  })

const secretName = /pass|secret|token|credential|api.?key|private.?key/i

/** Options of a custom sink have no schema: what is named like a secret is taken for one. */
function redactNames(value: Json): Json {
  if (value === null || typeof value !== 'object') return value
  if (isList(value)) return value.map(redactNames)
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      secretName.test(key) ? redacted : redactNames(one),
    ]),
  )
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
