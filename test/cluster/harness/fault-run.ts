import { BankPipeline } from './bank-pipeline.ts'
import { Cluster } from './cluster.ts'
import { type FaultCase, type FaultResult, runFault } from './fault-cases.ts'
import type { LocalStack } from './stack.ts'

/** A cluster that stands until a case went wrong on it; then a fresh one. */
export class StandingCluster {
  readonly #stack: LocalStack
  readonly #seed: string
  #made = 0
  #now: { readonly cluster: Cluster; readonly bank: BankPipeline } | undefined

  constructor(stack: LocalStack, seed: string) {
    this.#stack = stack
    this.#seed = seed
  }

  async get(): Promise<{ readonly cluster: Cluster; readonly bank: BankPipeline }> {
    if (this.#now !== undefined) return this.#now
    this.#made += 1
    const name = `faults-${this.#made}`
    const stack = this.#stack
    const cluster = await Cluster.start({ stack, name, coordinators: 2, workers: 2 })
    const options = { name: `bank-faults-${this.#made}`, seed: this.#seed }
    this.#now = { cluster, bank: await BankPipeline.start(cluster, options) }
    return this.#now
  }

  async run(one: FaultCase, say: (line: string) => void): Promise<FaultResult> {
    const on = await this.get()
    const result = await runFault({ ...on, say }, one)
    const { recoveryMs, tookMs, problems } = result
    const word = problems.length === 0 ? 'clean' : 'wrong'
    say(`${word} ${one.name}: going again after ${recoveryMs} ms, ${tookMs} ms in all`)
    if (problems.length === 0) return result
    for (const problem of problems) say(`    ${problem}`)
    say(on.cluster.tails())
    await this.close()
    return result
  }

  async close(): Promise<void> {
    await this.#now?.bank.close()
    await this.#now?.cluster.close()
    this.#now = undefined
  }
}

export async function runFaults(run: {
  readonly stack: LocalStack
  readonly seed: string
  readonly cases: readonly FaultCase[]
  readonly say: (line: string) => void
}): Promise<readonly FaultResult[]> {
  const standing = new StandingCluster(run.stack, run.seed)
  const results: FaultResult[] = []
  try {
    for (const one of run.cases) results.push(await standing.run(one, run.say))
  } finally {
    await standing.close()
  }
  return results
}
