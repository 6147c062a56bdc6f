import type { ILeaseKeepAliveResponse, LeaseClient } from 'etcd3'

/**
 * Asks etcd once to keep the lease alive and waits for its answer; a stream for each beat, so that
 * an answer can never belong to an earlier beat.
 */
export async function keepAliveOnce(
  client: LeaseClient,
  lease: string,
  deadlineMs: number,
): Promise<'alive' | 'gone'> {
  const stream = await client.leaseKeepAlive({ deadline: Date.now() + deadlineMs })
  try {
    const answer = await new Promise<ILeaseKeepAliveResponse>((resolve, reject) => {
      stream.on('data', resolve)
      stream.on('error', reject)
      stream.on('end', () => reject(new Error('etcd ended the stream without an answer')))
      stream.write({ ID: lease })
    })
    return answer.TTL === '0' ? 'gone' : 'alive'
  } finally {
    stream.end()
  }
}
