import { fail, OnceflowError, type TopicSelection } from '@onceflow/model'
import { errorCode, errorText } from '../wire/error-codes.ts'
import { type MetadataResponse, metadataApi, type TopicMetadata } from '../wire/metadata.ts'
import type { ClusterConnections } from './cluster-connections.ts'

/** Asks any broker and remembers the brokers that it names. null: every topic. */
export async function askMetadata(
  connections: ClusterConnections,
  topics: readonly string[] | null,
): Promise<MetadataResponse> {
  const link = await connections.any()
  const response = await link.call(metadataApi, { topics })
  connections.learn(response.brokers)
  return response
}

/** The topics that the spec selects and that exist, in the order of their names. */
export async function askSelectedTopics(
  connections: ClusterConnections,
  selection: TopicSelection,
): Promise<TopicMetadata[]> {
  const names = selection.kind === 'list' ? selection.topics : null
  const { topics } = await askMetadata(connections, names)
  const pattern = selection.kind === 'pattern' ? wholeName(selection.pattern) : undefined
  const selected = topics.filter((topic) => {
    if (unknownTopic(topic)) return false
    return pattern === undefined || (topic.internal === 'no' && pattern.test(topic.topic))
  })
  for (const topic of selected) refuseTopicError(topic)
  return selected.toSorted((a, b) => (a.topic < b.topic ? -1 : 1))
}

export const unknownTopic = (topic: TopicMetadata): boolean =>
  topic.errorCode === errorCode.unknownTopicOrPartition

/** Throws what an error of a topic means; unknown topics are for the caller. */
export function refuseTopicError(topic: TopicMetadata): void {
  const code = topic.errorCode
  if (code === errorCode.none) return
  const detail = `topic ${topic.topic}: the broker answers ${errorText(code)}`
  if (code === errorCode.topicAuthorizationFailed) fail('SOURCE_AUTH', { detail })
  fail(code === errorCode.invalidTopic ? 'TOPIC_MISSING' : 'SOURCE_UNREACHABLE', { detail })
}

export function wholeName(pattern: string): RegExp {
  try {
    return new RegExp(`^(?:${pattern})$`, 'u')
  } catch (cause) {
    const detail = `source.topics: ${cause instanceof Error ? cause.message : String(cause)}`
    const hint = 'correct the regular expression'
    throw new OnceflowError({ code: 'SPEC_INVALID', class: 'fatal', detail, hint }, { cause })
  }
}
