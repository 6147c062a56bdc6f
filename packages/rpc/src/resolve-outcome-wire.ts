import { checkpointNumber, sinkName, subtask, unreachable } from '@onceflow/model'
import type { ResolveOutcome } from '@onceflow/ports'
import { failureFromWire, failureToWire } from './failure-wire.ts'
import type {
  ResolveOutcome__Output,
  ResolveOutcome as WireOutcome,
} from './generated/onceflow/v1/ResolveOutcome.ts'
import { big, int64, refuse, required } from './wire-values.ts'

export function outcomeToWire(value: ResolveOutcome): WireOutcome {
  switch (value.kind) {
    case 'done':
      return { done: {} }
    case 'failed':
      return { failed: failureToWire(value.failure) }
    case 'lost':
      return {
        lost: {
          transactions: value.lost.map((lost) => ({
            sink: lost.sink,
            subtask: lost.subtask,
            checkpoint: int64(lost.checkpoint),
            failure: failureToWire(lost.failure),
          })),
        },
      }
    default:
      return unreachable(value)
  }
}

export function outcomeFromWire(wire: ResolveOutcome__Output | null): ResolveOutcome {
  const value = required(wire, 'outcome')
  switch (value.outcome) {
    case 'done':
      return { kind: 'done' }
    case 'failed':
      return { kind: 'failed', failure: failureFromWire(value.failed) }
    case 'lost': {
      const lost = required(value.lost, 'lost').transactions.map((one) => ({
        sink: sinkName(one.sink),
        subtask: subtask(one.subtask),
        checkpoint: checkpointNumber(big(one.checkpoint)),
        failure: failureFromWire(one.failure),
      }))
      return { kind: 'lost', lost }
    }
    case undefined:
      return refuse('outcome', 'the outcome is empty')
    default:
      return unreachable(value.outcome)
  }
}
