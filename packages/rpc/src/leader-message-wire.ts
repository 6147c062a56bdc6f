import {
  attempt,
  checkpointNumber,
  clusterUid,
  leaderEpoch,
  revision,
  subtask,
  unreachable,
} from '@onceflow/model'
import type { LeaderMessage } from '@onceflow/ports'
import {
  contextFromWire,
  contextToWire,
  headFromWire,
  headToWire,
  knownFromWire,
  knownToWire,
  positionFromWire,
  positionToWire,
  recordFromWire,
  recordToWire,
  specFromWire,
  specToWire,
  stampFromWire,
  stampToWire,
} from './control-parts.ts'
import type { Abort__Output, Abort as WireAbort } from './generated/onceflow/v1/Abort.ts'
import type {
  ConnectResponse,
  ConnectResponse__Output,
} from './generated/onceflow/v1/ConnectResponse.ts'
import type {
  ResolveAbort__Output,
  ResolveAbort as WireResolveAbort,
} from './generated/onceflow/v1/ResolveAbort.ts'
import type {
  ResolveCommit__Output,
  ResolveCommit as WireResolveCommit,
} from './generated/onceflow/v1/ResolveCommit.ts'
import type {
  StartTask__Output,
  StartTask as WireStartTask,
} from './generated/onceflow/v1/StartTask.ts'
import {
  big,
  defined,
  int64,
  optionalBig,
  optionalInt64,
  refuse,
  required,
  yes,
  yesFrom,
} from './wire-values.ts'

type Of<Kind extends LeaderMessage['kind']> = Extract<LeaderMessage, { kind: Kind }>

export function leaderMessageToWire(message: LeaderMessage): ConnectResponse {
  switch (message.kind) {
    case 'welcome':
      return { welcome: welcomeToWire(message) }
    case 'heartbeat':
      return { heartbeat: { leaderEpoch: int64(message.leaderEpoch) } }
    case 'inspect':
      return { inspect: { stamp: stampToWire(message), spec: specToWire(message.spec) } }
    case 'resolve-commit':
      return { resolveCommit: resolveCommitToWire(message) }
    case 'resolve-abort':
      return { resolveAbort: resolveAbortToWire(message) }
    case 'start-task':
      return { startTask: startTaskToWire(message) }
    case 'inject-barrier':
      return { injectBarrier: injectBarrierToWire(message) }
    case 'commit':
      return { commit: commitToWire(message) }
    case 'abort':
      return { abort: abortToWire(message) }
    case 'stop-tasks':
      return { stopTasks: { stamp: stampToWire(message) } }
    case 'drained':
      return { drained: { leaderEpoch: int64(message.leaderEpoch) } }
    default:
      return unreachable(message)
  }
}

/** Throws INVALID_ARGUMENT for a message that is empty, of an unknown kind, or incomplete. */
export function leaderMessageFromWire(wire: ConnectResponse__Output): LeaderMessage {
  switch (wire.message) {
    case 'welcome':
      return welcomeFromWire(wire)
    case 'heartbeat': {
      const value = required(wire.heartbeat, 'heartbeat')
      return { kind: 'heartbeat', leaderEpoch: leaderEpoch(big(value.leaderEpoch)) }
    }
    case 'inspect': {
      const value = required(wire.inspect, 'inspect')
      return { kind: 'inspect', ...stampFromWire(value.stamp), spec: specFromWire(value.spec) }
    }
    case 'resolveCommit':
      return resolveCommitFromWire(required(wire.resolveCommit, 'resolve_commit'))
    case 'resolveAbort':
      return resolveAbortFromWire(required(wire.resolveAbort, 'resolve_abort'))
    case 'startTask':
      return startTaskFromWire(required(wire.startTask, 'start_task'))
    case 'injectBarrier':
      return injectBarrierFromWire(wire)
    case 'commit':
      return commitFromWire(wire)
    case 'abort':
      return abortFromWire(required(wire.abort, 'abort'))
    case 'stopTasks':
      return { kind: 'stop-tasks', ...stampFromWire(required(wire.stopTasks, 'stop_tasks').stamp) }
    case 'drained': {
      const value = required(wire.drained, 'drained')
      return { kind: 'drained', leaderEpoch: leaderEpoch(big(value.leaderEpoch)) }
    }
    case undefined:
      return refuse('message', 'the message is empty or of a kind this version does not know')
    default:
      return unreachable(wire.message)
  }
}

const welcomeToWire = (message: Of<'welcome'>) => ({
  leaderEpoch: int64(message.leaderEpoch),
  cluster: message.cluster,
  heartbeatIntervalMs: message.heartbeatIntervalMs,
})

