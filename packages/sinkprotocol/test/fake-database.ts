import { attempt, clusterUid, leaderEpoch, pipelineUid, sinkName } from '@onceflow/model'
import type { Answer, Effect, LedgerRow, StatementEvent } from '../src/index.ts'
import { buildGid, parseGid } from '../src/index.ts'

export const identity = {
  cluster: clusterUid('cluster1'),
  pipeline: pipelineUid('pipeline1'),
  sink: sinkName('target'),
}
export const scopeOf = (a: number) => ({
  ...identity,
  attempt: attempt(BigInt(a)),
  leaderEpoch: leaderEpoch(1n),
})

export const rowOf = (task: number, n: number, a: number): LedgerRow =>
  ({ subtask: task, checkpoint: BigInt(n), attempt: BigInt(a) }) as LedgerRow

export const gidOf = (row: LedgerRow): string => buildGid({ ...identity, ...row })

/** How the next statement goes wrong; `after`: it was carried out, and its answer is lost. */
export type Fault = 'none' | 'before' | 'after' | 'busy'

/** What PostgreSQL does with the statements of the protocol, and nothing else of it. */
export class FakeDatabase {
  readonly prepared = new Set<string>()
  readonly ledger: LedgerRow[] = []
  fence: bigint | undefined
  /** Attempts that hold the fence's row with a live session. */
  holders: bigint[] = []
  session = 1
  nowMs = 0
  readonly log: Effect[] = []

  perform(effect: Effect, fault: Fault = 'none'): StatementEvent {
    this.log.push(effect)
    this.nowMs += effect.kind === 'wait' ? effect.delayMs : 1
    if (effect.kind === 'wait') return this.#event({ kind: 'done' })
    if (fault === 'before') return this.#broken()
    const finishing = effect.kind === 'commit-prepared' || effect.kind === 'rollback-prepared'
    if (fault === 'busy' && finishing) return this.#event(refused('55000'))
    const answer = this.#answer(effect)
    return fault === 'after' ? this.#broken() : this.#event(answer)
  }

  #broken(): StatementEvent {
    this.session += 1
    return this.#event({ kind: 'broken', code: 'SINK_UNREACHABLE', detail: 'cut' })
  }

  #event(answer: Answer): StatementEvent {
    return { answer, nowMs: this.nowMs, session: this.session }
  }

  #answer(effect: Effect): Answer {
    switch (effect.kind) {
      case 'commit-prepared': {
        if (!this.prepared.delete(effect.gid)) return refused('42704')
        const fields = parseGid(effect.gid)
        if (fields !== undefined) this.ledger.push(fields)
        return { kind: 'done' }
      }
      case 'rollback-prepared':
        return this.prepared.delete(effect.gid) ? { kind: 'done' } : refused('42704')
      case 'find-prepared':
        return presence(this.prepared.has(effect.gid))
      case 'find-ledger':
        return presence(this.ledger.some((row) => isSame(row, effect.row)))
      case 'list-prepared':
        return {
          kind: 'prepared',
          gids: [...this.prepared].filter((gid) => gid.startsWith(effect.prefix)),
        }
      case 'read-fence':
        return { kind: 'fence', attempt: this.fence as (Answer & { kind: 'fence' })['attempt'] }
      case 'raise-fence':
        return this.#raise(effect.attempt)
      case 'terminate-writers':
        this.holders = this.holders.filter((one) => one >= effect.below)
        return { kind: 'done' }
      case 'drop-staging':
      case 'wait':
        return { kind: 'done' }
      case 'read-ledger':
        return this.#facts(effect.heads)
    }
  }

  #raise(to: bigint): Answer {
    const preparedHolder = [...this.prepared].some((gid) => parseGid(gid) !== undefined)
    if (this.holders.length > 0 || preparedHolder) return refused('55P03')
    if (this.fence !== undefined && this.fence >= to) return { kind: 'raise', outcome: 'kept' }
    this.fence = to
    return { kind: 'raise', outcome: 'raised' }
  }

  #facts(heads: (Effect & { kind: 'read-ledger' })['heads']): Answer {
    const byNumber = [...this.ledger].sort((a, b) => (a.checkpoint < b.checkpoint ? 1 : -1))
    const attempts = this.ledger.map((row) => row.attempt).sort((a, b) => (a < b ? 1 : -1))
    return {
      kind: 'ledger',
      facts: {
        found: this.ledger.filter((row) => heads.some((head) => isSame(row, head))),
        newest: byNumber[0],
        attemptMax: attempts[0],
      },
    }
  }
}

export const isSame = (a: LedgerRow, b: LedgerRow): boolean =>
  a.subtask === b.subtask && a.checkpoint === b.checkpoint && a.attempt === b.attempt

const refused = (sqlstate: string): Answer => ({ kind: 'refused', sqlstate, detail: sqlstate })
const presence = (there: unknown): Answer => ({
  kind: 'presence',
  value: there === true ? 'present' : 'absent',
})

export interface Machine<State> {
  readonly effect: (state: State) => Effect | undefined
  readonly reduce: (state: State, event: StatementEvent) => State
}

/** Drives a machine to its end; faults are taken in turn, and end. */
export function drive<State>(
  database: FakeDatabase,
  start: State,
  how: { readonly machine: Machine<State>; readonly faults?: readonly Fault[]; stopAfter?: number },
): State {
  let state = start
  const faults = [...(how.faults ?? [])]
  for (let step = 0; step < (how.stopAfter ?? 10_000); step += 1) {
    const effect = how.machine.effect(state)
    if (effect === undefined) return state
    const fault = effect.kind === 'wait' ? 'none' : (faults.shift() ?? 'none')
    state = how.machine.reduce(state, database.perform(effect, fault))
  }
  return state
}
