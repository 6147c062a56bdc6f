import { fail, type Position } from '@onceflow/model'
import { errorCode, errorText } from '../wire/error-codes.ts'
import { findCoordinatorApi } from '../wire/find-coordinator.ts'
import { offsetCommitApi } from '../wire/offset-commit.ts'
import type { BrokerLink } from './broker-link.ts'
import type { ClusterConnections } from './cluster-connections.ts'
import { askMetadata } from './cluster-metadata.ts'

/** Stores offsets under a group that has no members, where Kafka's own tools show them. */
export async function commitGroupOffsets(
  connections: ClusterConnections,
  group: string,
  positions: readonly Position[],
): Promise<void> {
  const link = await coordinatorOf(connections, group)
  const response = await link.call(offsetCommitApi, {
    group,
    topics: Object.entries(Object.groupBy(positions, (position) => position.topic)).map(
      ([topic, partitions = []]) => ({
        topic,
        partitions: partitions.map(({ partition, offset, leaderEpoch }) => ({
          partition,
          offset,
          leaderEpoch,
        })),
      }),
    ),
  })
  for (const { topic, partitions } of response.topics) {
    for (const answer of partitions) {
      refuse(answer.errorCode, `group ${group}, ${topic}/${answer.partition}`)
    }
  }
}

async function coordinatorOf(connections: ClusterConnections, group: string): Promise<BrokerLink> {
  const any = await connections.any()
  const found = await any.call(findCoordinatorApi, { kind: 'group', name: group })
  refuse(found.errorCode, `group ${group}`)
  const known = connections.broker(found.node.id)
  if (known !== undefined) return known
  await askMetadata(connections, [])
  const link = connections.broker(found.node.id)
  if (link !== undefined) return link
  return fail('SOURCE_UNREACHABLE', { detail: `broker ${found.node.id} is not known` })
}

function refuse(code: number, what: string): void {
  if (code === errorCode.none) return
  const detail = `${what}: the broker answers ${errorText(code)}`
  const denied = code === errorCode.groupAuthorizationFailed
  fail(
    denied || code === errorCode.topicAuthorizationFailed ? 'SOURCE_AUTH' : 'SOURCE_UNREACHABLE',
    {
      detail,
    },
  )
}
