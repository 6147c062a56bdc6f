// RESOLVE, phase two (3) and (4): raise the fence, then compare the ledger with the heads.
//
//   raising --raised--------------------------------> dropping --> comparing --> done
//      |  \--kept--> reading-fence --ours-----------/                 |--> missing
//      |                  \--higher--> stale                          |--> ahead
//      |--55P03 and other refusals (somebody holds the row)           \--> stale
//      |      --> sweeping (a prepared holder has no backend: finish it by its decision)
//      |      --> terminating (live writers of lower attempts) --> pausing --> raising
//      \--broken--> pausing --> raising
import { type Failure, failure, invariant, type LeaderEpoch } from '@onceflow/model'
import type { LedgerExpectation } from '@onceflow/ports'
import { type Effort, failureOfAnswer, newEffort, nextTry, type Patience } from './patience.ts'
import {
  type ResolveAbortState,
  reduceResolveAbort,
  resolveAbortEffect,
  startResolveAbort,
} from './resolve-abort.ts'
import { staleByFence } from './resolve-commit.ts'
import {
  type Answer,
  type Effect,
  type LedgerFacts,
  type StatementEvent,
  settled,
} from './statement.ts'
import type { Decisions, ResolveScope } from './stray.ts'

export interface ResolveFinishInput {
  readonly scope: ResolveScope & { readonly leaderEpoch: LeaderEpoch }
  readonly decisions: Decisions
  readonly expectation: LedgerExpectation
  readonly patience: Patience
}

interface Common {
  readonly input: ResolveFinishInput
  readonly effort: Effort
}

type Resumable = 'raising' | 'dropping' | 'comparing'

export type ResolveFinishState =
  | (Common & { readonly kind: Resumable })
  | (Common & { readonly kind: 'reading-fence' })
  /** held: the answer that said that somebody holds the fence's row. */
  | (Common & {
      readonly kind: 'sweeping'
      readonly sweep: ResolveAbortState
      readonly held: Answer
    })
  | (Common & { readonly kind: 'terminating'; readonly held: Answer })
  | (Common & {
      readonly kind: 'pausing'
      readonly delayMs: number
      readonly next: Resumable
    })
  | { readonly kind: 'finished'; readonly result: ResolveFinishResult }

export type ResolveFinishResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'stale'; readonly failure: Failure }
  | { readonly kind: 'ahead'; readonly failure: Failure }
  | {
      readonly kind: 'missing'
      readonly heads: LedgerExpectation['heads']
      readonly failure: Failure
    }
  /** The sweep found what stops RESOLVE. */
  | { readonly kind: 'stopped'; readonly failure: Failure }
  | { readonly kind: 'unreachable'; readonly failure: Failure }

type Live = Exclude<ResolveFinishState, { kind: 'finished' }>

export const startResolveFinish = (
  input: ResolveFinishInput,
  nowMs: number,
): ResolveFinishState => ({
  kind: 'raising',
  input,
  effort: newEffort(input.patience, nowMs),
})

export function resolveFinishEffect(state: ResolveFinishState): Effect | undefined {
  if (state.kind === 'finished') return undefined
  const { scope, expectation } = state.input
  const { attempt, leaderEpoch, sink } = scope
  switch (state.kind) {
    case 'raising':
      return { kind: 'raise-fence', attempt, leaderEpoch }
    case 'reading-fence':
      return { kind: 'read-fence' }
    case 'sweeping':
      return resolveAbortEffect(state.sweep)
    case 'terminating':
      return { kind: 'terminate-writers', below: attempt }
    case 'dropping':
      return { kind: 'drop-staging', below: attempt }
    case 'comparing':
      return { kind: 'read-ledger', heads: expectation.heads.filter((head) => head.sink === sink) }
    case 'pausing':
      return { kind: 'wait', delayMs: state.delayMs }
  }
}

export function reduceResolveFinish(
  state: ResolveFinishState,
  event: StatementEvent,
): ResolveFinishState {
  switch (state.kind) {
    case 'raising':
      return whenRaising(state, event)
    case 'reading-fence':
      return whenReadingFence(state, event)
    case 'sweeping':
      return whenSweeping(state, event)
    case 'terminating':
      return pause({ ...common(state), kind: 'raising' }, event.nowMs, state.held)
    case 'dropping':
      // What cannot be dropped now is dropped by a later RESOLVE: it holds no rows that count.
      return settled(event.answer).kind === 'broken'
        ? pause({ ...common(state), kind: 'dropping' }, event.nowMs, event.answer)
        : { ...common(state), kind: 'comparing' }
    case 'comparing':
      return whenComparing(state, event)
    case 'pausing':
      return { ...common(state), kind: state.next }
    case 'finished':
      return state
  }
}

