import type { RecordPosition } from './position.ts'

/**
 * A value the source did not send because it had not changed (Debezium's unavailable value
 * placeholder): leave the stored column as it is.
 */
export const unchanged: unique symbol = Symbol('unchanged')

/**
 * One column's value. Text is PostgreSQL's input text of the column's type (exact digits, never
 * through a JavaScript number or Date); null is SQL NULL; undefined is a column absent from the
 * record, which is not the same as null.
 */
export type Cell = string | null | undefined | typeof unchanged

/** A table of the source database, as the record's source block names it. */
export interface SourceTable {
  readonly schema: string
  readonly table: string
}

/** A column as a record's own schema or the target's catalogue describes it. */
export interface Column {
  readonly name: string
  /** A PostgreSQL type as SQL text, such as `numeric(12,2)`; quoted where it must be. */
  readonly type: string
  readonly nullable: boolean
  /** Part of the key: its place in the key, from 0; undefined when not in the key. */
  readonly keyOrdinal: number | undefined
}

/**
 * The columns of one table, in the order in which a RowChange carries its cells. Shapes are
 * interned: two changes of one table with equal columns share one object, so that `===` on shapes
 * is a comparison of structure.
 */
export interface TableShape {
  readonly source: SourceTable
  readonly columns: readonly Column[]
  /** Indexes into columns, in key order; empty for a table without key. */
  readonly keyColumns: readonly number[]
  /** record: derived from the record's own schema; catalogue: from the target table. */
  readonly origin: 'record' | 'catalogue'
}

export type Operation = 'read' | 'create' | 'update' | 'delete' | 'truncate'

/** Where and when the change was made at the source; for guards, order and freshness. */
export interface ChangeOrigin {
  /** Log sequence number of the event, where the connector sends one. */
  readonly lsn: bigint | undefined
  /** Source commit time in milliseconds since 1970, 0 when unknown. */
  readonly commitTimeMs: number
}

/** A row was read, created or updated: afterwards `cells` is what the table holds. */
export interface RowUpsert {
  readonly kind: 'upsert'
  readonly op: 'read' | 'create' | 'update'
  readonly shape: TableShape
  /** Aligned with shape.columns. */
  readonly cells: readonly Cell[]
  /**
   * arrives: the create that is the second half of a primary-key change. The delete of the old key
   * has the same lsn; the header's text is not in the key's encoding and must not be compared.
   */
  readonly keyChange: 'none' | 'arrives'
  readonly origin: ChangeOrigin
  readonly position: RecordPosition
}

/** The row with this key is gone. Non-key cells of `before` are never used to find it. */
export interface RowDelete {
  readonly kind: 'delete'
  readonly shape: TableShape
  /** Aligned with shape.keyColumns. */
  readonly key: readonly Cell[]
  /** leaves: the delete that is the first half of a primary-key change. */
  readonly keyChange: 'none' | 'leaves'
  readonly origin: ChangeOrigin
  readonly position: RecordPosition
}

export interface TableTruncate {
  readonly kind: 'truncate'
  readonly source: SourceTable
  readonly origin: ChangeOrigin
  readonly position: RecordPosition
}

export type Change = RowUpsert | RowDelete | TableTruncate

/** Why a record leads to no change: counted by reason, never an error. */
export type IgnoredReason =
  | 'tombstone'
  | 'heartbeat'
  | 'transaction'
  | 'schema-change'
  | 'message'
  | 'filtered'
