// Adapters that need no server: a file log, a decision store in a file, a PostgreSQL
// from npm packages.
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './embedded-postgres.ts'
export type { FileLogRecord } from './file-log-line.ts'
export { FileLogWriter } from './file-log-writer.ts'
export { FileSourceLog, fileSourceLogFactory } from './file-source-log.ts'
export { SqliteMetadata, type SqliteMetadataOptions } from './sqlite-metadata.ts'
