import { Client, credentials } from '@grpc/grpc-js'
import { controlService } from './control-service.ts'
import type { FindLeaderResponse__Output } from './generated/onceflow/v1/FindLeaderResponse.ts'

export interface LeaderSearch {
  readonly addresses: readonly string[]
  readonly deadlineMs: number
  /**
   * An address that has just failed: believed only when nobody names another. A frozen leader that
   * wakes up still calls itself the leader.
   */
  readonly avoid: string | undefined
}

interface Answer {
  readonly address: string
  readonly byLeader: boolean
}

/** Asks every coordinator at once; undefined when nobody knows a leader in time. */
export async function findLeader(search: LeaderSearch): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const answers: Answer[] = []
  const asked = search.addresses.map(async (address) => {
    const answer = await ask(address, search.deadlineMs)
    if (answer === undefined) return
    answers.push(answer)
    if (answer.byLeader && answer.address !== search.avoid) resolve(answer.address)
  })
  void Promise.allSettled(asked).then(() => resolve(best(answers, search.avoid)))
  return promise
}

function best(answers: readonly Answer[], avoid: string | undefined): string | undefined {
  const others = answers.filter(({ address }) => address !== avoid)
  return (others[0] ?? answers[0])?.address
}

function ask(address: string, deadlineMs: number): Promise<Answer | undefined> {
  const { path, requestSerialize, responseDeserialize } = controlService().FindLeader
  const client = new Client(address, credentials.createInsecure(), {
    'grpc.enable_channelz': 0,
    'grpc.enable_retries': 0,
    'grpc.use_local_subchannel_pool': 1,
  })
  const { promise, resolve } = Promise.withResolvers<Answer | undefined>()
  const deadline = { deadline: Date.now() + deadlineMs }
  client.makeUnaryRequest(
    path,
    requestSerialize,
    responseDeserialize,
    {},
    deadline,
    (error, response: FindLeaderResponse__Output | undefined) => {
      client.close()
      const found = error === null ? (response?.leaderAddress ?? '') : ''
      if (found === '') resolve(undefined)
      else resolve({ address: found, byLeader: response?.answeredByLeader === true })
    },
  )
  return promise
}
