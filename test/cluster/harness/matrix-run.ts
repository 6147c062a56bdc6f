import { BankPipeline } from './bank-pipeline.ts'
import { Cluster } from './cluster.ts'
import {
  type Action,
  type CaseResult,
  caseName,
  caseOf,
  type MatrixCase,
  runCase,
} from './matrix-case.ts'
import { matrixPoints } from './matrix-points.ts'
import { randomOf } from './random.ts'
import type { LocalStack } from './stack.ts'

export interface MatrixRun {
  readonly stack: LocalStack
  readonly seed: string
  readonly cases: readonly MatrixCase[]
  readonly say: (line: string) => void
}

/** Every point with each action; the seed chooses the hits. */
export function casesOf(seed: string, actions: readonly Action[]): readonly MatrixCase[] {
  const random = randomOf(`cases ${seed}`)
  return actions.flatMap((action) => matrixPoints.map((point) => caseOf(point, action, random)))
}

/** Some of them, chosen by the seed; those that need a minute each are left to the full run. */
export function sampleOf(
  seed: string,
  counts: Readonly<Record<Action, number>>,
): readonly MatrixCase[] {
  const random = randomOf(`sample ${seed}`)
  return (['crash', 'freeze'] as const).flatMap((action) => {
    const left = casesOf(seed, [action]).filter(({ point }) => point.reach !== 'retire')
    const chosen: MatrixCase[] = []
    while (chosen.length < counts[action]) {
      chosen.push(...left.splice(random.below(left.length), 1))
    }
    return chosen
  })
}

/** A fresh cluster now and then: the tables stay small, and a broken one spoils few cases. */
const casesPerCluster = 25

/** All cases, one after the other; a case that went wrong is followed by a fresh cluster. */
export async function runMatrix(run: MatrixRun): Promise<readonly CaseResult[]> {
  const { stack, seed, cases, say } = run
  const results: CaseResult[] = []
  let cluster: Cluster | undefined
  let bank: BankPipeline | undefined
  const end = async (): Promise<void> => {
    // Of a cluster on which a case went wrong everything has been told already.
    const last = results.at(-1)
    if (cluster !== undefined && bank !== undefined && last?.outcome === 'clean') {
      const found = await cluster.audit(bank.name)
      for (const problem of found) say(`    ${problem}`)
      if (found.length > 0)
        results[results.length - 1] = { ...last, outcome: 'wrong', problems: found }
      else say(`    the audit of ${bank.name} is clean`)
    }
    await bank?.close()
    await cluster?.close()
    cluster = undefined
    bank = undefined
  }
  try {
    for (const [index, one] of cases.entries()) {
      if (index % casesPerCluster === 0) await end()
      if (cluster === undefined || bank === undefined) {
        const name = `matrix-${index}`
        cluster = await Cluster.start({ stack, name, coordinators: 2, workers: 2 })
        bank = await BankPipeline.start(cluster, {
          name: `bank-${index}`,
          seed: `${seed} ${index}`,
        })
      }
      const result = await runCase({ cluster, bank, say }, one)
      results.push(result)
      say(`[${index + 1}/${cases.length}] ${lineOf(result)}`)
      if (result.outcome === 'clean') continue
      for (const problem of result.problems) say(`    ${problem}`)
      say(cluster.tails())
      await end()
    }
  } finally {
    await end()
  }
  return results
}

const lineOf = ({ case: one, outcome, recoveryMs, tookMs }: CaseResult): string =>
  `${outcome} ${caseName(one)}: ${
    recoveryMs === undefined ? 'no recovery' : `recovered in ${recoveryMs} ms`
  }, ${(tookMs / 1000).toFixed(1)} s in all`
