import { type Change, failure, type TableShape } from '@onceflow/model'
import type { Decoded, DecodeStop, RecordDecoder } from '../src/index.ts'

/** Records of tests: `id=text`; `id=` deletes; `*` truncates; one with `!` first cannot be read. */
const shape: TableShape = {
  source: { schema: 'public', table: 'items' },
  columns: [
    { name: 'id', type: 'bigint', nullable: false, keyOrdinal: 0 },
    { name: 'text', type: 'text', nullable: true, keyOrdinal: undefined },
  ],
  keyColumns: [0],
  origin: 'record',
}

export function lineDecoder(): RecordDecoder {
  let provided: TableShape | undefined
  return {
    provide: (_, answer) => {
      provided = answer
    },
    decode: (batch, from): Decoded => {
      const changes: Change[] = []
      let ignored = 0
      for (let at = from; at < batch.records.length; at += 1) {
        const record = batch.records[at]
        const text = new TextDecoder().decode(record?.value ?? new Uint8Array())
        const offset = record?.offset ?? 0n
        const position = { topic: batch.topic, partition: batch.partition, offset }
        if (text.startsWith('!')) {
          const unreadable = failure('RECORD_UNREADABLE', { detail: text, position })
          return { changes, ignored, stop: { kind: 'failed', at, failure: unreadable } }
        }
        if (text === '') {
          ignored += 1
          continue
        }
        if (provided === undefined) {
          const stop: DecodeStop = {
            kind: 'needs-table',
            at,
            source: shape.source,
            declared: shape,
          }
          return { changes, ignored, stop }
        }
        const [id = '', rest] = text.split('=')
        const origin = { lsn: undefined, commitTimeMs: record?.timestampMs ?? 0 }
        if (text === '*') {
          changes.push({ kind: 'truncate', source: shape.source, origin, position })
          continue
        }
        const common = { shape: provided, keyChange: 'none', origin, position } as const
        if (rest === '') changes.push({ ...common, kind: 'delete', key: [id] })
        else {
          const cells = [id, rest ?? null]
          changes.push({ ...common, kind: 'upsert', op: 'create', cells })
        }
      }
      return { changes, ignored, stop: undefined }
    },
  }
}
