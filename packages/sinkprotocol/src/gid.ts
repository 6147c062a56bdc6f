import {
  type Attempt,
  attempt,
  type CheckpointNumber,
  type ClusterUid,
  checkpointNumber,
  clusterUid,
  invariant,
  type PipelineUid,
  pipelineUid,
  type SinkName,
  type Subtask,
  sinkName,
  subtask,
} from '@onceflow/model'

/** Whose transactions a resolver looks at: the whole sink, every subtask and attempt of it. */
export interface SinkIdentity {
  readonly cluster: ClusterUid
  readonly pipeline: PipelineUid
  readonly sink: SinkName
}

/** What a gid says: one transaction of one subtask for one checkpoint in one attempt. */
export interface GidFields extends SinkIdentity {
  readonly subtask: Subtask
  readonly checkpoint: CheckpointNumber
  readonly attempt: Attempt
}

/** PostgreSQL refuses a longer one (22023). All characters of a gid of ours are one byte. */
export const gidBytesMax = 199

const uid = '([a-z0-9]{8,32})'
const number = '(0|[1-9]\\d{0,18})'
const pattern = new RegExp(
  `^onceflow:${uid}:${uid}:([a-z][a-z0-9-]{0,62}):(0|[1-9]\\d{0,3}):${number}:${number}$`,
)

/** Every gid of the sink begins with it; what begins with it must still be parsed and compared. */
export const gidPrefix = ({ cluster, pipeline, sink }: SinkIdentity): string =>
  `onceflow:${cluster}:${pipeline}:${sink}:`

export function buildGid(fields: GidFields): string {
  const gid = `${gidPrefix(fields)}${fields.subtask}:${fields.checkpoint}:${fields.attempt}`
  invariant(gid.length <= gidBytesMax && pattern.test(gid), `not a gid of ours: ${gid}`)
  return gid
}

/** undefined: not of our making, or damaged; it is reported and never touched. */
export function parseGid(gid: string): GidFields | undefined {
  const match = gid.length <= gidBytesMax ? pattern.exec(gid) : null
  if (match === null) return undefined
  const [, cluster = '', pipeline = '', sink = '', task = '', n = '', a = ''] = match
  return {
    cluster: clusterUid(cluster),
    pipeline: pipelineUid(pipeline),
    sink: sinkName(sink),
    subtask: subtask(Number(task)),
    checkpoint: checkpointNumber(BigInt(n)),
    attempt: attempt(BigInt(a)),
  }
}

export const isOfSink = (fields: SinkIdentity, sink: SinkIdentity): boolean =>
  fields.cluster === sink.cluster && fields.pipeline === sink.pipeline && fields.sink === sink.sink
