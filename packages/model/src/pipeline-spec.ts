import type { PipelineName, SinkName } from './ids.ts'

/** A secret is given inline, by file or by environment variable; it is redacted in every output. */
export type Secret =
  | { readonly kind: 'inline'; readonly value: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'env'; readonly name: string }

export interface TlsSpec {
  readonly caFile: string | undefined
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
  readonly verifyServer: 'yes' | 'no'
}

export interface SaslSpec {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
  readonly username: string
  readonly password: Secret
}

export type TopicSelection =
  | { readonly kind: 'list'; readonly topics: readonly string[] }
  /** A regular expression matched against the whole topic name. */
  | { readonly kind: 'pattern'; readonly pattern: string }

export type StartFrom =
  | { readonly kind: 'earliest' }
  | { readonly kind: 'latest' }
  | { readonly kind: 'timestamp'; readonly timestampMs: number }

export type SourceFormat = 'debezium-json' | 'json' | 'bytes'

/**
 * How a schemaless record writes what its text alone does not tell; strict refuses what could be
 * either. text and base64 are decimal.handling.mode string and precise of the connector.
 */
export type DecimalText = 'strict' | 'text' | 'base64'
export type BinaryText = 'strict' | 'base64' | 'hex'

interface SourceBase {
  readonly topics: TopicSelection
  readonly format: SourceFormat
  readonly start: StartFrom
  /** strict when left out. */
  readonly decimals?: DecimalText
  /** strict when left out. */
  readonly binary?: BinaryText
  /** The connector's unavailable.value.placeholder, when it is not the default one. */
  readonly placeholder?: string
}

export interface KafkaSourceSpec extends SourceBase {
  readonly kind: 'kafka'
  readonly brokers: readonly string[]
  readonly tls: TlsSpec | undefined
  readonly sasl: SaslSpec | undefined
}

/** The file-backed partition log of `onceflow dev`: a folder of Debezium JSON lines. */
export interface FileSourceSpec extends SourceBase {
  readonly kind: 'file'
  readonly directory: string
}

export type SourceSpec = KafkaSourceSpec | FileSourceSpec

export interface TableRef {
  readonly schema: string
  readonly table: string
}

export interface TableSpec {
  /** The source table; for formats without a source block, schema is '' and table is the topic. */
  readonly source: TableRef
  readonly target: TableRef
  /** include: only these columns (key columns always); exclude: all but these; all: every one. */
  readonly columns:
    | { readonly kind: 'all' }
    | { readonly kind: 'include'; readonly names: readonly string[] }
    | { readonly kind: 'exclude'; readonly names: readonly string[] }
  /** one: all partitions of the topic stay in one task, each in its own order. */
  readonly tasks: 'one' | 'many'
}

export interface PostgresSinkSpec {
  readonly kind: 'postgres'
  readonly name: SinkName
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password: Secret | undefined
  readonly sslmode: 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full'
  readonly sslRootCertFile: string | undefined
  /** Target schema of tables without a route. */
  readonly schema: string
  /** create: missing target tables are made from records with schema; require: they must exist. */
  readonly tables: 'create' | 'require'
  /** Writer connections that a task may use at once; 1 unless measured. */
  readonly bufferRecordsMax: number
  readonly bufferBytesMax: number
}

/** A sink of the user's own, registered in the worker's image under its kind. */
export interface CustomSinkSpec {
  readonly kind: 'custom'
  readonly name: SinkName
  readonly type: string
  readonly options: { readonly [key: string]: unknown }
}

export type SinkSpec = PostgresSinkSpec | CustomSinkSpec

export type Guarantee = 'exactly-once' | 'at-least-once' | 'at-most-once'

export interface CheckpointSpec {
  readonly intervalMs: number
  readonly timeoutMs: number
}

export interface PipelineSpec {
  readonly version: 1
  readonly name: PipelineName
  readonly source: SourceSpec
  readonly tables: readonly TableSpec[]
  /** Tables that no route names: passed on by their own name, ignored and counted, or refused. */
  readonly otherTables: 'pass' | 'ignore' | 'refuse'
  readonly sinks: readonly SinkSpec[]
  readonly guarantee: Guarantee
  readonly checkpoint: CheckpointSpec
  /** Tasks of the pipeline; undefined: min(partitions, 8). */
  readonly parallelism: number | undefined
}