function whenRaising(state: Live, event: StatementEvent): ResolveFinishState {
  const answer = settled(event.answer)
  if (answer.kind === 'raise') {
    const kind = answer.outcome === 'raised' ? 'dropping' : 'reading-fence'
    return { ...common(state), kind }
  }
  if (answer.kind === 'broken') {
    return pause({ ...common(state), kind: 'raising' }, event.nowMs, answer)
  }
  invariant(answer.kind === 'refused', `no answer to raise-fence: ${answer.kind}`)
  const { scope, decisions, patience } = state.input
  const sweep = startResolveAbort({ scope, decisions, patience }, event.nowMs)
  return { ...common(state), kind: 'sweeping', sweep, held: answer }
}

function whenReadingFence(state: Live, event: StatementEvent): ResolveFinishState {
  const answer = settled(event.answer)
  if (answer.kind !== 'fence') {
    return pause({ ...common(state), kind: 'raising' }, event.nowMs, answer)
  }
  const ours = state.input.scope.attempt
  if (answer.attempt === ours) return { ...common(state), kind: 'dropping' }
  if (answer.attempt !== undefined && answer.attempt > ours) {
    return finish({ kind: 'stale', failure: staleByFence(ours, answer.attempt) })
  }
  return pause({ ...common(state), kind: 'raising' }, event.nowMs, answer)
}

function whenSweeping(
  state: Live & { kind: 'sweeping' },
  event: StatementEvent,
): ResolveFinishState {
  const sweep = reduceResolveAbort(state.sweep, event)
  if (sweep.kind !== 'finished') return { ...state, sweep }
  const { result } = sweep
  switch (result.kind) {
    case 'done':
      return { ...common(state), kind: 'terminating', held: state.held }
    case 'stopped':
      return result.failure.class === 'fence'
        ? finish({ kind: 'stale', failure: result.failure })
        : finish(result)
    case 'unreachable':
      return finish(result)
  }
}

function whenComparing(state: Live, event: StatementEvent): ResolveFinishState {
  const answer = settled(event.answer)
  if (answer.kind !== 'ledger') {
    return pause({ ...common(state), kind: 'comparing' }, event.nowMs, answer)
  }
  return finish(compare(state.input, answer.facts))
}

/** The ledger only verifies: positions come from the metadata store (R4). */
export function compare(input: ResolveFinishInput, facts: LedgerFacts): ResolveFinishResult {
  const { scope, expectation } = input
  if (facts.attemptMax !== undefined && facts.attemptMax >= scope.attempt) {
    return {
      kind: 'stale',
      failure: failure('FENCED', {
        detail: `RESOLVE of attempt ${scope.attempt} found a ledger row of ${facts.attemptMax}`,
      }),
    }
  }
  const { newest } = facts
  if (newest !== undefined && newest.checkpoint > expectation.newestDecided) {
    return { kind: 'ahead', failure: aheadBy(newest, expectation) }
  }
  const heads = expectation.heads.filter(
    (head) => head.sink === scope.sink && !facts.found.some((row) => sameRow(row, head)),
  )
  if (heads.length === 0) return { kind: 'done' }
  const names = heads.map((head) => `subtask ${head.subtask} checkpoint ${head.checkpoint}`)
  return {
    kind: 'missing',
    heads,
    failure: failure('DATA_LOSS', {
      detail: `the ledger of sink ${scope.sink} lacks decided rows: ${names.join(', ')}`,
    }),
  }
}

const sameRow = (
  a: { subtask: number; checkpoint: bigint; attempt: bigint },
  b: { subtask: number; checkpoint: bigint; attempt: bigint },
): boolean => a.subtask === b.subtask && a.checkpoint === b.checkpoint && a.attempt === b.attempt

const aheadBy = (
  row: { subtask: number; checkpoint: bigint },
  { newestDecided }: LedgerExpectation,
): Failure =>
  failure('SINK_AHEAD', {
    detail:
      `the ledger holds checkpoint ${row.checkpoint} of subtask ${row.subtask}; ` +
      `the newest decided one is ${newestDecided}`,
  })

function pause(
  state: Common & { readonly kind: Resumable },
  nowMs: number,
  answer: Answer,
): ResolveFinishState {
  const again = nextTry(state.effort, nowMs)
  if (again.kind === 'exhausted') {
    const cause = failureOfAnswer(settled(answer), `RESOLVE gave up while ${state.kind}`)
    return finish({ kind: 'unreachable', failure: cause })
  }
  return {
    input: state.input,
    effort: again.effort,
    kind: 'pausing',
    delayMs: again.delayMs,
    next: state.kind,
  }
}

const finish = (result: ResolveFinishResult): ResolveFinishState => ({ kind: 'finished', result })
const common = ({ input, effort }: Live): Common => ({ input, effort })
