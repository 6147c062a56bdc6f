// Adapters that need no server: a file log and an embedded decision store.
export type { FileLogRecord } from './file-log-line.ts'
export { FileLogWriter } from './file-log-writer.ts'
export { FileSourceLog, fileSourceLogFactory } from './file-source-log.ts'
export { SqliteMetadata, type SqliteMetadataOptions } from './sqlite-metadata.ts'
