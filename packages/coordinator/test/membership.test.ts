import { incarnation, leaderEpoch, workerId } from '@onceflow/model'
import type { LinkId } from '@onceflow/ports'
import { expect, test } from 'vitest'
import { Membership } from '../src/membership.ts'

const hello = (process: string) => ({
  kind: 'hello' as const,
  worker: workerId('w1'),
  incarnation: incarnation(process),
  version: '0.1.0',
  seen: leaderEpoch(0n),
  tasksMax: 16,
  tasks: [],
})
const at = { nowMs: 0, wallMs: 0 }

test('a process whose id is taken is told so, a silent one that it was not heard', () => {
  const members = new Membership({ goneAfterMs: 1_000, silentAfterMs: 5_000 })
  members.hello('link-1' as LinkId, hello('first'), at)
  const [refused] = members.hello('link-2' as LinkId, hello('second'), at).changes
  if (refused === undefined) expect.fail('the second one is refused')
  expect(refused).toMatchObject({ kind: 'refused', member: { incarnation: 'second' } })
  expect(members.causeOfEnd(refused.member)).toContain('another process is the worker w1')
  expect(members.byLink('link-1' as LinkId)?.incarnation).toBe('first')
  const [silent] = members.tick(6_000).changes
  if (silent === undefined) expect.fail('the first one is lost')
  expect(members.causeOfEnd(silent.member)).toBe('no heartbeat')
})
