// Every fail point of the product, and what has to happen for a process to come to it.
import { coordinatorFailPoints } from '@onceflow/coordinator'
import { postgresFailPoints } from '@onceflow/postgres'
import { workerFailPoints } from '@onceflow/worker'

/**
 * load: comes by itself under load. idle: when the load pauses. retire: only when records have
 * grown old. Of a coordinator, armed as the follower that then takes over: pause, delete, inspect
 * (a new pipeline), stopped (a pipeline that its preflight stops).
 * Of a worker: resolve: the other worker is killed, so that this one carries out RESOLVE; takeover: for a new leader, which does not know what is
 * confirmed; stray,
 * decided, writers: and the other one leaves something undecided, decided or alive behind; abort:
 * the other one dies while this one has sealed; taken: somebody else commits by hand what is
 * decided; broken, decided-broken: the answer to COMMIT PREPARED is lost with its connection; create:
 * the target tables are missing.
 */
export type Reach =
  | 'load'
  | 'idle'
  | 'retire'
  | 'pause'
  | 'delete'
  | 'inspect'
  | 'stopped'
  | 'resolve'
  | 'takeover'
  | 'stray'
  | 'decided'
  | 'writers'
  | 'abort'
  | 'taken'
  | 'broken'
  | 'decided-broken'
  | 'create'

export interface MatrixPoint {
  readonly name: string
  readonly role: 'leader' | 'worker'
  readonly reach: Reach
  /** A hit from 1 to this, by chance. */
  readonly hitsMax: number
}

const leaderReach: Readonly<Record<string, Reach>> = {
  'P9.complete': 'idle',
  'P10.retire': 'retire',
  'R14.stop-tasks': 'pause',
  'R7.status': 'stopped',
  'delete.gone': 'delete',
  inspect: 'inspect',
}
/** What comes again and again under load; the others come once in a takeover. */
const leaderOften = /P6\.decide|P1\.inject|P7\.commit|P5\.sealed|P9\.committed/

const workerReach: Readonly<Record<string, Reach>> = {
  'worker.R4': 'resolve',
  'sink.postgres.commit.find-prepared': 'broken',
  'sink.postgres.commit.find-ledger': 'taken',
  'sink.postgres.abort': 'abort',
  'sink.postgres.resolve': 'resolve',
  'sink.postgres.resolve.commit-prepared': 'decided',
  'sink.postgres.resolve.find-prepared': 'decided-broken',
  'sink.postgres.resolve.find-ledger': 'takeover',
  'sink.postgres.resolve.rollback-prepared': 'stray',
  'sink.postgres.resolve.terminate-writers': 'writers',
  'sink.postgres.table.create': 'create',
}

export const matrixPoints: readonly MatrixPoint[] = [
  ...coordinatorFailPoints.map((name): MatrixPoint => {
    const short = name.replace(/^coordinator\./, '').replace(/\.[^.]+$/, '')
    return {
      name,
      role: 'leader',
      reach: leaderReach[short] ?? 'load',
      hitsMax: leaderOften.test(name) ? 12 : 1,
    }
  }),
  ...[...Object.values(workerFailPoints), ...postgresFailPoints].map((name): MatrixPoint => {
    const prefix = Object.keys(workerReach)
      .filter((start) => name.startsWith(start))
      .sort((a, b) => b.length - a.length)[0]
    const reach = prefix === undefined ? 'load' : (workerReach[prefix] ?? 'load')
    const often = reach === 'load' && !name.includes('start-task')
    return { name, role: 'worker', reach, hitsMax: often ? 12 : 1 }
  }),
]
