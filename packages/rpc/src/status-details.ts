import { Metadata, type ServiceError, type StatusObject, status } from '@grpc/grpc-js'
import { type Failure, type FailureCode, failure, failureCodes } from '@onceflow/model'
import { isFailureCode } from './failure-wire.ts'
import type { BadRequest, BadRequest__Output } from './generated/google/rpc/BadRequest.ts'
import type { ErrorInfo, ErrorInfo__Output } from './generated/google/rpc/ErrorInfo.ts'
import type { Help, Help__Output } from './generated/google/rpc/Help.ts'
import type {
  PreconditionFailure,
  PreconditionFailure__Output,
} from './generated/google/rpc/PreconditionFailure.ts'
import type { Status, Status__Output } from './generated/google/rpc/Status.ts'
import { type Codec, codec } from './messages.ts'

/** The domain of every ErrorInfo of ours. */
export const errorDomain = 'onceflow'
const detailsKey = 'grpc-status-details-bin'
const typePrefix = 'type.googleapis.com/'

/** What a status of ours says, on either side. */
export interface Refusal {
  readonly failure: Failure
  /** With NOT_LEADER: who leads, where that is known. */
  readonly leaderAddress?: string | undefined
  /** With INVALID_ARGUMENT and SPEC_INVALID: every field that is wrong. */
  readonly fields?: readonly FieldProblem[]
}

export interface FieldProblem {
  readonly field: string
  readonly description: string
}

const codes: Partial<Record<FailureCode, status>> = {
  UNEXPECTED: status.INTERNAL,
  NOT_FOUND: status.NOT_FOUND,
  ALREADY_EXISTS: status.ALREADY_EXISTS,
  INVALID_ARGUMENT: status.INVALID_ARGUMENT,
  SPEC_INVALID: status.INVALID_ARGUMENT,
  CONFIG_INVALID: status.INVALID_ARGUMENT,
  ETAG_MISMATCH: status.ABORTED,
  LIMIT_EXCEEDED: status.RESOURCE_EXHAUSTED,
}

function statusCode(cause: Failure): status {
  const known = codes[cause.code]
  if (known !== undefined) return known
  switch (cause.class) {
    case 'retry':
      return status.UNAVAILABLE
    case 'fence':
      return status.ABORTED
    case 'fatal':
      return status.FAILED_PRECONDITION
  }
}

interface DetailCodecs {
  readonly status: Codec<Status, Status__Output>
  readonly errorInfo: Codec<ErrorInfo, ErrorInfo__Output>
  readonly badRequest: Codec<BadRequest, BadRequest__Output>
  readonly precondition: Codec<PreconditionFailure, PreconditionFailure__Output>
  readonly help: Codec<Help, Help__Output>
}

let loaded: DetailCodecs | undefined
const codecs = (): DetailCodecs => {
  loaded ??= {
    status: codec('google.rpc.Status'),
    errorInfo: codec('google.rpc.ErrorInfo'),
    badRequest: codec('google.rpc.BadRequest'),
    precondition: codec('google.rpc.PreconditionFailure'),
    help: codec('google.rpc.Help'),
  }
  return loaded
}

const packed = (name: string, value: Buffer) => ({ type_url: `${typePrefix}${name}`, value })

/** The status with which a call ends: code, one line of text, and google.rpc details. */
export function statusOf(refusal: Refusal): StatusObject {
  const { failure: cause } = refusal
  const code = statusCode(cause)
  const details = `${cause.code}: ${cause.detail}`
  const bytes = codecs().status.encode({ code, message: details, details: detailsOf(refusal) })
  const metadata = new Metadata()
  metadata.set(detailsKey, bytes)
  return { code, details, metadata }
}

function detailsOf(refusal: Refusal) {
  const { errorInfo, badRequest, precondition, help } = codecs()
  const { failure: cause, fields = [] } = refusal
  const info = { reason: cause.code, domain: errorDomain, metadata: metadataOf(refusal) }
  const details = [packed('google.rpc.ErrorInfo', errorInfo.encode(info))]
  if (fields.length > 0) {
    const fieldViolations = fields.map(({ field, description }) => ({ field, description }))
    details.push(packed('google.rpc.BadRequest', badRequest.encode({ fieldViolations })))
  }
  if (statusCode(cause) === status.FAILED_PRECONDITION) {
    const violation = { type: cause.code, subject: cause.field ?? '', description: cause.detail }
    const value = precondition.encode({ violations: [violation] })
    details.push(packed('google.rpc.PreconditionFailure', value))
  }
  const url = `docs/errors.md#${cause.code.toLowerCase()}`
  const links = [{ description: cause.hint, url }]
  return [...details, packed('google.rpc.Help', help.encode({ links }))]
}

