import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DemoAccount, DemoDatabase } from '../src/commands/demo-events.ts'

test('the fold of the demo events keeps its sum, and every event follows the one before', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 20 }),
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
      (accounts, fractions) => {
        const database = new DemoDatabase(accounts)
        const fraction = () => fractions.next().value
        const transfers = Array.from({ length: 20 }, () => database.transfer.bind(database))
        const events = [
          ...database.begin(0),
          ...transfers.flatMap((transfer) => transfer(fraction, 1)),
        ]
        const rows = new Map<number, DemoAccount>()
        for (const { key, value } of events) {
          const { before, after } = JSON.parse(value).payload
          expect(JSON.parse(key).payload.id).toBe(after.id)
          expect(rows.get(after.id) ?? null).toEqual(before)
          rows.set(after.id, after)
        }
        const sum = [...rows.values()].reduce((total, { balance }) => total + balance, 0)
        expect(sum).toBe(accounts * 1000)
      },
    ),
  )
})
