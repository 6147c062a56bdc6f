import { leaderEpoch, subtask, unreachable } from '@onceflow/model'
import type { WorkerMessage } from '@onceflow/ports'
import { stampFromWire, stampToWire } from './control-parts.ts'
import type {
  ConnectRequest,
  ConnectRequest__Output,
} from './generated/onceflow/v1/ConnectRequest.ts'
import { inspectedFromWire, inspectedToWire } from './inspection-wire.ts'
import {
  barrierWantedFromWire,
  barrierWantedToWire,
  committedFromWire,
  committedToWire,
  partitionsFoundFromWire,
  partitionsFoundToWire,
  resolvedFromWire,
  resolvedToWire,
  sealedFromWire,
  sealedToWire,
  staleFromWire,
  staleToWire,
  taskFailedFromWire,
  taskFailedToWire,
} from './task-message-wire.ts'
import { big, int64, refuse, required } from './wire-values.ts'
import {
  heartbeatFromWire,
  heartbeatToWire,
  helloFromWire,
  helloToWire,
} from './worker-report-wire.ts'

export function workerMessageToWire(message: WorkerMessage): ConnectRequest {
  switch (message.kind) {
    case 'hello':
      return { hello: helloToWire(message) }
    case 'heartbeat':
      return { heartbeat: heartbeatToWire(message) }
    case 'inspected':
      return { inspected: inspectedToWire(message) }
    case 'resolve-committed':
      return { resolveCommitted: resolvedToWire(message) }
    case 'resolve-aborted':
      return { resolveAborted: resolvedToWire(message) }
    case 'task-started':
      return { taskStarted: { stamp: stampToWire(message), subtask: message.subtask } }
    case 'task-failed':
      return { taskFailed: taskFailedToWire(message) }
    case 'tasks-ended':
      return { tasksEnded: { stamp: stampToWire(message) } }
    case 'sealed':
      return { sealed: sealedToWire(message) }
    case 'committed':
      return { committed: committedToWire(message) }
    case 'barrier-wanted':
      return { barrierWanted: barrierWantedToWire(message) }
    case 'partitions-found':
      return { partitionsFound: partitionsFoundToWire(message) }
    case 'draining':
      return { draining: { leaderEpoch: int64(message.leaderEpoch) } }
    case 'stale':
      return { stale: staleToWire(message) }
    default:
      return unreachable(message)
  }
}

/** Throws INVALID_ARGUMENT for a message that is empty, of an unknown kind, or incomplete. */
export function workerMessageFromWire(wire: ConnectRequest__Output): WorkerMessage {
  switch (wire.message) {
    case 'hello':
      return helloFromWire(required(wire.hello, 'hello'))
    case 'heartbeat':
      return heartbeatFromWire(required(wire.heartbeat, 'heartbeat'))
    case 'inspected':
      return inspectedFromWire(required(wire.inspected, 'inspected'))
    case 'resolveCommitted':
      return {
        kind: 'resolve-committed',
        ...resolvedFromWire(required(wire.resolveCommitted, 'resolve_committed')),
      }
    case 'resolveAborted':
      return {
        kind: 'resolve-aborted',
        ...resolvedFromWire(required(wire.resolveAborted, 'resolve_aborted')),
      }
    case 'taskStarted': {
      const value = required(wire.taskStarted, 'task_started')
      const stamp = stampFromWire(value.stamp)
      return { kind: 'task-started', ...stamp, subtask: subtask(value.subtask) }
    }
    case 'taskFailed':
      return taskFailedFromWire(required(wire.taskFailed, 'task_failed'))
    case 'tasksEnded':
      return {
        kind: 'tasks-ended',
        ...stampFromWire(required(wire.tasksEnded, 'tasks_ended').stamp),
      }
    case 'sealed':
      return sealedFromWire(required(wire.sealed, 'sealed'))
    case 'committed':
      return committedFromWire(required(wire.committed, 'committed'))
    case 'barrierWanted':
      return barrierWantedFromWire(required(wire.barrierWanted, 'barrier_wanted'))
    case 'partitionsFound':
      return partitionsFoundFromWire(required(wire.partitionsFound, 'partitions_found'))
    case 'draining': {
      const value = required(wire.draining, 'draining')
      return { kind: 'draining', leaderEpoch: leaderEpoch(big(value.leaderEpoch)) }
    }
    case 'stale':
      return staleFromWire(required(wire.stale, 'stale'))
    case undefined:
      return refuse('message', 'the message is empty or of a kind this version does not know')
    default:
      return unreachable(wire.message)
  }
}
