// One cell of the crash matrix: a process dies or freezes at a named place under load; afterwards
// everything must be right.
import type { BankPipeline } from './bank-pipeline.ts'
import { type Cluster, times } from './cluster.ts'
import type { MatrixPoint } from './matrix-points.ts'
import { arm, provoke } from './matrix-reach.ts'
import type { Random } from './random.ts'
import type { SupervisedProcess } from './supervised-process.ts'
import { sleep, until } from './timing.ts'

export type Action = 'crash' | 'freeze'

export interface MatrixCase {
  readonly point: MatrixPoint
  readonly action: Action
  readonly hit: number
}

export interface CaseResult {
  readonly case: MatrixCase
  /** not-reached: the process never came to the point, which is a fault of the matrix. */
  readonly outcome: 'clean' | 'wrong' | 'not-reached'
  readonly problems: readonly string[]
  /** From the hit to the first new committed ledger row. */
  readonly recoveryMs: number | undefined
  readonly tookMs: number
}

const hitWithinMs = 30_000
/** Records are kept for a minute. */
const retireWithinMs = 120_000

export const caseName = ({ point, action, hit }: MatrixCase): string =>
  `${action} ${point.name}@${hit}`

export const caseOf = (point: MatrixPoint, action: Action, random: Random): MatrixCase => ({
  point,
  action,
  hit: 1 + random.below(point.hitsMax),
})

export interface CaseRun {
  readonly cluster: Cluster
  readonly bank: BankPipeline
  readonly say: (line: string) => void
}

export async function runCase(on: CaseRun, one: MatrixCase): Promise<CaseResult> {
  const { cluster, bank } = on
  const began = performance.now()
  const took = (): number => Math.round(performance.now() - began)
  let recoveryMs: number | undefined
  const problems: string[] = []
  bank.watch()
  bank.log.start()
  try {
    const victim = await arm(cluster, one)
    const undo = await provoke({ cluster, bank, one, victim })
    const hit = await untilHit(victim, one)
    if (hit === 'not-reached') {
      problems.push(`${one.point.name} was not reached`)
    } else {
      const atMs = performance.now()
      const seen = await bank.newestCheckpoint()
      await undo()
      await bank.untilFlowing(seen + 1n, 60_000)
      recoveryMs = Math.round(performance.now() - atMs)
      if (one.action === 'freeze') {
        await sleep(Math.max(0, times.freezeMs - (performance.now() - atMs)))
        victim.signal('SIGCONT')
      }
      await sleep(500)
    }
    await bank.log.stop()
    problems.push(...(await bank.verdict()))
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
  } finally {
    await bank.log.stop()
    problems.push(...(await bank.unwatch()))
  }
  if (problems.length > 0) on.say(await cluster.account(bank.name))
  const missed = problems.some((problem) => problem.includes('was not reached'))
  const outcome = problems.length === 0 ? 'clean' : missed ? 'not-reached' : 'wrong'
  await cluster.heal()
  return { case: one, outcome, problems, recoveryMs, tookMs: took() }
}

async function untilHit(
  victim: SupervisedProcess,
  one: MatrixCase,
): Promise<'hit' | 'not-reached'> {
  const isHit = (): boolean =>
    one.action === 'freeze' ? victim.isFrozen() : victim.killedByItself > 0
  const withinMs = one.point.reach === 'retire' ? retireWithinMs : hitWithinMs
  try {
    return await until(one.point.name, withinMs, () => (isHit() ? 'hit' : undefined))
  } catch {
    return 'not-reached'
  }
}
