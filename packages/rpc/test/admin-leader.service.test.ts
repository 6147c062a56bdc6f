import { pipelineName } from '@onceflow/model'
import { MemoryAdmin } from '@onceflow/twins'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AdminClient } from '../src/index.ts'
import { document, refusalOf, struct } from './admin-calls.ts'
import { type Coordinator, Stage, systemClock } from './control-plane.ts'

const stage = new Stage()
afterEach(() => stage.clear())
let admin: MemoryAdmin
let leader: Coordinator
let client: AdminClient

beforeEach(async () => {
  admin = new MemoryAdmin()
  leader = await stage.coordinator({ admin })
  leader.server.gate.accept()
  client = clientOf(leader.address)
})

function clientOf(...addresses: string[]): AdminClient {
  const made = new AdminClient({ addresses, clock: systemClock, deadlineMs: 5000 })
  stage.later(() => made.close())
  return made
}

const create = () => client.call('CreatePipeline', { pipeline: struct(document()) })

describe('who does not lead', () => {
  test('names the leader, and the client goes there', async () => {
    const follower = await stage.coordinator({ admin: new MemoryAdmin() })
    follower.server.gate.redirect(leader.address)
    await create()
    const { pipelines } = await clientOf(follower.address).call('ListPipelines', {})
    expect(pipelines).toHaveLength(1)
  })

  test('is left when the leadership moves, also for a change', async () => {
    await create()
    const next = await stage.coordinator({ admin })
    next.server.gate.accept()
    leader.server.gate.redirect(next.address)
    await client.call('PausePipeline', { name: 'pipelines/shop' })
    expect(admin.pipelines.get(pipelineName('shop'))?.state).toBe('paused')
  })

  test('is left when it does not answer in time and another one leads', async () => {
    const frozen = new MemoryAdmin()
    frozen.getStatus = () => new Promise(() => undefined)
    const old = await stage.coordinator({ admin: frozen })
    old.server.gate.accept()
    leader.server.gate.redirect(undefined)
    const addresses = [old.address, leader.address]
    const patient = new AdminClient({ addresses, clock: systemClock, deadlineMs: 500 })
    stage.later(() => patient.close())
    await refusalOf(patient.call('GetStatus', {}))
    leader.server.gate.accept()
    const { pipelines } = await patient.call('ListPipelines', {})
    expect(pipelines).toEqual([])
    await expect(patient.call('GetStatus', {})).resolves.toMatchObject({ status: {} })
  })

  test('nobody at all is a failure that can be repeated', async () => {
    const refused = await refusalOf(clientOf('127.0.0.1:1').call('GetStatus', {}))
    expect(refused.failure).toMatchObject({ code: 'COORDINATOR_UNREACHABLE', class: 'retry' })
  })
})
