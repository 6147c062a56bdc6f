/** What the name of a prepared transaction says, read by the audit's own eyes. */
export interface PreparedName {
  readonly cluster: string
  readonly pipeline: string
  readonly sink: string
  readonly subtask: number
  readonly checkpoint: bigint
  readonly attempt: bigint
}

export const preparedPrefix = 'onceflow:'

/** undefined: it begins like a name of ours and is none. */
export function readPreparedName(gid: string): PreparedName | undefined {
  const parts = gid.split(':')
  const [product, cluster, pipeline, sink, subtask, checkpoint, attempt] = parts
  if (parts.length !== 7 || `${product}:` !== preparedPrefix) return undefined
  if (isEmpty(cluster) || isEmpty(pipeline) || isEmpty(sink)) return undefined
  const numbers = [subtask, checkpoint, attempt].map(naturalOf)
  const [task, n, a] = numbers
  if (task === undefined || n === undefined || a === undefined) return undefined
  return { cluster, pipeline, sink, subtask: Number(task), checkpoint: n, attempt: a }
}

const naturalOf = (text: string | undefined): bigint | undefined =>
  text !== undefined && /^(?:0|[1-9]\d*)$/.test(text) ? BigInt(text) : undefined

const isEmpty = (text: string | undefined): text is undefined | '' =>
  text === undefined || text === ''
