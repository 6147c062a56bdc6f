import type { Api } from './api.ts'
import type { BrokerNode } from './metadata.ts'

export interface FindCoordinatorRequest {
  readonly kind: 'group' | 'transaction'
  /** The group or the transactional id. */
  readonly name: string
}

export interface FindCoordinatorResponse {
  readonly throttleMs: number
  readonly errorCode: number
  readonly node: BrokerNode
}

export const findCoordinatorApi: Api<FindCoordinatorRequest, FindCoordinatorResponse> = {
  key: 10,
  name: 'FindCoordinator',
  versionMin: 2,
  versionMax: 3,
  flexibleFrom: 3,
  encode(writer, request) {
    writer
      .string(request.name)
      .int8(request.kind === 'group' ? 0 : 1)
      .end()
  },
  decode(reader) {
    const throttleMs = reader.int32()
    const errorCode = reader.int16()
    reader.nullableString()
    const node = { id: reader.int32(), host: reader.string(), port: reader.int32() }
    reader.end()
    return { throttleMs, errorCode, node }
  },
}
