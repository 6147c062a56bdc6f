import {
  type Failure,
  type FailureClass,
  type FailureCode,
  failure,
  failureCodes,
  type RecordPosition,
} from '@onceflow/model'
import type { Failure__Output, Failure as WireFailure } from './generated/onceflow/v1/Failure.ts'
import type {
  RecordPosition__Output,
  RecordPosition as WireRecordPosition,
} from './generated/onceflow/v1/RecordPosition.ts'
import { big, int64, required, vocabulary } from './wire-values.ts'

const classes = vocabulary({
  retry: 'CLASS_RETRY',
  fence: 'CLASS_FENCE',
  fatal: 'CLASS_FATAL',
} as const satisfies Record<FailureClass, string>)

export function failureToWire(value: Failure): WireFailure {
  return {
    code: value.code,
    class: classes.name(value.class),
    detail: value.detail,
    hint: value.hint,
    ...(value.position === undefined ? {} : { position: recordPositionToWire(value.position) }),
    ...(value.field === undefined ? {} : { field: value.field }),
  }
}

export function failureFromWire(wire: Failure__Output | null | undefined): Failure {
  const value = required(wire, 'failure')
  const input = {
    class: classes.word(value.class, 'failure.class'),
    hint: value.hint,
    ...(value.position === null ? {} : { position: recordPositionFromWire(value.position) }),
    ...(value.field === undefined ? {} : { field: value.field }),
  }
  if (isFailureCode(value.code)) return failure(value.code, { ...input, detail: value.detail })
  // A newer peer may know codes that we do not: its class still says who has to act.
  return failure('UNEXPECTED', { ...input, detail: `${value.code}: ${value.detail}` })
}

export const isFailureCode = (text: string): text is FailureCode =>
  Object.hasOwn(failureCodes, text)

const recordPositionToWire = (value: RecordPosition): WireRecordPosition => ({
  topic: value.topic,
  partition: value.partition,
  offset: int64(value.offset),
})

const recordPositionFromWire = (wire: RecordPosition__Output): RecordPosition => ({
  topic: wire.topic,
  partition: wire.partition,
  offset: big(wire.offset),
})
