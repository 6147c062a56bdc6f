import type { BankPipeline } from './bank-pipeline.ts'
import { BankPipeline as Bank } from './bank-pipeline.ts'
import type { Cluster } from './cluster.ts'
import type { MatrixCase } from './matrix-case.ts'
import type { Reach } from './matrix-points.ts'
import type { SupervisedProcess } from './supervised-process.ts'
import { sleep, until } from './timing.ts'

export interface Provocation {
  readonly cluster: Cluster
  readonly bank: BankPipeline
  readonly one: MatrixCase
  readonly victim: SupervisedProcess
}

type Undo = () => Promise<void>
const nothing: Undo = () => Promise.resolve()
let number = 0

/** The process that will come to the point, started anew with it; a leader leads afterwards. */
export async function arm(cluster: Cluster, one: MatrixCase): Promise<SupervisedProcess> {
  const { point, action, hit } = one
  const points = `${point.name}=${action}@${hit}`
  if (point.role === 'worker') {
    const [victim, other] = cluster.workers
    if (victim === undefined || other === undefined) throw new Error('two workers are needed')
    await cluster.restart(victim, [...before(point.reach), points].join(','))
    const others = pointsOfOther(one)
    if (others !== undefined) await cluster.restart(other, others)
    return victim
  }
  const leader = (await cluster.leader()).process
  const follower = cluster.coordinators.find(({ process }) => process !== leader)?.process
  if (follower === undefined) throw new Error('two coordinators are needed')
  await cluster.restart(follower, points)
  await leader.stop()
  leader.start()
  return follower
}

/** Pauses before the point, long enough for a hand to be faster. */
function before(reach: Reach): readonly string[] {
  switch (reach) {
    case 'taken':
    case 'broken':
      return ['sink.postgres.commit.before=delay:3000@4']
    case 'decided-broken':
      return ['worker.R4.resolve-commit.before=delay:3000@1']
    default:
      return []
  }
}

function pointsOfOther({ point, hit }: MatrixCase): string | undefined {
  const at = 6 + hit
  switch (point.reach) {
    case 'stray':
      return `worker.P4.seal.after=crash@${at}`
    case 'decided':
    case 'decided-broken':
      return `sink.postgres.commit.before=crash@${at}`
    case 'writers':
      return `sink.postgres.seal.ledger.after=freeze@${at}`
    case 'abort':
      return `worker.P4.seal.before=crash@${at}`
    default:
      return undefined
  }
}

/** Makes happen what leads to the point; the answer takes back what does not heal by itself. */
export async function provoke(on: Provocation): Promise<Undo> {
  const { cluster, bank, one } = on
  const other = cluster.workers[1]
  switch (one.point.reach) {
    case 'resolve':
      await sleep(200)
      await other?.kill()
      return nothing
    case 'takeover': {
      await bank.untilFlowing(await bank.newestCheckpoint())
      const leader = await cluster.leader()
      await Promise.all([leader.process.kill(), other?.kill('stay-down')])
      return () => Promise.resolve(other?.start())
    }
    case 'writers':
      return async () => {
        await sleep(500)
        other?.signal('SIGCONT')
      }
    case 'idle':
      await bank.untilFlowing(await bank.newestCheckpoint())
      await bank.log.stop()
      return async () => bank.log.start()
    case 'pause':
      await bank.untilFlowing(await bank.newestCheckpoint())
      await cluster.change(bank.name, 'Pause')
      return async () => {
        await cluster.untilState(bank.name, 'STATE_PAUSED')
        await cluster.change(bank.name, 'Resume')
      }
    case 'taken':
      await commitByHand(on)
      return nothing
    case 'broken':
      await untilStuck(on)
      await breakCommit(on)
      return nothing
    case 'decided-broken':
      await until('the other one has died', 30_000, () =>
        (other?.killedByItself ?? 0) > 0 ? true : undefined,
      )
      await breakCommit(on)
      return nothing
    case 'inspect':
      return secondBank(on)
    case 'create': {
      // Only the victim is there to create them.
      await other?.stop()
      const undo = await secondBank(on)
      return async () => {
        other?.start()
        await undo()
      }
    }
    case 'delete':
      return deletedBank(on)
    case 'stopped':
      return stoppedBank(on)
    case 'load':
    case 'retire':
    case 'stray':
    case 'decided':
    case 'abort':
      return nothing
  }
}

/** Commits a transaction of the victim that is decided, before the victim does. */
async function commitByHand(on: Provocation): Promise<void> {
  for (const gid of await untilStuck(on)) await on.cluster.target.query(`COMMIT PREPARED '${gid}'`)
}

/** What stays prepared longer than any commit takes. */
function untilStuck({ cluster, bank }: Provocation): Promise<readonly string[]> {
  const { target } = cluster
  return until('a commit that waits', 20_000, async () => {
    const first = await target.prepared()
    await sleep(700)
    const still = new Set(await target.prepared())
    const stuck = first.filter((gid) => still.has(gid) && gid.includes(bank.uid))
    return stuck.length > 0 ? stuck : undefined
  })
}

/** Commits wait for a standby that does not exist; the session of the one that does is ended. */
async function breakCommit({ cluster }: Provocation): Promise<void> {
  const { target } = cluster
  await target.query("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
  await target.query('SELECT pg_reload_conf()')
  try {
    await until('a commit to break', 20_000, async () => {
      const ended = await target.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'" +
          " AND query LIKE 'COMMIT PREPARED%'",
      )
      return ended.length > 0 ? true : undefined
    })
  } finally {
    await target.query('ALTER SYSTEM RESET synchronous_standby_names')
    await target.query('SELECT pg_reload_conf()')
  }
}

/** Another pipeline, created while the victim waits for it, whose tables may be missing. */
async function secondBank({ cluster, one }: Provocation): Promise<Undo> {
  number += 1
  const shape = one.point.reach === 'create' ? 'with-schema' : 'schemaless'
  const options = { name: `side-${number}`, seed: `side ${number}`, shape, parallelism: 2 } as const
  const side = await Bank.prepare(cluster, options)
  await side.log.burst(40)
  await side.apply()
  return async () => {
    const problems = await side.verdict()
    await side.close()
    if (problems.length > 0) throw new Error(`the second pipeline: ${problems.join('; ')}`)
    await cluster.change(side.name, 'Delete')
    await cluster.untilGone(side.name)
  }
}

async function deletedBank({ cluster }: Provocation): Promise<Undo> {
  number += 1
  const options = { name: `gone-${number}`, seed: `gone ${number}`, parallelism: 2 } as const
  const side = await Bank.start(cluster, options)
  await cluster.change(side.name, 'Delete')
  return async () => {
    await cluster.untilGone(side.name)
    await side.close()
    const left = (await cluster.target.prepared()).filter((gid) => gid.includes(side.uid))
    if (left.length > 0) throw new Error(`the deleted pipeline left ${left.join(', ')}`)
  }
}

/** A pipeline that must stop before it starts: its tables are required and missing. */
async function stoppedBank({ cluster }: Provocation): Promise<Undo> {
  number += 1
  const options = { name: `bad-${number}`, seed: `bad ${number}`, parallelism: 2 } as const
  const side = await Bank.prepare(cluster, options)
  await cluster.target.query(`DROP TABLE ${side.schema}.accounts`)
  await side.apply()
  return async () => {
    await cluster.untilState(side.name, 'STATE_STOPPED')
    await side.close()
    await cluster.change(side.name, 'Delete')
    await cluster.untilGone(side.name)
  }
}
