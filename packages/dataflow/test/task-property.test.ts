import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Cut, reduceTask, type TaskEffect, type TaskEvent } from '../src/index.ts'
import {
  a,
  abort,
  barrier,
  batch,
  commit,
  invoked,
  linkUp,
  opening,
  outcome,
  polled,
  sealed,
  stamp,
  stepFailed,
  stopTasks,
  superseded,
} from './task-fixture.ts'

// A world around one task: it answers effects in any order, and sends any message at any time.
// Each move is taken when it is possible, so every sequence is one that can happen.

type Move =
  | { readonly kind: 'answer'; readonly which: number; readonly how: number }
  | { readonly kind: 'say'; readonly event: TaskEvent }

const small = fc.integer({ min: 10, max: 16 })
const says: fc.Arbitrary<TaskEvent> = fc.oneof(
  { weight: 6, arbitrary: small.map((value) => barrier(value)) },
  { weight: 1, arbitrary: small.map((value) => barrier(value, 'yes')) },
  { weight: 8, arbitrary: small.map((value) => commit(value)) },
  { weight: 1, arbitrary: small.map((value) => abort(value)) },
  { weight: 1, arbitrary: small.map((v) => abort(v, { ...stamp, attempt: a(2) }, a(3))) },
  { weight: 1, arbitrary: small.map((v) => abort(v, { ...stamp, attempt: a(4) }, a(5))) },
  { weight: 2, arbitrary: fc.constant(linkUp) },
  { weight: 1, arbitrary: fc.constantFrom(superseded, stopTasks, stepFailed('poll')) },
)
const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('answer' as const),
        which: fc.nat(9),
        how: fc.nat(9),
      }),
    },
    { weight: 1, arbitrary: says.map((event): Move => ({ kind: 'say', event })) },
  ),
  { maxLength: 120 },
)

class World {
  state = opening
  open: TaskEffect[] = []
  opening: 'yes' | 'no' = 'yes'
  next = 0
  lastCut: Cut | undefined
  readonly sealedNow = new Set<bigint>()
  readonly permitted = new Set<bigint>()
  readonly aborted = new Set<bigint>()
  readonly confirmed = new Set<bigint>()

  take(event: TaskEvent): void {
    if (event.kind === 'commit') this.permitted.add(event.permit.checkpoint)
    if (event.kind === 'abort' && event.next === stamp.attempt + 1n) {
      if (event.checkpoint !== undefined) this.aborted.add(event.checkpoint)
    }
    const step = reduceTask(this.state, event)
    this.state = step.state
    for (const effect of step.effects) this.check(effect)
  }

  check(effect: TaskEffect): void {
    switch (effect.kind) {
      case 'seal':
        expect(this.open.some(({ kind }) => kind === 'seal')).toBe(false)
        expect(this.sealedNow).toEqual(new Set())
        expect(effect.cut.from).toEqual(this.lastCut?.to ?? opening.positions)
        for (const [index, { offset }] of effect.cut.to.entries()) {
          expect(offset >= (effect.cut.from[index]?.offset ?? 0n)).toBe(true)
        }
        this.lastCut = effect.cut
        this.sealedNow.add(effect.cut.checkpoint)
        break
      case 'commit':
        expect(this.permitted).toContain(effect.permit.checkpoint)
        expect(this.sealedNow).toContain(effect.permit.checkpoint)
        break
      case 'close':
        if (effect.rollBack !== undefined) {
          expect(this.aborted).toContain(effect.rollBack)
          expect(this.open.some(({ kind }) => kind === 'seal' || kind === 'commit')).toBe(false)
          expect(this.confirmed).not.toContain(effect.rollBack)
        }
        break
      case 'invoke':
        expect(this.open.some(({ kind }) => kind === 'invoke')).toBe(false)
        break
      case 'send':
        if (effect.message.kind === 'committed' && effect.message.outcome.kind === 'done') {
          this.sealedNow.delete(effect.message.checkpoint)
          this.confirmed.add(effect.message.checkpoint)
        }
        return
      case 'poll':
      case 'wait':
      case 'publish':
      case 'close-reader':
        break
    }
    if (effect.kind !== 'publish' && effect.kind !== 'close-reader') this.open.push(effect)
  }

  answer(which: number, how: number): void {
    if (this.opening === 'yes') {
      this.opening = 'no'
      this.take(how === 0 ? stepFailed('open') : { kind: 'opened' })
      return
    }
    const effect = this.open.splice(which % Math.max(1, this.open.length), 1)[0]
    if (effect !== undefined) this.take(this.answerTo(effect, how))
  }

  answerTo(effect: TaskEffect, how: number): TaskEvent {
    switch (effect.kind) {
      case 'poll':
        this.next += how
        return how < 2 ? polled() : polled(batch(this.next - 1), batch(this.next))
      case 'invoke':
        return how === 0 ? stepFailed('invoke') : invoked(how > 7 ? 'full' : 'accepted')
      case 'seal':
        if (how === 0) return stepFailed('seal')
        return sealed(Number(effect.cut.checkpoint), how === 1 ? 'empty' : 'sealed')
      case 'commit': {
        const kind = how === 0 ? 'lost' : how < 4 ? 'unknown' : 'committed'
        const sink = effect.sink === 'one' ? 0 : 1
        return outcome(Number(effect.permit.checkpoint), sink, kind)
      }
      case 'wait':
        return { kind: 'tick', timer: effect.timer }
      case 'close':
        return { kind: 'closed' }
      case 'send':
      case 'publish':
      case 'close-reader':
        return superseded
    }
  }
}

test('DF-1 to DF-4: in every world seals are alone, permitted, and rolled back only by Abort', () => {
  fc.assert(
    fc.property(moves, (sequence) => {
      const world = new World()
      for (const move of sequence) {
        if (move.kind === 'answer') world.answer(move.which, move.how)
        else world.take(move.event)
      }
      expect(world.confirmed.size).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 3_000 },
  )
})

test('a long run commits many checkpoints: the world above is not an empty one', () => {
  const world = new World()
  for (let value = 11; value < 60; value += 1) {
    for (let turn = 0; turn < 12; turn += 1) world.answer(0, 5)
    world.take(barrier(value))
    for (let turn = 0; turn < 12; turn += 1) world.answer(0, 5)
    world.take(commit(value))
    for (let turn = 0; turn < 12; turn += 1) world.answer(0, 5)
  }
  expect(world.confirmed.size).toBe(49)
})
