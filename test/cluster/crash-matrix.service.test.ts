import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { caseName } from './harness/matrix-case.ts'
import { matrixPoints } from './harness/matrix-points.ts'
import { casesOf, runMatrix, sampleOf } from './harness/matrix-run.ts'
import { LocalStack, stackIsThere } from './harness/stack.ts'

const isThere = stackIsThere()
const isFull = process.env['ONCEFLOW_TEST_FULL'] === '1'
const seed = process.env['ONCEFLOW_SEED'] ?? String(Date.now())
const cases = isFull ? casesOf(seed, ['crash', 'freeze']) : sampleOf(seed, { crash: 8, freeze: 2 })

let stack: LocalStack | undefined

beforeAll(async () => {
  if (isThere) stack = await LocalStack.start()
}, 300_000)

afterAll(async () => {
  await stack?.wipe()
}, 60_000)

test('every step of a checkpoint has its places to die: at least forty', () => {
  expect(matrixPoints.length).toBeGreaterThanOrEqual(40)
  expect(new Set(matrixPoints.map(({ name }) => name)).size).toBe(matrixPoints.length)
})

describe.skipIf(!isThere)(`crash matrix (seed ${seed})`, () => {
  test(cases.map(caseName).join(', '), { timeout: cases.length * 90_000 }, async () => {
    if (stack === undefined) throw new Error('no stack')
    const results = await runMatrix({ stack, seed, cases, say: (line) => console.log(line) })
    const wrong = results.filter(({ outcome }) => outcome !== 'clean')
    expect(wrong.map(({ case: one, problems }) => [caseName(one), ...problems])).toEqual([])
    expect(results).toHaveLength(cases.length)
  })
})
