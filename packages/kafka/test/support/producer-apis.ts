// Requests that write: enough for a test to make transactions as other producers make them.
import type { Api } from '../../src/wire/api.ts'

interface ErrorAnswer {
  readonly throttleMs: number
  readonly errorCode: number
}

export interface ProduceAnswer extends ErrorAnswer {
  readonly baseOffset: bigint
}

export const produceApi: Api<
  {
    readonly transactionalId: string | null
    readonly topic: string
    readonly partition: number
    readonly batch: Buffer
  },
  ProduceAnswer
> = {
  key: 0,
  name: 'Produce',
  versionMin: 8,
  versionMax: 8,
  flexibleFrom: 9,
  encode(writer, request) {
    writer.string(request.transactionalId).int16(-1).int32(30_000)
    writer.array([request], ({ topic, partition, batch }) => {
      writer.string(topic).array([batch], (bytes) => writer.int32(partition).byteArray(bytes))
    })
  },
  decode(reader) {
    let answer = { errorCode: -1, baseOffset: -1n }
    reader.array(() => {
      reader.string()
      return reader.array(() => {
        reader.int32()
        answer = { errorCode: reader.int16(), baseOffset: reader.int64() }
        reader.int64()
        reader.int64()
        reader.array(() => [reader.int32(), reader.nullableString()])
        reader.nullableString()
        return answer
      })
    })
    return { ...answer, throttleMs: reader.int32() }
  },
}

export const initProducerIdApi: Api<
  { readonly transactionalId: string; readonly timeoutMs: number },
  ErrorAnswer & { readonly producerId: bigint; readonly producerEpoch: number }
> = {
  key: 22,
  name: 'InitProducerId',
  versionMin: 4,
  versionMax: 4,
  flexibleFrom: 2,
  encode(writer, request) {
    writer.string(request.transactionalId).int32(request.timeoutMs).int64(-1n).int16(-1).end()
  },
  decode(reader) {
    const answer = {
      throttleMs: reader.int32(),
      errorCode: reader.int16(),
      producerId: reader.int64(),
      producerEpoch: reader.int16(),
    }
    reader.end()
    return answer
  },
}

interface TransactionName {
  readonly transactionalId: string
  readonly producerId: bigint
  readonly producerEpoch: number
}

export const addPartitionApi: Api<
  TransactionName & { readonly topic: string; readonly partition: number },
  ErrorAnswer
> = {
  key: 24,
  name: 'AddPartitionsToTxn',
  versionMin: 3,
  versionMax: 3,
  flexibleFrom: 3,
  encode(writer, request) {
    writer.string(request.transactionalId).int64(request.producerId).int16(request.producerEpoch)
    writer.array([request], ({ topic, partition }) => {
      writer.string(topic).array([partition], (value) => writer.int32(value))
      writer.end()
    })
    writer.end()
  },
  decode(reader) {
    const throttleMs = reader.int32()
    let errorCode = 0
    reader.array(() => {
      reader.string()
      reader.array(() => {
        reader.int32()
        errorCode = reader.int16()
        reader.end()
      })
      reader.end()
    })
    reader.end()
    return { throttleMs, errorCode }
  },
}

export const endTransactionApi: Api<
  TransactionName & { readonly end: 'commit' | 'abort' },
  ErrorAnswer
> = {
  key: 26,
  name: 'EndTxn',
  versionMin: 3,
  versionMax: 3,
  flexibleFrom: 3,
  encode(writer, request) {
    writer.string(request.transactionalId).int64(request.producerId).int16(request.producerEpoch)
    writer.flag(request.end === 'commit' ? 'yes' : 'no').end()
  },
  decode(reader) {
    const answer = { throttleMs: reader.int32(), errorCode: reader.int16() }
    reader.end()
    return answer
  },
}

export const deleteRecordsApi: Api<
  { readonly topic: string; readonly partition: number; readonly before: bigint },
  ErrorAnswer
> = {
  key: 21,
  name: 'DeleteRecords',
  versionMin: 2,
  versionMax: 2,
  flexibleFrom: 2,
  encode(writer, request) {
    writer.array([request], ({ topic, partition, before }) => {
      writer.string(topic).array([before], (offset) => writer.int32(partition).int64(offset).end())
      writer.end()
    })
    writer.int32(10_000).end()
  },
  decode(reader) {
    const throttleMs = reader.int32()
    let errorCode = 0
    reader.array(() => {
      reader.string()
      reader.array(() => {
        reader.int32()
        reader.int64()
        errorCode = reader.int16()
        reader.end()
      })
      reader.end()
    })
    reader.end()
    return { throttleMs, errorCode }
  },
}