function metadataOf(refusal: Refusal): Record<string, string> {
  const { failure: cause, leaderAddress } = refusal
  const metadata: Record<string, string> = { class: cause.class }
  if (leaderAddress !== undefined) metadata['leader_address'] = leaderAddress
  if (cause.field !== undefined) metadata['field'] = cause.field
  if (cause.position !== undefined) {
    metadata['topic'] = cause.position.topic
    metadata['partition'] = cause.position.partition.toString()
    metadata['offset'] = cause.position.offset.toString()
  }
  return metadata
}

/** What a call's error says; an error that is not ours becomes a failure by its status code. */
export function refusalOf(error: ServiceError | StatusObject): Refusal {
  const [bytes] = error.metadata?.get(detailsKey) ?? []
  if (typeof bytes === 'object') {
    const known = refusalFromDetails(bytes, error.details)
    if (known !== undefined) return known
  }
  return { failure: failureOfStatus(error) }
}

function refusalFromDetails(bytes: Buffer, text: string): Refusal | undefined {
  try {
    const details = codecs().status.decode(bytes).details
    const find = (name: string) => {
      const found = details.find((one) => one.type_url === `${typePrefix}${name}`)
      return found?.value as Buffer | undefined
    }
    const infoBytes = find('google.rpc.ErrorInfo')
    if (infoBytes === undefined) return undefined
    const info = codecs().errorInfo.decode(infoBytes)
    if (info.domain !== errorDomain || !isFailureCode(info.reason)) return undefined
    const helpBytes = find('google.rpc.Help')
    const hint =
      helpBytes === undefined ? undefined : codecs().help.decode(helpBytes).links[0]?.description
    const badBytes = find('google.rpc.BadRequest')
    const fields =
      badBytes === undefined ? [] : codecs().badRequest.decode(badBytes).fieldViolations
    const detail = text.replace(`${info.reason}: `, '')
    return {
      failure: failureFromInfo(info.reason, { detail, hint, metadata: info.metadata }),
      leaderAddress: info.metadata['leader_address'],
      fields,
    }
  } catch {
    return undefined
  }
}

interface InfoParts {
  readonly detail: string
  readonly hint: string | undefined
  readonly metadata: { readonly [key: string]: string }
}

function failureFromInfo(code: FailureCode, parts: InfoParts): Failure {
  const { class: given, field, topic, partition, offset } = parts.metadata
  const known = (['retry', 'fence', 'fatal'] as const).find((one) => one === given)
  const position =
    topic === undefined || partition === undefined || offset === undefined
      ? undefined
      : { topic, partition: Number(partition), offset: BigInt(offset) }
  return failure(code, {
    detail: parts.detail,
    hint: parts.hint ?? failureCodes[code].hint,
    class: known ?? failureCodes[code].class,
    ...(field === undefined ? {} : { field }),
    ...(position === undefined ? {} : { position }),
  })
}

// A status without our details was made by gRPC itself: it speaks of the connection or the call.
function failureOfStatus(error: ServiceError | StatusObject): Failure {
  const detail = `${status[error.code]}: ${error.details}`
  switch (error.code) {
    case status.UNAVAILABLE:
    case status.CANCELLED:
    case status.DEADLINE_EXCEEDED:
      return failure('COORDINATOR_UNREACHABLE', { detail })
    case status.RESOURCE_EXHAUSTED:
      return failure('LIMIT_EXCEEDED', { detail })
    case status.INVALID_ARGUMENT:
    case status.UNIMPLEMENTED:
      return failure('INVALID_ARGUMENT', { detail })
    case status.UNAUTHENTICATED:
    case status.PERMISSION_DENIED:
      return failure('ACCESS_DENIED', { detail })
    default:
      return failure('UNEXPECTED', { detail })
  }
}
