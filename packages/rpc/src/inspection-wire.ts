import { sinkName } from '@onceflow/model'
import type { InspectedOk, WorkerMessage } from '@onceflow/ports'
import {
  partitionInfoFromWire,
  partitionInfoToWire,
  stampFromWire,
  stampToWire,
} from './control-parts.ts'
import { failureFromWire, failureToWire } from './failure-wire.ts'
import type {
  Inspected__Output,
  Inspected as WireInspected,
} from './generated/onceflow/v1/Inspected.ts'
import type {
  InspectedOk__Output,
  InspectedOk as WireInspectedOk,
} from './generated/onceflow/v1/InspectedOk.ts'
import { required } from './wire-values.ts'

type Inspected = Extract<WorkerMessage, { kind: 'inspected' }>

export function inspectedToWire(message: Inspected): WireInspected {
  const stamp = stampToWire(message)
  return message.result.kind === 'ok'
    ? { stamp, ok: inspectedOkToWire(message.result) }
    : { stamp, failed: { failures: message.result.failures.map(failureToWire) } }
}

const inspectedOkToWire = (value: InspectedOk): WireInspectedOk => ({
  partitions: value.partitions.map(partitionInfoToWire),
  claims: value.claims.map(({ sink, guarantee, reason }) => ({ sink, guarantee, reason })),
  warnings: value.warnings.map(failureToWire),
})

export function inspectedFromWire(wire: Inspected__Output): Inspected {
  const stamp = stampFromWire(wire.stamp)
  if (wire.result === 'ok') {
    const result = inspectedOkFromWire(required(wire.ok, 'ok'))
    return { kind: 'inspected', ...stamp, result }
  }
  const failures = required(wire.failed, 'result').failures.map(failureFromWire)
  return { kind: 'inspected', ...stamp, result: { kind: 'failed', failures } }
}

const inspectedOkFromWire = (wire: InspectedOk__Output): InspectedOk => ({
  kind: 'ok',
  partitions: wire.partitions.map(partitionInfoFromWire),
  claims: wire.claims.map(({ sink, guarantee, reason }) => ({
    sink: sinkName(sink),
    guarantee,
    reason,
  })),
  warnings: wire.warnings.map(failureFromWire),
})
