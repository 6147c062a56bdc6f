// Adapters that need no server: a file log and an embedded decision store.
export { SqliteMetadata, type SqliteMetadataOptions } from './sqlite-metadata.ts'
