import { offset } from '@onceflow/model'
import type { LogRecord, RecordBatch } from '@onceflow/ports'

export interface SliceLimits {
  readonly sliceRecordsMax: number
  readonly sliceBytesMax: number
}

/**
 * Cuts a batch where a cut of an epoch may lie, so that a barrier never waits for a large batch and
 * no slice holds the event loop for long. Only the last slice moves past the batch's gaps.
 */
export function slicesOf(batch: RecordBatch, limits: SliceLimits): readonly RecordBatch[] {
  const { records } = batch
  const small = records.length <= limits.sliceRecordsMax && batch.bytes <= limits.sliceBytesMax
  if (small) return [batch]
  const slices: RecordBatch[] = []
  let from = 0
  let bytes = 0
  for (let index = 0; index < records.length; index += 1) {
    bytes += bytesOf(records[index])
    const count = index + 1 - from
    if (count < limits.sliceRecordsMax && bytes < limits.sliceBytesMax) continue
    if (index + 1 === records.length) break
    slices.push(sliceOf(batch, { from, to: index + 1, bytes }))
    from = index + 1
    bytes = 0
  }
  slices.push({ ...batch, records: records.slice(from), bytes })
  return slices
}

function sliceOf(batch: RecordBatch, part: { from: number; to: number; bytes: number }) {
  const following = batch.records[part.to]
  const next = following === undefined ? batch.next.offset : offset(following.offset)
  return {
    ...batch,
    records: batch.records.slice(part.from, part.to),
    next: { ...batch.next, offset: next },
    bytes: part.bytes,
  }
}

const bytesOf = (record: LogRecord | undefined): number =>
  (record?.key?.byteLength ?? 0) + (record?.value?.byteLength ?? 0)