function welcomeFromWire(wire: ConnectResponse__Output): Of<'welcome'> {
  const value = required(wire.welcome, 'welcome')
  return {
    kind: 'welcome',
    leaderEpoch: leaderEpoch(big(value.leaderEpoch)),
    cluster: clusterUid(value.cluster),
    heartbeatIntervalMs: value.heartbeatIntervalMs,
  }
}

const resolveCommitToWire = (message: Of<'resolve-commit'>): WireResolveCommit => ({
  stamp: stampToWire(message),
  spec: specToWire(message.spec),
  revision: int64(message.revision),
  open: message.open.map(recordToWire),
  known: message.known.map(knownToWire),
  retireMark: int64(message.retireMark),
})

const resolveCommitFromWire = (wire: ResolveCommit__Output): Of<'resolve-commit'> => ({
  kind: 'resolve-commit',
  ...stampFromWire(wire.stamp),
  spec: specFromWire(wire.spec),
  revision: revision(big(wire.revision)),
  open: wire.open.map(recordFromWire),
  known: wire.known.map(knownFromWire),
  retireMark: checkpointNumber(big(wire.retireMark)),
})

const resolveAbortToWire = (message: Of<'resolve-abort'>): WireResolveAbort => ({
  stamp: stampToWire(message),
  spec: specToWire(message.spec),
  revision: int64(message.revision),
  known: message.known.map(knownToWire),
  retireMark: int64(message.retireMark),
  heads: message.heads.map(headToWire),
  newestDecided: int64(message.newestDecided),
})

const resolveAbortFromWire = (wire: ResolveAbort__Output): Of<'resolve-abort'> => ({
  kind: 'resolve-abort',
  ...stampFromWire(wire.stamp),
  spec: specFromWire(wire.spec),
  revision: revision(big(wire.revision)),
  known: wire.known.map(knownFromWire),
  retireMark: checkpointNumber(big(wire.retireMark)),
  heads: wire.heads.map(headFromWire),
  newestDecided: checkpointNumber(big(wire.newestDecided)),
})

const startTaskToWire = (message: Of<'start-task'>): WireStartTask => ({
  stamp: stampToWire(message),
  spec: specToWire(message.spec),
  subtask: message.subtask,
  restored: int64(message.restored),
  positions: message.positions.map(positionToWire),
  heads: message.heads.map(headToWire),
  contexts: message.contexts.map(contextToWire),
})

const startTaskFromWire = (wire: StartTask__Output): Of<'start-task'> => ({
  kind: 'start-task',
  ...stampFromWire(wire.stamp),
  spec: specFromWire(wire.spec),
  subtask: subtask(wire.subtask),
  restored: checkpointNumber(big(wire.restored)),
  positions: wire.positions.map(positionFromWire),
  heads: wire.heads.map(headFromWire),
  contexts: wire.contexts.map(contextFromWire),
})

const injectBarrierToWire = (message: Of<'inject-barrier'>) => ({
  stamp: stampToWire(message),
  checkpoint: int64(message.checkpoint),
  stop: yes(message.stop),
})

function injectBarrierFromWire(wire: ConnectResponse__Output): Of<'inject-barrier'> {
  const value = required(wire.injectBarrier, 'inject_barrier')
  return {
    kind: 'inject-barrier',
    ...stampFromWire(value.stamp),
    checkpoint: checkpointNumber(big(value.checkpoint)),
    stop: yesFrom(value.stop),
  }
}

const commitToWire = (message: Of<'commit'>) => ({
  stamp: stampToWire(message),
  checkpoint: int64(message.checkpoint),
  revision: int64(message.revision),
})

function commitFromWire(wire: ConnectResponse__Output): Of<'commit'> {
  const value = required(wire.commit, 'commit')
  return {
    kind: 'commit',
    ...stampFromWire(value.stamp),
    checkpoint: checkpointNumber(big(value.checkpoint)),
    revision: revision(big(value.revision)),
  }
}

const abortToWire = (message: Of<'abort'>): WireAbort => ({
  stamp: stampToWire(message),
  next: int64(message.next),
  ...defined({ checkpoint: optionalInt64(message.checkpoint) }),
  revision: int64(message.revision),
})

function abortFromWire(wire: Abort__Output): Of<'abort'> {
  const given = optionalBig(wire.checkpoint)
  return {
    kind: 'abort',
    ...stampFromWire(wire.stamp),
    next: attempt(big(wire.next)),
    checkpoint: given === undefined ? undefined : checkpointNumber(given),
    revision: revision(big(wire.revision)),
  }
}
