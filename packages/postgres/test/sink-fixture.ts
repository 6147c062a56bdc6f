import {
  attempt,
  type Cell,
  type Change,
  checkpointNumber,
  clusterUid,
  failureOf,
  type LedgerHead,
  leaderEpoch,
  offset,
  type Position,
  type PostgresSinkSpec,
  pipelineUid,
  revision,
  type SourceTable,
  sinkName,
  subtask,
  type TableShape,
  type TableSpec,
} from '@onceflow/model'
import type {
  AnySink,
  Clock,
  CommitPermit,
  DecidedSet,
  FailPoints,
  KnownCheckpoint,
  SealOrder,
  SinkScope,
  TaskSinkScope,
} from '@onceflow/ports'
import { expect } from 'vitest'
import { postgresSinkFactory } from '../src/index.ts'
import type { Server } from './server-fixture.ts'

export const clock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
}

/** Fail points that a test arms with what is to happen when they are reached. */
export class ArmedPoints implements FailPoints {
  readonly actions = new Map<string, () => Promise<void>>()
  readonly seen: string[] = []

  reached(name: string): Promise<void> | undefined {
    this.seen.push(name)
    return this.actions.get(name)?.()
  }
}

export const specOf = (
  server: Pick<Server, 'port'>,
  more: Partial<PostgresSinkSpec> = {},
): PostgresSinkSpec => ({
  kind: 'postgres',
  name: sinkName('target'),
  host: '127.0.0.1',
  port: server.port,
  database: 'postgres',
  user: 'postgres',
  password: undefined,
  sslmode: 'disable',
  sslRootCertFile: undefined,
  schema: 'public',
  tables: 'create',
  bufferRecordsMax: 100_000,
  bufferBytesMax: 100_000_000,
  ...more,
})

export interface Rig {
  readonly points: ArmedPoints
  readonly warnings: string[]
  create(): AnySink
  request: { spec: PostgresSinkSpec; tables: readonly TableSpec[]; otherTables: 'pass' }
  factory: ReturnType<typeof postgresSinkFactory>
  scope(a: number): SinkScope
  task(a: number, task?: number, heads?: readonly LedgerHead[]): TaskSinkScope
}

let pipelines = 0

/** A pipeline of its own against the server; names differ from every other rig's. */
export function newRig(
  server: Pick<Server, 'port'>,
  more: Partial<PostgresSinkSpec> = {},
  tables: readonly TableSpec[] = [],
): Rig {
  pipelines += 1
  const pipeline = pipelineUid(`pipeline${String(pipelines).padStart(4, '0')}`)
  const points = new ArmedPoints()
  const warnings: string[] = []
  const factory = postgresSinkFactory({
    resolveSecret: async (secret) => (secret.kind === 'inline' ? secret.value : ''),
    clock,
    journal: {
      write: (_, message, fields) => warnings.push(`${message} ${JSON.stringify(fields)}`),
    },
    failPoints: points,
  })
  const spec = specOf(server, more)
  const request = { spec, tables, otherTables: 'pass' as const }
  const scope = (a: number): SinkScope => ({
    cluster: clusterUid('cluster00001'),
    pipeline,
    sink: spec.name,
    attempt: attempt(BigInt(a)),
    leaderEpoch: leaderEpoch(7n),
  })
  return {
    points,
    warnings,
    factory,
    request,
    create: () => factory.create(request),
    scope,
    task: (a, task = 0, heads = []) => ({ ...scope(a), subtask: subtask(task), heads }),
  }
}

export const source: SourceTable = { schema: 'public', table: 'item' }

export const declaredShape = (
  columns: readonly [name: string, type: string][],
  key: readonly string[] = ['id'],
  of: SourceTable = source,
): TableShape => ({
  source: of,
  columns: columns.map(([name, type]) => ({
    name,
    type,
    nullable: !key.includes(name),
    keyOrdinal: key.includes(name) ? key.indexOf(name) : undefined,
  })),
  keyColumns: key.map((name) => columns.findIndex(([column]) => column === name)),
  origin: 'record',
})

export const itemShape = declaredShape([
  ['id', 'bigint'],
  ['name', 'text'],
  ['qty', 'integer'],
])

let next = 0n
export const place = () => ({ topic: 'item', partition: 0, offset: next++ })
const origin = { lsn: undefined, commitTimeMs: 0 }

export const row = (
  shape: TableShape,
  cells: readonly Cell[],
  op: 'create' | 'read' | 'update' = 'create',
): Change => ({ kind: 'upsert', op, shape, cells, keyChange: 'none', origin, position: place() })

