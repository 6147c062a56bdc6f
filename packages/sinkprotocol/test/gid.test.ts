import { sinkName } from '@onceflow/model'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildGid, gidBytesMax, gidPrefix, isOfSink, parseGid } from '../src/index.ts'
import { gidOf, identity, rowOf } from './fake-database.ts'

describe('SP-3: a gid', () => {
  test('is read as it was built', () => {
    const number = fc.bigInt({ min: 0n, max: 9_223_372_036_854_775_807n })
    fc.assert(
      fc.property(fc.nat({ max: 9_999 }), number, number, (task, n, a) => {
        const fields = { ...identity, ...rowOf(task, 0, 0), checkpoint: n, attempt: a }
        const gid = buildGid(fields as Parameters<typeof buildGid>[0])
        expect(parseGid(gid)).toEqual({ ...fields, subtask: task })
        expect(gid.startsWith(gidPrefix(identity))).toBe(true)
      }),
    )
  })

  test('fits with the longest of all names', () => {
    const long = {
      cluster: 'c'.repeat(32),
      pipeline: 'p'.repeat(32),
      sink: `s${'-'.repeat(62)}`,
      subtask: 9_999,
      checkpoint: 9_223_372_036_854_775_807n,
      attempt: 9_223_372_036_854_775_807n,
    } as unknown as Parameters<typeof buildGid>[0]
    expect(buildGid(long).length).toBeLessThanOrEqual(gidBytesMax)
  })

  const whole = gidOf(rowOf(0, 1, 2))
  test.each([
    '',
    'onceflow',
    whole.slice(0, -2),
    `${whole}:3`,
    whole.replace('onceflow:', 'onceflow-'),
    whole.replace(':0:', ':00:'),
    whole.replace(':0:', ':-1:'),
    whole.replace(':1:', ':0x1:'),
    whole.toUpperCase(),
    ` ${whole}`,
    `${whole}\n`,
    `${whole}${'0'.repeat(200)}`,
  ])('that is none is not read: %j', (gid) => {
    expect(parseGid(gid)).toBeUndefined()
  })

  test('of a sink whose name only begins alike is another sink', () => {
    const other = { ...identity, sink: sinkName('target-2') }
    const fields = parseGid(buildGid({ ...other, ...rowOf(0, 1, 2) }))
    expect(fields !== undefined && isOfSink(fields, identity)).toBe(false)
    expect(gidOf(rowOf(0, 1, 2)).startsWith(gidPrefix(other))).toBe(false)
  })
})
