// Faults of the outside world, of the network and of people, each with what must come of it. Names
// are those of the catalogue of faults where it has one.
import { BankPipeline } from './bank-pipeline.ts'
import { type Cluster, times } from './cluster.ts'
import type { ServiceName } from './stack.ts'
import { sleep, until } from './timing.ts'

export interface FaultRun {
  readonly cluster: Cluster
  /** Under load and watched. */
  readonly bank: BankPipeline
  readonly say: (line: string) => void
}

export interface FaultCase {
  readonly name: string
  /** sample: also in the short run of every change. */
  readonly when: 'sample' | 'full'
  /** Does it, and takes it back; throws what is wrong. */
  readonly run: (on: FaultRun) => Promise<void>
}

const beyondTimeoutsMs = times.leaseTtlMs + times.workerLostMs + 1_500

async function serviceOut(
  { cluster }: FaultRun,
  service: ServiceName,
  how: { readonly out: 'kill' | 'freeze' | 'crash'; readonly forMs: number },
): Promise<void> {
  const { stack } = cluster
  if (how.out === 'crash') await stack.act('stop', service, '--mode', 'immediate')
  else await stack.act(how.out, service)
  await sleep(how.forMs)
  await stack.act(how.out === 'freeze' ? 'thaw' : 'start', service)
}

/** Cuts one worker from every coordinator. */
async function workerCut({ cluster }: FaultRun, kind: 'drop' | 'half' | 'cut'): Promise<void> {
  const [victim] = cluster.workers
  if (victim === undefined) throw new Error('no worker')
  const { pid } = victim
  for (const { control } of cluster.coordinators) control.set({ kind }, pid)
  await sleep(beyondTimeoutsMs)
  for (const { control } of cluster.coordinators) control.set({ kind: 'pass' }, pid)
}

async function frozen(process: { signal(name: NodeJS.Signals): void }): Promise<void> {
  process.signal('SIGSTOP')
  await sleep(beyondTimeoutsMs)
  process.signal('SIGCONT')
}

async function drained({ cluster, bank }: FaultRun): Promise<void> {
  const before = await cluster.pipeline(bank.name)
  const [victim] = cluster.workers
  const exit = await victim?.stop()
  if (exit?.code !== 0) throw new Error(`the drained worker ended with ${exit?.code}`)
  await bank.untilFlowing(await bank.newestCheckpoint())
  const after = await cluster.pipeline(bank.name)
  if (after.restarts > 0) throw new Error('the drain counted as a failure')
  const { checkpoints } = await cluster
    .admin()
    .call('ListCheckpoints', { parent: `pipelines/${bank.name}`, pageSize: 100 })
  const aborted = checkpoints.filter(
    (one) => one.state === 'STATE_ABORTED' && Number(one.attempt) >= Number(before.attempt),
  )
  if (aborted.length > 0) throw new Error(`the drain aborted ${aborted[0]?.checkpoint}`)
  victim?.start()
  await cluster.untilWorkers(cluster.workers.length)
}

async function joined({ cluster, bank }: FaultRun): Promise<void> {
  const worker = cluster.addWorker(`w${cluster.workers.length + 1}`)
  await until(`${worker.name} has tasks`, 30_000, async () => {
    const { workers } = await cluster.admin().call('ListWorkers', { pageSize: 20 })
    const tasks = workers.find(({ name }) => name === `workers/${worker.name}`)?.tasks ?? []
    return tasks.some(({ pipeline }) => pipeline === `pipelines/${bank.name}`) ? true : undefined
  })
  await bank.untilFlowing(await bank.newestCheckpoint())
  await worker.stop()
  cluster.workers.splice(cluster.workers.indexOf(worker), 1)
}

const mine = async ({ cluster }: FaultRun, uid: string): Promise<readonly string[]> =>
  (await cluster.target.prepared()).filter((gid) => gid.includes(uid))