export const gone = (shape: TableShape, key: readonly string[]): Change => ({
  kind: 'delete',
  shape,
  key,
  keyChange: 'none',
  origin,
  position: place(),
})

export const at = (value: number): Position => ({
  topic: 'item',
  topicId: 'AAAAAAAAAAAAAAAAAAAAAA',
  partition: 0,
  offset: offset(BigInt(value)),
  leaderEpoch: 0,
})

export const order = (n: number, from = n * 10, to = n * 10 + 10): SealOrder => ({
  checkpoint: checkpointNumber(BigInt(n)),
  from: [at(from)],
  to: [at(to)],
})

export const permit = (n: number, a: number): CommitPermit =>
  ({
    checkpoint: checkpointNumber(BigInt(n)),
    attempt: attempt(BigInt(a)),
    leaderEpoch: leaderEpoch(7n),
    decision: revision(100n),
  }) as CommitPermit

export const head = (rig: Rig, n: number, a: number): LedgerHead => ({
  sink: rig.request.spec.name,
  subtask: subtask(0),
  checkpoint: checkpointNumber(BigInt(n)),
  attempt: attempt(BigInt(a)),
})

export const known = (n: number, a: number, state: KnownCheckpoint['state']): KnownCheckpoint => ({
  checkpoint: checkpointNumber(BigInt(n)),
  attempt: attempt(BigInt(a)),
  state,
})

export const decided = (
  all: readonly KnownCheckpoint[] = [],
  open: DecidedSet<unknown>['open'] = [],
  mark = 0,
): DecidedSet<unknown> => ({ open, known: all, retireMark: checkpointNumber(BigInt(mark)) })

/** RESOLVE of attempt a, both phases; the words of its three answers, or the failure's code. */
export async function resolve(
  rig: Rig,
  a: number,
  what: {
    readonly decided?: DecidedSet<unknown>
    readonly heads?: readonly LedgerHead[]
    readonly newest?: number
  } = {},
) {
  const sink = rig.create()
  try {
    await sink.openRecovery(rig.scope(a))
    const set = what.decided ?? decided()
    const commit = await sink.recoverAndCommit(set)
    if (commit.kind === 'stopped') return { commit }
    const abort = await sink.recoverAndAbort(set)
    if (abort.kind === 'stopped') return { commit, abort }
    const finish = await sink.finishRecovery({
      heads: what.heads ?? [],
      newestDecided: checkpointNumber(BigInt(what.newest ?? 0)),
    })
    return { commit, abort, finish }
  } finally {
    await sink.close()
  }
}

/** A task's sink of attempt a, after a RESOLVE that finds nothing to do. */
export interface TaskPlace {
  readonly heads?: readonly LedgerHead[]
  readonly task?: number
}

export async function openTask(rig: Rig, a: number, place: TaskPlace = {}) {
  const sink = rig.create()
  await sink.openTask(rig.task(a, place.task ?? 0, place.heads ?? []), undefined)
  return sink
}

export async function sealed(sink: AnySink, changes: readonly Change[], n: number) {
  const txn = await sink.beginTransaction(undefined)
  await sink.invoke(txn, changes, undefined)
  const result = await sink.preCommit(txn, order(n))
  return { txn, result }
}

/** A task on the table item, with an epoch of changes as one step. */
export async function openItems(rig: Rig) {
  await resolve(rig, 1)
  const sink = await openTask(rig, 1)
  const shape = await sink.resolveTable(source, itemShape)
  let n = 0
  const epoch = async (changes: readonly Change[]) => {
    n += 1
    const { txn, result } = await sealed(sink, changes, n)
    expect(await sink.commit(txn, permit(n, 1))).toEqual({ kind: 'committed' })
    return result
  }
  return { sink, shape, epoch }
}

export const itemsOf = (server: Server) =>
  server.query('SELECT id::text, name, qty FROM public.item ORDER BY item.id')

export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'none'
  } catch (thrown) {
    return failureOf(thrown).code
  }
}

/** Whatever an earlier test left: its prepared transactions, its sessions, its table. */
export async function cleared(server: Server, table: string): Promise<void> {
  const left = await server.query('SELECT gid FROM pg_prepared_xacts')
  for (const { gid } of left) await server.query(`ROLLBACK PREPARED '${String(gid)}'`)
  await server.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name LIKE 'onceflow:%' AND pid <> pg_backend_pid()`,
  )
  await server.query(`SET lock_timeout = '5s'; DROP TABLE IF EXISTS ${table}`)
}
