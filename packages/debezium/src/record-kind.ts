import type { IgnoredReason } from '@onceflow/model'
import { asciiBytes, type MemberTable, memberNamed } from './json-walk.ts'

const heartbeatSchema = 'io.debezium.connector.common.Heartbeat'
const transactionSchema = 'io.debezium.connector.common.TransactionMetadataValue'
const notificationSchema = 'io.debezium.connector.common.Notification'

/** What a record is that changes no row, told by the name of its schema. */
function reasonBySchema(name: string | undefined): IgnoredReason | undefined {
  if (name === heartbeatSchema) return 'heartbeat'
  if (name === transactionSchema) return 'transaction'
  if (name === notificationSchema) return 'message'
  if (name?.startsWith('io.debezium.connector.') !== true) return undefined
  if (name.endsWith('.SchemaChangeValue')) return 'schema-change'
  return name.endsWith('.MessageValue') ? 'message' : undefined
}

/** Members that a record of each kind has, and an envelope has not; the first ones that fit. */
const shapes: readonly { readonly reason: IgnoredReason; readonly names: readonly Uint8Array[] }[] =
  [
    { reason: 'schema-change', names: ['databaseName', 'ddl', 'tableChanges'].map(asciiBytes) },
    { reason: 'transaction', names: ['status', 'id', 'event_count', 'ts_ms'].map(asciiBytes) },
    { reason: 'message', names: ['id', 'aggregate_type', 'type'].map(asciiBytes) },
  ]

const timeName = asciiBytes('ts_ms')

/** What a record without op is instead: by schema name or, without schema, by its members. */
export function ignoredReason(
  bytes: Uint8Array,
  members: MemberTable,
  schemaName: string | undefined,
): IgnoredReason | undefined {
  if (schemaName !== undefined) return reasonBySchema(schemaName)
  if (members.count === 1 && memberNamed(bytes, members, timeName) === 0) return 'heartbeat'
  const fits = shapes.find(({ names }) =>
    names.every((name) => memberNamed(bytes, members, name) !== -1),
  )
  return fits?.reason
}
