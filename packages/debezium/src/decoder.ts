import {
  type BinaryText,
  type DecimalText,
  OnceflowError,
  type RecordPosition,
  type SourceFormat,
  type SourceTable,
  type TableShape,
  type TableSpec,
} from '@onceflow/model'
import { Bindings } from './binding.ts'
import { BytesDecoder } from './bytes-decoder.ts'
import { EnvelopeDecoder, type Visit } from './envelope-decoder.ts'
import { FlatDecoder } from './flat-decoder.ts'
import { KeyReader, type TopicHints } from './key-reader.ts'
import { SchemaCache } from './payload-reader.ts'
import { createPlaceholder, defaultPlaceholder } from './placeholder.ts'
import type { DecodableRecord, Decoded, RecordPlace } from './record.ts'
import { type OtherTables, Routes } from './route.ts'
import { SourceTables } from './source-block.ts'

export interface DecoderOptions {
  readonly format: SourceFormat
  readonly tables: readonly TableSpec[]
  readonly otherTables: OtherTables
  /** The connector's unavailable.value.placeholder; `hex:` in front means bytes. */
  readonly placeholder?: string
  /** How decimals are written where no schema says it; strict refuses what is ambiguous. */
  readonly decimals?: DecimalText
  /** How binary values are written where no schema says it; strict refuses what is ambiguous. */
  readonly binary?: BinaryText
}

/** Synchronous; one decoder serves one task and keeps what it learns of schemas and targets. */
export interface Decoder {
  decode(record: DecodableRecord, place: RecordPlace): Decoded
  /** Answers needs-table: changes of the table come in the shape `resolved` from now on. */
  provide(source: SourceTable, declared: TableShape | undefined, resolved: TableShape): void
}

interface FormatDecoder {
  decode(visit: Visit): Decoded
}

export function createDecoder(options: DecoderOptions): Decoder {
  const schemas = new SchemaCache()
  const tables = new SourceTables()
  const bindings = new Bindings({
    bare: options.format === 'json' ? 'plain' : 'by-target',
    placeholder: createPlaceholder(options.placeholder ?? defaultPlaceholder),
    decimals: options.decimals ?? 'strict',
    binary: options.binary ?? 'strict',
  })
  const keys = new KeyReader(schemas, bindings)
  const routes = new Routes(options.tables, options.otherTables)
  const inner = formatDecoder(options.format, { schemas, tables, routes, bindings, keys })
  const hintsByTopic = new Map<string, TopicHints>()
  return {
    decode: (record, place) => {
      let hints = hintsByTopic.get(place.topic)
      if (hints === undefined) {
        hints = { value: undefined, key: undefined }
        hintsByTopic.set(place.topic, hints)
      }
      const position = { topic: place.topic, partition: place.partition, offset: record.offset }
      try {
        return inner.decode({ record, position, hints })
      } catch (thrown) {
        return failedAt(thrown, position)
      }
    },
    provide: (source, declared, resolved) => {
      bindings.provide(tables.intern(source.schema, source.table), declared, resolved)
    },
  }
}

function formatDecoder(
  format: SourceFormat,
  parts: ConstructorParameters<typeof EnvelopeDecoder>[0],
): FormatDecoder {
  switch (format) {
    case 'debezium-json':
      return new EnvelopeDecoder(parts)
    case 'json':
      return new FlatDecoder(parts)
    case 'bytes':
      return new BytesDecoder(parts)
  }
}

/** A failure of the record, with its place; anything else is a defect of ours and goes on up. */
function failedAt(thrown: unknown, position: RecordPosition): Decoded {
  if (!(thrown instanceof OnceflowError)) throw thrown
  return { kind: 'failed', failure: { ...thrown.failure, position } }
}
