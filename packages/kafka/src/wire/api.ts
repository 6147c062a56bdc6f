/**
 * One request of Kafka's protocol with its answer, as a value:
 *
 *   request  = tagged fields of the header (flexible) + what `encode` writes
 *   response = tagged fields of the header (flexible) + what `decode` reads, and not a byte more
 *
 * kafkajs adds length, key, version, correlation id and client id, and takes them off again.
 */
import { fail } from '@onceflow/model'
import type { VersionRanges } from '../connection/kafkajs-internals.ts'
import { WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

export interface ApiVersions {
  readonly key: number
  readonly name: string
  /** Versions that the codec speaks. */
  readonly versionMin: number
  readonly versionMax: number
  readonly flexibleFrom: number
}

export interface Api<Request, Response extends Answer> extends ApiVersions {
  encode(writer: WireWriter, request: Request, version: number): void
  decode(reader: WireReader, version: number): Response
}

export interface Answer {
  /** How long the broker asks us to wait before the next request. */
  readonly throttleMs: number
}

/**
 * The newest version that both sides speak. A request of a version that the broker does not speak
 * makes it close the connection with everything in flight, so this comes before every request.
 */
export function agreedVersion(api: ApiVersions, ranges: VersionRanges): number {
  const range = ranges[api.key]
  const version = Math.min(range?.maxVersion ?? -1, api.versionMax)
  if (range === undefined || version < Math.max(range.minVersion, api.versionMin)) {
    const offered = range === undefined ? 'none' : `${range.minVersion} to ${range.maxVersion}`
    fail('SOURCE_UNSUPPORTED', {
      detail:
        `the broker offers ${offered} of ${api.name}, ` +
        `and ${api.versionMin} to ${api.versionMax} is needed`,
    })
  }
  return version
}

export function encodeRequest<Request, Response extends Answer>(
  api: Api<Request, Response>,
  request: Request,
  version: number,
): Buffer {
  const flexible = version >= api.flexibleFrom
  const writer = new WireWriter(flexible ? 'flexible' : 'classic')
  writer.end()
  api.encode(writer, request, version)
  return writer.finish()
}

export function decodeResponse<Request, Response extends Answer>(
  api: Api<Request, Response>,
  payload: Buffer,
  version: number,
): Response {
  const flexible = version >= api.flexibleFrom
  const reader = new WireReader(flexible ? 'flexible' : 'classic', payload)
  reader.end()
  const response = api.decode(reader, version)
  reader.finish()
  return response
}
