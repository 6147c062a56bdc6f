// Carries out one effect of a sinkprotocol reducer and answers with one event: the only place that
// knows how those statements are written. `drive` is the loop between the two.
import { attempt, checkpointNumber, type LedgerHead, subtask } from '@onceflow/model'
import type { Clock, FailPoints, SinkScope } from '@onceflow/ports'
import type { Answer, Effect, LedgerRow, StatementEvent } from '@onceflow/sinkprotocol'
import type { Link } from './link.ts'
import {
  attemptOfSession,
  attemptOfStaging,
  headValues,
  sessionPrefix,
  sinkCondition,
  sinkValues,
  stagingPrefix,
} from './scope-sql.ts'
import type { BatchOutcome } from './session.ts'
import { qualified, quoteText } from './sql-text.ts'
import { describe } from './sqlstate.ts'

export interface PerformerServices {
  readonly link: Link
  readonly scope: SinkScope
  readonly clock: Clock
  readonly failPoints: FailPoints
  /** Where fail points of the effects lie: `sink.postgres.resolve`, or nothing for a commit. */
  readonly failPointPrefix: string | undefined
}

type Rows = readonly (readonly (string | null)[])[]

export class EffectPerformer {
  readonly #services: PerformerServices

  constructor(services: PerformerServices) {
    this.#services = services
  }

  /** Runs a reducer to its end. */
  async drive<State>(
    start: State,
    machine: {
      readonly effect: (state: State) => Effect | undefined
      readonly reduce: (state: State, event: StatementEvent) => State
    },
  ): Promise<State> {
    let state = start
    for (;;) {
      const effect = machine.effect(state)
      if (effect === undefined) return state
      state = machine.reduce(state, await this.perform(effect))
    }
  }

  async perform(effect: Effect): Promise<StatementEvent> {
    const { failPointPrefix, failPoints, clock, link } = this.#services
    const answer = await this.#answer(effect)
    if (failPointPrefix !== undefined && effect.kind !== 'wait') {
      await failPoints.reached(`${failPointPrefix}.${effect.kind}`)
    }
    return { answer, nowMs: clock.monotonicMs(), session: link.sessionNumber }
  }

