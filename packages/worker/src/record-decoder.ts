import type {
  BinaryText,
  Change,
  DecimalText,
  Failure,
  SourceFormat,
  SourceTable,
  TableShape,
  TableSpec,
} from '@onceflow/model'
import type { RecordBatch } from '@onceflow/ports'

/** Why decoding stopped in the middle of a batch; the record at `at` is not decoded yet. */
export type DecodeStop =
  | {
      readonly kind: 'needs-table'
      readonly at: number
      readonly source: SourceTable
      /** The shape of a record with schema; undefined for a schemaless one. */
      readonly declared: TableShape | undefined
    }
  | { readonly kind: 'failed'; readonly at: number; readonly failure: Failure }

export interface Decoded {
  readonly changes: readonly Change[]
  readonly ignored: number
  readonly stop: DecodeStop | undefined
}

/** Turns records into changes for one sink; keeps the shapes that the sink has resolved. */
export interface RecordDecoder {
  /** From record `from` to the end of the batch, or to the first record that stops it. */
  decode(batch: RecordBatch, from: number): Decoded
  /** The sink's answer to needs-table. */
  provide(need: Extract<DecodeStop, { kind: 'needs-table' }>, shape: TableShape): void
}

export interface DecoderRequest {
  readonly format: SourceFormat
  readonly decimals?: DecimalText
  readonly binary?: BinaryText
  readonly placeholder?: string
  readonly tables: readonly TableSpec[]
  readonly otherTables: 'pass' | 'ignore' | 'refuse'
}

export type DecoderFactory = (request: DecoderRequest) => RecordDecoder
