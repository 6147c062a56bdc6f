// The crash matrix as a program: scripts/crash-matrix says how it is used.
import { type Action, caseOf, type MatrixCase } from '../harness/matrix-case.ts'
import { matrixPoints } from '../harness/matrix-points.ts'
import { runMatrix } from '../harness/matrix-run.ts'
import { randomOf } from '../harness/random.ts'
import { LocalStack } from '../harness/stack.ts'

const words = process.argv.slice(2)
const valueOf = (flag: string): string | undefined => words[words.indexOf(flag) + 1]
const seed = process.env['ONCEFLOW_SEED'] ?? String(Date.now())
const only = words.includes('--only') ? new RegExp(valueOf('--only') ?? '') : /./
const actions: readonly Action[] = words.includes('--crash')
  ? ['crash']
  : words.includes('--freeze')
    ? ['freeze']
    : ['crash', 'freeze']
const random = randomOf(seed)
const cases: MatrixCase[] = actions.flatMap((action) =>
  matrixPoints
    .filter(({ name }) => only.test(name))
    .map((point) => caseOf(point, action, random)),
)
const say = (line: string): void => console.log(line)
say(`seed ${seed}, ${cases.length} cases`)
const stack = await LocalStack.start()
try {
  const results = await runMatrix({ stack, seed, cases, say })
  const bad = results.filter(({ outcome }) => outcome !== 'clean')
  say(`${results.length - bad.length} clean, ${bad.length} not`)
  process.exitCode = bad.length === 0 ? 0 : 1
} finally {
  if (process.env['ONCEFLOW_KEEP'] === undefined) await stack.wipe()
  else say(`kept ${stack.folder}`)
}