async function paused(on: FaultRun): Promise<void> {
  const { cluster, bank } = on
  await cluster.change(bank.name, 'Pause')
  await cluster.untilState(bank.name, 'STATE_PAUSED')
  const left = await mine(on, bank.uid)
  if (left.length > 0) throw new Error(`paused, and still prepared: ${left.join(', ')}`)
  await cluster.change(bank.name, 'Resume')
  await cluster.untilState(bank.name, 'STATE_RUNNING')
}

async function specChanged({ cluster, bank }: FaultRun): Promise<void> {
  for (const parallelism of [2, 4]) {
    const seen = await bank.newestCheckpoint()
    await bank.apply({ parallelism })
    await until(`${parallelism} tasks`, 30_000, async () =>
      (await cluster.pipeline(bank.name)).tasks === parallelism ? true : undefined,
    )
    await bank.untilFlowing(seen + 1n)
  }
}

let sides = 0
const sideOptions = (kind: string) => {
  sides += 1
  return { name: `${kind}-${sides}`, seed: `${kind} ${sides}`, parallelism: 2 }
}

/** The same name again is another pipeline: it begins anew, and ends in the same rows. */
async function recreated(on: FaultRun): Promise<void> {
  const { cluster } = on
  const side = await BankPipeline.start(cluster, sideOptions('again'))
  await side.log.burst(300)
  const first = side.uid
  await cluster.change(side.name, 'Delete')
  await cluster.untilGone(side.name)
  const left = await mine(on, first)
  if (left.length > 0) throw new Error(`deleted, and still prepared: ${left.join(', ')}`)
  await side.log.burst(50)
  await side.apply()
  if (side.uid === first) throw new Error('the new pipeline has the uid of the old one')
  await finish(on, side)
}

