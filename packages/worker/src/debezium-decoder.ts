import { createDecoder, type Decoder } from '@onceflow/debezium'
import type { Change } from '@onceflow/model'
import type { RecordBatch } from '@onceflow/ports'
import type { Decoded, DecoderRequest, RecordDecoder } from './record-decoder.ts'

/** The decoder of every format that a spec can name, one batch at a time. */
export function debeziumDecoder(request: DecoderRequest): RecordDecoder {
  const decoder = createDecoder(request)
  return {
    decode: (batch, from) => decodeBatch(decoder, batch, from),
    provide: ({ source, declared }, shape) => decoder.provide(source, declared, shape),
  }
}

function decodeBatch(decoder: Decoder, batch: RecordBatch, from: number): Decoded {
  const { records } = batch
  const changes: Change[] = []
  let ignored = 0
  for (let at = from; at < records.length; at += 1) {
    const record = records[at]
    if (record === undefined) break
    const decoded = decoder.decode(record, batch)
    switch (decoded.kind) {
      case 'upsert':
      case 'delete':
      case 'truncate':
        changes.push(decoded)
        break
      case 'ignored':
        ignored += 1
        break
      case 'needs-table':
        return { changes, ignored, stop: { ...decoded, at } }
      case 'failed':
        return { changes, ignored, stop: { kind: 'failed', at, failure: decoded.failure } }
    }
  }
  return { changes, ignored, stop: undefined }
}
