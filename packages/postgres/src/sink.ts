import {
  type Change,
  invariant,
  type PostgresSinkSpec,
  type SourceTable,
  type TableShape,
  type TableSpec,
} from '@onceflow/model'
import type {
  CommitOutcome,
  CommitPermit,
  DecidedSet,
  FinishResult,
  InvokeResult,
  LedgerExpectation,
  RecoverAbortResult,
  RecoverCommitResult,
  SealOrder,
  SealResult,
  SinkScope,
  TaskSinkScope,
  TwoPhaseCommitSink,
} from '@onceflow/ports'
import { Recovery } from './recovery.ts'
import type { ServerWatch } from './server.ts'
import type { PostgresSinkServices } from './services.ts'
import { TaskSink } from './task-sink.ts'
import {
  contextSerializer,
  type PostgresTransaction,
  transactionSerializer,
} from './transaction.ts'

export interface PostgresSinkInput {
  readonly spec: PostgresSinkSpec
  readonly tables: readonly TableSpec[]
  readonly services: PostgresSinkServices
  readonly watch: ServerWatch
}

type Changes = readonly Change[]

/** One instance is either a task's sink or one RESOLVE; the port's calls go to that half of it. */
export class PostgresSink implements TwoPhaseCommitSink<Changes, PostgresTransaction, undefined> {
  readonly input = 'decoded'
  readonly transactionSerializer = transactionSerializer
  readonly contextSerializer = contextSerializer
  readonly #input: PostgresSinkInput
  #task: TaskSink | undefined
  #recovery: Recovery | undefined

  constructor(input: PostgresSinkInput) {
    this.#input = input
  }

  async openTask(scope: TaskSinkScope): Promise<undefined> {
    invariant(this.#task === undefined && this.#recovery === undefined, 'a sink is opened once')
    this.#task = new TaskSink({ ...this.#input, scope })
    await this.#task.open()
  }

  resolveTable(source: SourceTable, declared: TableShape | undefined): Promise<TableShape> {
    return this.#asTask().resolveTable(source, declared)
  }

  async beginTransaction(): Promise<PostgresTransaction> {
    return this.#asTask().beginTransaction()
  }

  async invoke(txn: PostgresTransaction, batch: Changes): Promise<InvokeResult> {
    return this.#asTask().invoke(txn, batch)
  }

  preCommit(txn: PostgresTransaction, order: SealOrder): Promise<SealResult> {
    return this.#asTask().preCommit(txn, order)
  }

  commit(txn: PostgresTransaction, permit: CommitPermit): Promise<CommitOutcome> {
    return this.#asTask().commit(txn, permit)
  }

  abort(txn: PostgresTransaction): Promise<void> {
    return this.#asTask().abort(txn)
  }

  async openRecovery(scope: SinkScope): Promise<void> {
    invariant(this.#task === undefined && this.#recovery === undefined, 'a sink is opened once')
    this.#recovery = new Recovery({ ...this.#input, scope })
    await this.#recovery.open()
  }

  recoverAndCommit(decided: DecidedSet<PostgresTransaction>): Promise<RecoverCommitResult> {
    return this.#asRecovery().recoverAndCommit(decided)
  }

  recoverAndAbort(decided: DecidedSet<PostgresTransaction>): Promise<RecoverAbortResult> {
    return this.#asRecovery().recoverAndAbort(decided)
  }

  finishRecovery(expectation: LedgerExpectation): Promise<FinishResult> {
    return this.#asRecovery().finishRecovery(expectation)
  }

  #asTask(): TaskSink {
    invariant(this.#task !== undefined, 'the sink is not opened for a task')
    return this.#task
  }

  #asRecovery(): Recovery {
    invariant(this.#recovery !== undefined, 'the sink is not opened for a recovery')
    return this.#recovery
  }

  async close(): Promise<void> {
    await this.#task?.close()
    await this.#recovery?.close()
  }
}