async function finish({ cluster }: FaultRun, side: BankPipeline): Promise<void> {
  const problems = await side.verdict()
  await side.close()
  await cluster.change(side.name, 'Delete')
  await cluster.untilGone(side.name)
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

/** Decided, and rolled back by a human before the worker has committed it: said, never skipped. */
async function rolledBackByHand(on: FaultRun): Promise<void> {
  await atHand(on, {
    point: 'sink.postgres.commit.before=delay:4000@1',
    sql: 'ROLLBACK PREPARED',
    afterwards: 'nothing',
    code: 'DATA_LOSS',
  })
}

/** Committed by a human before it is decided. */
async function committedByHand(on: FaultRun): Promise<void> {
  await atHand(on, {
    point: 'worker.P5.acknowledge.before=delay:20000@1',
    sql: 'COMMIT PREPARED',
    afterwards: 'kill',
    code: 'SINK_AHEAD',
  })
}

async function atHand(
  on: FaultRun,
  hand: {
    readonly point: string
    readonly sql: 'ROLLBACK PREPARED' | 'COMMIT PREPARED'
    readonly afterwards: 'kill' | 'nothing'
    readonly code: string
  },
): Promise<void> {
  const { cluster, bank } = on
  const { target } = cluster
  const side = await BankPipeline.prepare(cluster, { ...sideOptions('hand'), parallelism: 1 })
  // Nothing but the side pipeline may come to the point.
  await bank.log.stop()
  await cluster.change(bank.name, 'Pause')
  await cluster.untilState(bank.name, 'STATE_PAUSED')
  for (const worker of cluster.workers) await cluster.restart(worker, hand.point)
  await side.apply()
  await until('a transaction at hand', 30_000, async () => {
    const gids = await mine(on, side.uid)
    await sleep(600)
    const still = new Set(await mine(on, side.uid))
    const gid = gids.find((one) => still.has(one))
    if (gid === undefined) return undefined
    await target.query(`${hand.sql} '${gid}'`)
    return true
  })
  if (hand.afterwards === 'kill') for (const worker of cluster.workers) await worker.kill()
  await cluster.untilState(side.name, 'STATE_STOPPED', 60_000)
  const { failure } = await cluster.pipeline(side.name)
  await side.close()
  await cluster.change(side.name, 'Delete')
  for (const worker of cluster.workers)
    if (hand.afterwards === 'nothing') await cluster.restart(worker)
  await cluster.change(bank.name, 'Resume')
  await cluster.untilState(bank.name, 'STATE_RUNNING')
  bank.log.start()
  if (failure?.code !== hand.code) {
    throw new Error(`stopped with ${failure?.code}, not ${hand.code}: ${failure?.detail}`)
  }
}

export const faultCases: readonly FaultCase[] = [
  { name: 'drain of a worker', when: 'sample', run: drained },
  { name: 'a joining worker gets its share', when: 'sample', run: joined },
  { name: 'pause and resume', when: 'sample', run: paused },
  { name: 'a changed spec', when: 'full', run: specChanged },
  { name: 'a re-created pipeline name', when: 'full', run: recreated },
  {
    name: 'fault-089 etcd killed and restarted',
    when: 'sample',
    run: (on) => serviceOut(on, 'etcd-1', { out: 'kill', forMs: 500 }),
  },
  {
    name: 'fault-013 etcd frozen past the lease',
    when: 'full',
    run: (on) => serviceOut(on, 'etcd-1', { out: 'freeze', forMs: beyondTimeoutsMs }),
  },
  {
    name: 'fault-056 PostgreSQL stopped at once and restarted',
    when: 'sample',
    run: (on) => serviceOut(on, 'target', { out: 'crash', forMs: 1_000 }),
  },
  {
    name: 'Kafka broker killed and restarted',
    when: 'full',
    run: (on) => serviceOut(on, 'kafka-1', { out: 'kill', forMs: 1_000 }),
  },
  {
    name: 'fault-016 a worker cut from the leader',
    when: 'full',
    run: (on) => workerCut(on, 'cut'),
  },
  {
    name: 'fault-097 a black hole before the leader',
    when: 'sample',
    run: (on) => workerCut(on, 'drop'),
  },
  {
    name: 'fault-017 a worker that is heard and hears nothing',
    when: 'full',
    run: (on) => workerCut(on, 'half'),
  },
  {
    name: 'fault-015 the leader cut from etcd',
    when: 'full',
    run: async ({ cluster }) => {
      const { etcd } = await cluster.leader()
      etcd.set({ kind: 'drop' })
      await sleep(beyondTimeoutsMs)
      etcd.set({ kind: 'pass' })
    },
  },
  {
    name: 'fault-011 a frozen leader thaws under a new one',
    when: 'full',
    run: async ({ cluster }) => frozen((await cluster.leader()).process),
  },
  {
    name: 'fault-028 a frozen worker thaws as a zombie',
    when: 'full',
    run: async ({ cluster }) => {
      const [victim] = cluster.workers
      if (victim !== undefined) await frozen(victim)
    },
  },
  {
    name: 'fault-064 a decided transaction rolled back by hand',
    when: 'full',
    run: rolledBackByHand,
  },
  {
    name: 'fault-065 an undecided transaction committed by hand',
    when: 'full',
    run: committedByHand,
  },
]

export interface FaultResult {
  readonly name: string
  readonly problems: readonly string[]
  /** From the end of the fault to the first new committed ledger row. */
  readonly recoveryMs: number | undefined
  readonly tookMs: number
}

/** Under load, watched; at rest afterwards everything must be right. */
export async function runFault(on: FaultRun, one: FaultCase): Promise<FaultResult> {
  const { bank, cluster } = on
  const began = performance.now()
  const problems: string[] = []
  let recoveryMs: number | undefined
  bank.watch()
  bank.log.start()
  try {
    await bank.untilFlowing(await bank.newestCheckpoint())
    await one.run(on)
    const healedMs = performance.now()
    const seen = await until('the target answers', 60_000, () => bank.newestCheckpoint())
    await bank.untilFlowing(seen, 60_000)
    recoveryMs = Math.round(performance.now() - healedMs)
    await sleep(500)
    await bank.log.stop()
    problems.push(...(await bank.verdict()))
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
  } finally {
    await bank.log.stop()
    problems.push(...(await bank.unwatch()))
  }
  if (problems.length > 0) on.say(await cluster.account(bank.name))
  await cluster.heal()
  return { name: one.name, problems, recoveryMs, tookMs: Math.round(performance.now() - began) }
}
