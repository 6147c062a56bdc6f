import { z } from 'zod'
import { durationPattern, instantPattern, sizePattern } from './units.ts'

// The document as people write it: snake_case keys, values with units. Only shapes stand here;
// what needs more than one field is checked in spec-rules.ts. The JSON Schema in
// docs/pipeline.schema.json is made from this source, descriptions included.

const text = () => z.string().min(1)
const matching = (pattern: RegExp, wish: string) => z.string({ error: wish }).regex(pattern, wish)
const duration = () =>
  matching(durationPattern, 'a duration with its unit, such as 250ms, 10s or 5m')
const size = () => matching(sizePattern, 'a size with its unit, such as 512KiB, 64MiB or 1GiB')
const name = () =>
  matching(/^[a-z][a-z0-9-]{0,62}$/, 'lower-case letters, digits and -, at most 63')

const secret = {
  password: text().optional().describe('The password itself. Prefer a file or a variable.'),
  password_file: text()
    .optional()
    .describe('A file of the worker that holds the password; read at every connect.'),
  password_env: text()
    .optional()
    .describe('An environment variable of the worker that holds the password.'),
}

const tls = z
  .strictObject({
    ca_file: text().optional().describe('Certificates to trust, PEM; default: those of Node.'),
    cert_file: text().optional().describe('Our certificate, PEM.'),
    key_file: text().optional().describe('The key of our certificate, PEM.'),
    verify_server: z.boolean().optional().describe('false: trust any server. Default true.'),
  })
  .describe('Present: connections use TLS.')

const sasl = z.strictObject({
  mechanism: z.enum(['plain', 'scram-sha-256', 'scram-sha-512']),
  username: text(),
  ...secret,
})

const sourceCommon = {
  topics: z.array(text()).min(1).optional().describe('Topics by name. This or topic_pattern.'),
  topic_pattern: text()
    .optional()
    .describe('A regular expression that must match the whole topic name. This or topics.'),
  format: z
    .enum(['debezium-json', 'json', 'bytes'])
    .optional()
    .describe('What a record holds. Default debezium-json.'),
  decimals: z
    .enum(['strict', 'text', 'base64'])
    .optional()
    .describe('How records without schema write decimals. Default strict: no guess.'),
  binary: z
    .enum(['strict', 'base64', 'hex'])
    .optional()
    .describe('How records without schema write bytes. Default strict: no guess.'),
  placeholder: text()
    .optional()
    .describe("The connector's unavailable.value.placeholder, when it is not the default."),
  start: z
    .union([
      z.enum(['earliest', 'latest']),
      z.string().regex(instantPattern, 'earliest, latest or a time as 2026-01-31T12:00:00Z'),
    ])
    .optional()
    .describe('Where the first attempt begins to read. Default earliest.'),
}

const kafkaSource = z.strictObject({
  kind: z.literal('kafka'),
  brokers: z.array(text()).min(1).describe('host:port of brokers to ask first.'),
  tls: tls.optional(),
  sasl: sasl.optional(),
  ...sourceCommon,
})

const fileSource = z.strictObject({
  kind: z.literal('file'),
  directory: text().describe('A folder with the partitions of a file log (onceflow dev).'),
  ...sourceCommon,
})

const tableRef = z.union([
  text().describe('schema.table, or only a table.'),
  z.strictObject({ schema: z.string().optional(), table: text() }),
])

const columnNames = z.array(text()).min(1)

const table = z.strictObject({
  source: tableRef.describe('The source table; for formats without tables, the topic.'),
  target: tableRef.optional().describe("Default: the same table in the sink's schema."),
  columns: z
    .union([z.strictObject({ include: columnNames }), z.strictObject({ exclude: columnNames })])
    .optional()
    .describe('Only these columns (those of the key always), or all but these.'),
  tasks: z
    .union([z.literal(1), z.literal('many')])
    .optional()
    .describe('1: all partitions of the topic stay in one task. Default many.'),
})

const postgresSink = z.strictObject({
  kind: z.literal('postgres'),
  name: name().describe('Unique in the pipeline.'),
  host: text(),
  port: z.int().min(1).max(65_535).optional().describe('Default 5432.'),
  database: text(),
  user: text(),
  ...secret,
  sslmode: z
    .enum(['disable', 'prefer', 'require', 'verify-ca', 'verify-full'])
    .optional()
    .describe('Default prefer.'),
  ssl_root_cert_file: text().optional(),
  schema: text().optional().describe('For tables without a target of their own. Default public.'),
  tables: z
    .enum(['create', 'require'])
    .optional()
    .describe('create (default): make missing tables from records with schema.'),
  buffer_records: z
    .int()
    .min(1)
    .optional()
    .describe('Records of one checkpoint that a task holds. Default 100000.'),
  buffer_size: size()
    .optional()
    .describe('The same in bytes. Default 12MiB; a task holds up to two such buffers.'),
})

const customSink = z.strictObject({
  kind: z.literal('custom'),
  name: name(),
  type: text().describe('The name under which the worker knows the sink.'),
  options: z.record(z.string(), z.unknown()).optional(),
})

export const pipelineDocument = z.strictObject({
  version: z.literal(1).optional().describe('Of this format. Default 1.'),
  name: name().describe('Of the pipeline, unique in the cluster.'),
  source: z.discriminatedUnion('kind', [kafkaSource, fileSource]),
  tables: z.array(table).optional().describe('Routes; a table may be named once.'),
  other_tables: z
    .enum(['pass', 'ignore', 'refuse'])
    .optional()
    .describe('Tables without a route: under their own name (default), left out, or an error.'),
  sinks: z.array(z.discriminatedUnion('kind', [postgresSink, customSink])).min(1),
  guarantee: z
    .enum(['exactly-once', 'at-least-once', 'at-most-once'])
    .optional()
    .describe('Refused at start when a sink gives less. Default exactly-once.'),
  checkpoint: z
    .strictObject({
      interval: duration().optional().describe('Default 250ms.'),
      timeout: duration().optional().describe('Longer than the interval. Default 1m.'),
    })
    .optional(),
  parallelism: z
    .int()
    .min(1)
    .max(1024)
    .optional()
    .describe('Tasks of the pipeline. Default: partitions, at most 8.'),
})

export type PipelineDocument = z.output<typeof pipelineDocument>
export type SourceDocument = PipelineDocument['source']
export type TableDocument = NonNullable<PipelineDocument['tables']>[number]
export type TableRefDocument = TableDocument['source']
export type SinkDocument = PipelineDocument['sinks'][number]
export type SecretDocument = Partial<
  Record<'password' | 'password_file' | 'password_env', string | undefined>
>
