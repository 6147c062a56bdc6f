// The crash matrix as a program: scripts/crash-matrix says how it is used.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FaultCase, faultCases } from '../harness/fault-cases.ts'
import { runFaults } from '../harness/fault-run.ts'
import type { Action, CaseResult, MatrixCase } from '../harness/matrix-case.ts'
import { reportOf, summaryOf } from '../harness/matrix-report.ts'
import { casesOf, runMatrix, sampleOf } from '../harness/matrix-run.ts'
import { LocalStack } from '../harness/stack.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const words = process.argv.slice(2)
const has = (flag: string): boolean => words.includes(flag)
const seed = process.env['ONCEFLOW_SEED'] ?? String(Date.now())
const isFull = has('--full')

function chosen(): readonly MatrixCase[] {
  const actions: readonly Action[] = has('--crash')
    ? ['crash']
    : has('--freeze')
      ? ['freeze']
      : ['crash', 'freeze']
  const at = words.indexOf('--only')
  if (at !== -1) {
    const only = new RegExp(words[at + 1] ?? '')
    return casesOf(seed, actions).filter(({ point }) => only.test(point.name))
  }
  if (has('--faults') && !isFull) return []
  return isFull ? casesOf(seed, actions) : sampleOf(seed, { crash: 8, freeze: 2 })
}

function chosenFaults(): readonly FaultCase[] {
  const at = words.indexOf('--faults')
  if (at === -1) return isFull ? faultCases : []
  const only = new RegExp(words[at + 1] ?? '')
  return faultCases.filter(({ name }) => only.test(name))
}

const say = (line: string): void => console.log(line)
const cases = chosen()
say(`seed ${seed}, ${cases.length} cases`)
// Of the beginning: what is being run, even if somebody commits meanwhile.
const revision = String(execFileSync('git', ['-C', root, 'rev-parse', '--short', 'HEAD'])).trim()
const stack = await LocalStack.start()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void stack.wipe().finally(() => process.exit(130))
  })
}
try {
  const results: readonly CaseResult[] = await runMatrix({ stack, seed, cases, say })
  const faults = await runFaults({ stack, seed, cases: chosenFaults(), say })
  for (const line of summaryOf(results, faults)) say(line)
  if (isFull) {
    const folder = join(root, 'docs', 'reports')
    mkdirSync(folder, { recursive: true })
    const about = { seed, revision }
    writeFileSync(join(folder, 'crash-matrix.md'), reportOf(results, faults, about))
    say('written: docs/reports/crash-matrix.md')
  }
  const isClean =
    results.every(({ outcome }) => outcome === 'clean') &&
    faults.every(({ problems }) => problems.length === 0)
  process.exitCode = isClean ? 0 : 1
} finally {
  if (process.env['ONCEFLOW_KEEP'] === undefined) await stack.wipe()
  else say(`kept ${stack.folder}`)
}