  #answer(effect: Effect): Promise<Answer> | Answer {
    const { scope } = this.#services
    switch (effect.kind) {
      case 'commit-prepared':
        return this.#ask(`COMMIT PREPARED ${quoteText(effect.gid)}`, done)
      case 'rollback-prepared':
        return this.#ask(`ROLLBACK PREPARED ${quoteText(effect.gid)}`, done)
      case 'find-prepared':
        return this.#ask(`${preparedSql} AND gid = ${quoteText(effect.gid)}`, presence)
      case 'find-ledger':
        return this.#ask(findLedgerSql(scope, effect.row), presence)
      case 'list-prepared':
        return this.#ask(
          `${preparedSql} AND starts_with(gid, ${quoteText(effect.prefix)}) ORDER BY prepared, gid`,
          (rows) => ({ kind: 'prepared', gids: rows.flatMap(([gid]) => gid ?? []) }),
        )
      case 'read-fence':
        return this.#ask(
          `SELECT attempt FROM onceflow.fence WHERE ${sinkCondition(scope)}`,
          ([row]) => ({ kind: 'fence', attempt: attemptIn(row?.[0]) }),
        )
      case 'raise-fence':
        return this.#raiseFence(effect)
      case 'terminate-writers':
        return this.#terminateWriters(effect.below)
      case 'drop-staging':
        return this.#dropStaging(effect.below)
      case 'read-ledger':
        return this.#readLedger(effect.heads)
      case 'wait':
        return this.#wait(effect.delayMs)
    }
  }

  async #ask(sql: string, read: (rows: Rows) => Answer): Promise<Answer> {
    const outcome = await this.#services.link.run(sql)
    if (outcome.kind !== 'ok') return answerOf(outcome)
    return read(outcome.results.at(-1)?.rows ?? [])
  }

  /** Short waits for the row's lock: who holds it may have to be finished first. */
  async #raiseFence(effect: Effect & { kind: 'raise-fence' }): Promise<Answer> {
    const { scope, link } = this.#services
    const outcome = await link.run(
      [
        'BEGIN ISOLATION LEVEL READ COMMITTED',
        "SET LOCAL lock_timeout = '1s'",
        'INSERT INTO onceflow.fence AS f (cluster, pipeline_uid, sink, attempt, leader_epoch)' +
          ` VALUES (${sinkValues(scope)}, ${effect.attempt}, ${effect.leaderEpoch})` +
          ' ON CONFLICT (cluster, pipeline_uid, sink) DO UPDATE' +
          ' SET attempt = EXCLUDED.attempt, leader_epoch = EXCLUDED.leader_epoch' +
          ' WHERE f.attempt < EXCLUDED.attempt',
        'COMMIT',
      ].join(';\n'),
    )
    if (outcome.kind === 'refused') await link.run('ROLLBACK')
    if (outcome.kind !== 'ok') return answerOf(outcome)
    const raised = outcome.results[2]?.tag === 'INSERT 0 1'
    return { kind: 'raise', outcome: raised ? 'raised' : 'kept' }
  }

  async #terminateWriters(below: bigint): Promise<Answer> {
    const { scope, link } = this.#services
    const found = await link.run(
      'SELECT pid, application_name FROM pg_stat_activity' +
        ' WHERE datname = current_database() AND usename = current_user' +
        ' AND pid <> pg_backend_pid()' +
        ` AND starts_with(application_name, ${quoteText(sessionPrefix(scope))})`,
    )
    if (found.kind !== 'ok') return answerOf(found)
    const pids = (found.results[0]?.rows ?? []).flatMap(([pid, name]) => {
      const of = attemptOfSession(scope, name ?? '')
      return pid !== null && of !== undefined && of < below ? [Number(pid)] : []
    })
    if (pids.length === 0) return { kind: 'done' }
    return this.#ask(`SELECT pg_terminate_backend(p) FROM unnest(ARRAY[${pids.join()}]) p`, done)
  }

  /** Each on its own: one that a dying session still holds does not keep the others. */
  async #dropStaging(below: bigint): Promise<Answer> {
    const { scope, link } = this.#services
    const found = await link.run(
      'SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace' +
        " WHERE n.nspname = 'onceflow' AND c.relkind = 'r'" +
        ` AND starts_with(c.relname, ${quoteText(stagingPrefix(scope))})`,
    )
    if (found.kind !== 'ok') return answerOf(found)
    for (const [name] of found.results[0]?.rows ?? []) {
      const of = attemptOfStaging(scope, name ?? '')
      if (of === undefined || of >= below) continue
      const dropped = await link.run(
        `BEGIN;\nSET LOCAL lock_timeout = '1s';\nDROP TABLE IF EXISTS ` +
          `${qualified('onceflow', name ?? '')};\nCOMMIT`,
      )
      if (dropped.kind === 'refused') await link.run('ROLLBACK')
      if (dropped.kind === 'broken' || dropped.kind === 'unusable') return answerOf(dropped)
    }
    return { kind: 'done' }
  }

  async #readLedger(heads: readonly LedgerHead[]): Promise<Answer> {
    const { scope, link } = this.#services
    const own = sinkCondition(scope)
    const values = headValues(scope, heads)
    const columns = 'SELECT subtask, checkpoint, attempt FROM onceflow.ledger'
    const outcome = await link.run(
      [
        `${columns} WHERE ${own}` +
          (values === '' ? ' AND false' : ` AND (subtask, checkpoint, attempt) IN (${values})`),
        `${columns} WHERE ${own} ORDER BY checkpoint DESC LIMIT 1`,
        `SELECT max(attempt) FROM onceflow.ledger WHERE ${own}`,
      ].join(';\n'),
    )
    if (outcome.kind !== 'ok') return answerOf(outcome)
    const [found, newest, attemptMax] = outcome.results
    return {
      kind: 'ledger',
      facts: {
        found: (found?.rows ?? []).map(ledgerRowOf),
        newest: newest?.rows.map(ledgerRowOf)[0],
        attemptMax: attemptIn(attemptMax?.rows[0]?.[0]),
      },
    }
  }

  #wait(delayMs: number): Promise<Answer> {
    return new Promise((resolve) => {
      this.#services.clock.after(delayMs, () => resolve({ kind: 'done' }))
    })
  }
}

/** Prepared transactions are listed for the whole server; only this database's can be finished. */
const preparedSql = 'SELECT gid FROM pg_prepared_xacts WHERE database = current_database()'

const findLedgerSql = (scope: SinkScope, row: LedgerRow): string =>
  `SELECT 1 FROM onceflow.ledger WHERE ${sinkCondition(scope)} AND subtask = ${row.subtask}` +
  ` AND checkpoint = ${row.checkpoint} AND attempt = ${row.attempt}`

const done = (): Answer => ({ kind: 'done' })
const presence = (rows: Rows): Answer => ({
  kind: 'presence',
  value: rows.length > 0 ? 'present' : 'absent',
})

const attemptIn = (text: string | null | undefined) =>
  text === null || text === undefined ? undefined : attempt(BigInt(text))

const ledgerRowOf = ([task, n, a]: readonly (string | null)[]): LedgerRow => ({
  subtask: subtask(Number(task)),
  checkpoint: checkpointNumber(BigInt(n ?? '')),
  attempt: attempt(BigInt(a ?? '')),
})

type NotOk = Exclude<Awaited<ReturnType<Link['run']>>, BatchOutcome & { kind: 'ok' }>

function answerOf(outcome: NotOk): Answer {
  switch (outcome.kind) {
    case 'refused':
      return {
        kind: 'refused',
        sqlstate: outcome.error.sqlstate,
        detail: describe(outcome.error),
      }
    case 'broken':
      return { kind: 'broken', code: 'SINK_UNREACHABLE', detail: outcome.detail }
    case 'unusable':
      return { kind: 'broken', code: outcome.failure.code, detail: outcome.failure.detail }
  }
}
