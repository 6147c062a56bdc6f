// RESOLVE for one sink: the reducers of sinkprotocol decide, this drives them over one link.
import { invariant, OnceflowError, type PostgresSinkSpec } from '@onceflow/model'
import type {
  DecidedSet,
  FinishResult,
  LedgerExpectation,
  RecoverAbortResult,
  RecoverCommitResult,
  SinkScope,
} from '@onceflow/ports'
import {
  type Decisions,
  defaultPatience,
  goalOf,
  parseGid,
  reduceResolveAbort,
  reduceResolveCommit,
  reduceResolveFinish,
  resolveAbortEffect,
  resolveCommitEffect,
  resolveFinishEffect,
  startResolveAbort,
  startResolveCommit,
  startResolveFinish,
} from '@onceflow/sinkprotocol'
import { ensureBookkeeping } from './bookkeeping.ts'
import { EffectPerformer } from './effect-performer.ts'
import { Link } from './link.ts'
import { sessionName } from './scope-sql.ts'
import type { ServerWatch } from './server.ts'
import type { PostgresSinkServices } from './services.ts'
import type { PostgresTransaction } from './transaction.ts'

export interface RecoveryInput {
  readonly spec: PostgresSinkSpec
  readonly scope: SinkScope
  readonly services: PostgresSinkServices
  readonly watch: ServerWatch
}

export class Recovery {
  readonly #input: RecoveryInput
  readonly #link: Link
  readonly #performer: EffectPerformer
  #decisions: Decisions | undefined

  constructor(input: RecoveryInput) {
    const { spec, scope, services, watch } = input
    const { resolveSecret, clock, failPoints } = services
    this.#input = input
    this.#link = new Link(spec, { resolveSecret, clock, watch }, sessionName(scope, 'resolve'))
    this.#performer = new EffectPerformer({
      link: this.#link,
      scope,
      clock,
      failPoints,
      failPointPrefix: 'sink.postgres.resolve',
    })
  }

  open(): Promise<void> {
    return ensureBookkeeping(this.#link)
  }

  async recoverAndCommit(decided: DecidedSet<PostgresTransaction>): Promise<RecoverCommitResult> {
    const open = decided.open.flatMap(({ txn }) => {
      if (txn.phase.kind !== 'sealed') return []
      const fields = parseGid(txn.phase.gid)
      invariant(fields !== undefined, `a handle holds a gid of ours: ${txn.phase.gid}`)
      return [goalOf(txn.phase.gid, fields)]
    })
    const start = startResolveCommit({ ...this.#common(decided), open }, this.#nowMs())
    const end = await this.#performer.drive(start, {
      effect: resolveCommitEffect,
      reduce: reduceResolveCommit,
    })
    invariant(end.kind === 'finished', 'phase one is driven to its end')
    this.#report(end.foreign)
    const { result } = end
    if (result.kind === 'unreachable') throw new OnceflowError(result.failure)
    if (result.kind === 'stopped') return result
    return {
      kind: 'done',
      lost: result.lost.map(({ goal, failure }) => ({
        subtask: goal.row.subtask,
        checkpoint: goal.row.checkpoint,
        failure,
      })),
    }
  }

  async recoverAndAbort(decided: DecidedSet<PostgresTransaction>): Promise<RecoverAbortResult> {
    const common = this.#common(decided)
    this.#decisions = common.decisions
    const end = await this.#performer.drive(startResolveAbort(common, this.#nowMs()), {
      effect: resolveAbortEffect,
      reduce: reduceResolveAbort,
    })
    invariant(end.kind === 'finished', 'phase two is driven to its end')
    const { result } = end
    if (result.kind === 'unreachable') throw new OnceflowError(result.failure)
    if (result.kind === 'stopped') return result
    this.#report(result.foreign)
    return { kind: 'done', rolledBack: result.rolledBack }
  }

  async finishRecovery(expectation: LedgerExpectation): Promise<FinishResult> {
    const decisions = this.#decisions
    invariant(decisions !== undefined, 'finishRecovery follows recoverAndAbort')
    const { scope } = this.#input
    const start = startResolveFinish(
      { scope, decisions, expectation, patience: defaultPatience },
      this.#nowMs(),
    )
    const end = await this.#performer.drive(start, {
      effect: resolveFinishEffect,
      reduce: reduceResolveFinish,
    })
    invariant(end.kind === 'finished', 'the fence is driven to its end')
    const { result } = end
    if (result.kind === 'unreachable' || result.kind === 'stopped') {
      throw new OnceflowError(result.failure)
    }
    return result
  }

  #common(decided: DecidedSet<PostgresTransaction>) {
    const { scope } = this.#input
    const decisions: Decisions = { known: decided.known, retireMark: decided.retireMark }
    return { scope, decisions, patience: defaultPatience }
  }

  #nowMs(): number {
    return this.#input.services.clock.monotonicMs()
  }

  /** What begins like a gid of ours and is none is for a person to look at. */
  #report(foreign: readonly string[]): void {
    for (const gid of foreign) {
      this.#input.services.journal.write('warn', 'a prepared transaction is not of our making', {
        gid,
      })
    }
  }

  close(): Promise<void> {
    return this.#link.close()
  }
}
