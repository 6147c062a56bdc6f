import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faultCases } from './harness/fault-cases.ts'
import { StandingCluster } from './harness/fault-run.ts'
import { LocalStack, stackIsThere } from './harness/stack.ts'

const isThere = stackIsThere()
const isFull = process.env['ONCEFLOW_TEST_FULL'] === '1'
const seed = process.env['ONCEFLOW_SEED'] ?? String(Date.now())

let stack: LocalStack | undefined
let standing: StandingCluster | undefined

beforeAll(async () => {
  if (!isThere) return
  stack = await LocalStack.start()
  standing = new StandingCluster(stack, seed)
}, 300_000)

afterAll(async () => {
  await standing?.close()
  await stack?.wipe()
}, 60_000)

describe.skipIf(!isThere)(`real processes under faults (seed ${seed})`, () => {
  const cases = faultCases.filter(({ when }) => isFull || when === 'sample')
  test.each(cases)('$name', { timeout: 240_000 }, async (one) => {
    if (standing === undefined) throw new Error('no cluster')
    const result = await standing.run(one, (line) => console.log(line))
    expect(result.problems).toEqual([])
  })
})
