// A pipeline's traces, made by hand: a log of change events, a target as it should be after three
// checkpoints, a ledger, a fence and decisions. Nothing of the product writes any of it, so a test
// can spoil one thing and see that the audit finds exactly that.
import { createHash } from 'node:crypto'
import {
  attempt,
  checkpointNumber,
  clusterUid,
  offset,
  type PipelineSpec,
  type Position,
  pipelineName,
  pipelineUid,
  sinkName,
  subtask,
} from '@onceflow/model'
import type { Clock } from '@onceflow/ports'
import { MemoryLog } from '@onceflow/twins'
import { type AuditCheckpoint, type AuditRequest, runAudit } from '../src/index.ts'
import type { Server } from './server-fixture.ts'

export const clock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
}

export const bookkeeping = `CREATE SCHEMA IF NOT EXISTS onceflow;
CREATE TABLE IF NOT EXISTS onceflow.fence (cluster text, pipeline_uid text, sink text,
  attempt bigint, leader_epoch bigint, PRIMARY KEY (cluster, pipeline_uid, sink));
CREATE TABLE IF NOT EXISTS onceflow.ledger (cluster text, pipeline_uid text, sink text,
  subtask integer, checkpoint bigint, attempt bigint, leader_epoch bigint, positions_from jsonb,
  positions_to jsonb, rows_upserted bigint, rows_deleted bigint, digest text,
  sealed_at timestamptz DEFAULT clock_timestamp(),
  PRIMARY KEY (cluster, pipeline_uid, sink, subtask, checkpoint));`

export interface Item {
  readonly id: number
  readonly name: string | null
  readonly qty: number
  readonly note?: string
}

interface Place {
  readonly topic: string
  readonly partition: number
}

export interface LedgerInput {
  readonly n: number
  readonly subtask: number
  readonly attempt?: number
  readonly leaderEpoch?: number
  readonly from: readonly Position[]
  readonly to: readonly Position[]
}

let worlds = 0

export class World {
  readonly server: Server
  readonly schema: string
  readonly uid: ReturnType<typeof pipelineUid>
  readonly cluster = clusterUid('auditcluster')
  readonly sink = sinkName('target')
  readonly log = new MemoryLog(clock)
  checkpoints: AuditCheckpoint[] = []
  #lsn = 1_000

  private constructor(server: Server) {
    worlds += 1
    this.server = server
    this.schema = `w${worlds}`
    this.uid = pipelineUid(`auditpipe${String(worlds).padStart(4, '0')}`)
  }

  /** Tables and topics, nothing in them. */
  static async empty(server: Server): Promise<World> {
    const world = new World(server)
    world.log.createTopic('shop.item', 2)
    world.log.createTopic('shop.event', 1)
    await server.query(bookkeeping)
    await server.query(
      `CREATE SCHEMA ${world.schema}; CREATE TABLE ${world.schema}.item (id bigint PRIMARY KEY,` +
        ' name text, qty integer, note text);' +
        `CREATE TABLE ${world.schema}.event (kind text, amount integer)`,
    )
    return world
  }

  /**
   * Three checkpoints by two subtasks. At the end item holds 1 (moved on), 2, 3, 5; 4 was deleted;
   * event holds ('a', 1) twice and ('b', 2).
   */
  static async filled(server: Server): Promise<World> {
    const world = await World.empty(server)
    const marks = [world.ends()]
    world.put({ id: 1, name: 'one', qty: 1 }, 'c')
    world.put({ id: 2, name: 'two', qty: 2, note: 'long' }, 'c')
    world.event('a', 1)
    marks.push(world.ends())
    world.put({ id: 3, name: null, qty: 3 }, 'c')
    world.put({ id: 4, name: 'four', qty: 4 }, 'c')
    world.put({ id: 1, name: 'one', qty: 10 }, 'u')
    world.event('a', 1)
    marks.push(world.ends())
    world.remove(4)
    world.put({ id: 5, name: 'five', qty: 5 }, 'c')
    world.put({ id: 2, name: 'two', qty: 22, note: '__debezium_unavailable_value' }, 'u')
    world.event('b', 2)
    marks.push(world.ends())
    await world.sql(
      `INSERT INTO @.item VALUES (1, 'one', 10, NULL), (2, 'two', 22, 'long'), (3, NULL, 3, NULL),` +
        ` (5, 'five', 5, NULL); INSERT INTO @.event VALUES ('a', 1), ('a', 1), ('b', 2)`,
    )
    await world.fence(2)
    world.decide({ n: 0, positions: marks[0] ?? [], sealed: [], kind: 'start' })
    for (let n = 1; n < marks.length; n += 1) await world.epoch(n, marks[n - 1], marks[n])
    return world
  }

  /** A decided checkpoint and its rows: subtask 0 has item/0 and event/0, subtask 1 has item/1. */
  async epoch(n: number, from: readonly Position[] = [], to: readonly Position[] = []) {
    const parts = [isOfFirst, (one: Position) => !isOfFirst(one)]
    for (const [index, isOf] of parts.entries()) {
      const row = { n, subtask: index, from: from.filter(isOf), to: to.filter(isOf) }
      await this.ledgerRow(row)
    }
    this.decide({ n, positions: to, sealed: [0, 1] })
  }

  sql(text: string): Promise<Record<string, unknown>[]> {
    return this.server.query(text.replaceAll('@', this.schema))
  }

  fence(to: number): Promise<unknown> {
    return this.sql(
      `INSERT INTO onceflow.fence VALUES ('${this.cluster}', '${this.uid}', '${this.sink}', ${to}, 7)` +
        ' ON CONFLICT (cluster, pipeline_uid, sink) DO UPDATE SET attempt = EXCLUDED.attempt',
    )
  }

  ledgerRow(input: LedgerInput): Promise<unknown> {
    const from = JSON.stringify(input.from.map(storedPosition))
    const to = JSON.stringify(input.to.map(storedPosition))
    const a = input.attempt ?? 2
    const words = [input.subtask, input.n, a, from, to, '2, 1'].map(String).join('|')
    const digest = createHash('sha256').update(words).digest('hex')
    return this.sql(
      `INSERT INTO onceflow.ledger VALUES ('${this.cluster}', '${this.uid}', '${this.sink}',` +
        ` ${input.subtask}, ${input.n}, ${a}, ${input.leaderEpoch ?? 7}, '${from}', '${to}',` +
        ` 2, 1, '${digest}')`,
    )
  }

  /** Spoils the ledger: `@l` stands for this pipeline's rows. */
  ledgerSql(set: string, where: string): Promise<unknown> {
    return this.sql(
      `UPDATE onceflow.ledger SET ${set} WHERE pipeline_uid = '${this.uid}' AND ${where}`,
    )
  }

  decide(input: {
    readonly n: number
    readonly positions: readonly Position[]
    readonly sealed: readonly number[]
    readonly empty?: readonly number[]
    readonly kind?: AuditCheckpoint['kind']
    readonly state?: AuditCheckpoint['state']
  }): void {
    const of = (kind: 'sealed' | 'empty', tasks: readonly number[]) =>
      tasks.map((task) => ({ sink: this.sink, subtask: subtask(task), kind }))
    this.checkpoints.push({
      checkpoint: checkpointNumber(BigInt(input.n)),
      attempt: attempt(2n),
      kind: input.kind ?? 'regular',
      state: input.state ?? 'completed',
      positions: input.positions,
      transactions: [...of('sealed', input.sealed), ...of('empty', input.empty ?? [])],
    })
  }

  put(item: Item, op: 'c' | 'u' | 'r', headers: readonly string[] = []): void {
    this.append(placeOf(item.id), {
      key: { id: item.id },
      value: { before: null, after: { note: null, ...item }, op },
      headers,
    })
  }

  remove(id: number, headers: readonly string[] = []): void {
    const value = { before: { id }, after: null, op: 'd' }
    this.append(placeOf(id), { key: { id }, value, headers })
    this.log.append(placeOf(id), [{ key: JSON.stringify({ id }), value: null }])
  }

  truncateItems(partition = 0): void {
    this.append({ topic: 'shop.item', partition }, { key: null, value: { op: 't' } })
  }

  event(kind: string, amount: number): void {
    const value = { before: null, after: { kind, amount }, op: 'c' }
    this.append({ topic: 'shop.event', partition: 0 }, { key: null, value })
  }

  /** The next event has the same log sequence number as the last one. */
  sameLsn(): void {
    this.#lsn -= 1
  }

  append(
    place: Place,
    record: {
      readonly key: object | null
      readonly value: object
      readonly headers?: readonly string[]
    },
  ): void {
    this.#lsn += 1
    const table = place.topic.slice('shop.'.length)
    const source = { schema: 'public', table, lsn: this.#lsn, ts_ms: 1_700_000_000_000 }
    this.log.append(place, [
      {
        key: record.key === null ? null : JSON.stringify(record.key),
        value: JSON.stringify({ ...record.value, source, ts_ms: 1_700_000_000_000 }),
        headers: (record.headers ?? []).map((key) => ({ key, value: '{}' })),
      },
    ])
  }

  ends(): readonly Position[] {
    return this.log.partitions().map(({ topic, topicId, partition, end }) => ({
      topic,
      topicId,
      partition,
      offset: offset(end),
      leaderEpoch: 0,
    }))
  }

  async prepare(name: { n: number; task: number; attempt: number }, statement = 'SELECT 1') {
    const gid = `onceflow:${this.cluster}:${this.uid}:${this.sink}:${name.task}:${name.n}:${name.attempt}`
    await this.prepareAs(gid, statement)
    return gid
  }

  async prepareAs(gid: string, statement = 'SELECT 1'): Promise<void> {
    await this.sql(`BEGIN; ${statement}; PREPARE TRANSACTION '${gid}'`)
  }

  rollback(gid: string): Promise<unknown> {
    return this.sql(`ROLLBACK PREPARED '${gid}'`)
  }

  spec(): PipelineSpec {
    const route = (table: string) => ({
      source: { schema: 'public', table },
      target: { schema: this.schema, table },
      columns: { kind: 'all' as const },
      tasks: 'many' as const,
    })
    return {
      version: 1,
      name: pipelineName('shop'),
      source: {
        kind: 'file',
        directory: '',
        topics: { kind: 'pattern', pattern: 'shop\\..*' },
        format: 'debezium-json',
        start: { kind: 'earliest' },
      },
      tables: [route('item'), route('event')],
      otherTables: 'pass',
      sinks: [
        {
          kind: 'postgres',
          name: this.sink,
          host: '127.0.0.1',
          port: this.server.port,
          database: 'postgres',
          user: 'postgres',
          password: undefined,
          sslmode: 'disable',
          sslRootCertFile: undefined,
          schema: this.schema,
          tables: 'create',
          bufferRecordsMax: 1_000,
          bufferBytesMax: 1_000_000,
        },
      ],
      guarantee: 'exactly-once',
      checkpoint: { intervalMs: 1_000, timeoutMs: 10_000 },
      parallelism: 2,
    }
  }

  audit(more: Partial<AuditRequest> = {}) {
    return runAudit({
      spec: this.spec(),
      cluster: this.cluster,
      pipelineUid: this.uid,
      checkpoints: async () => this.checkpoints,
      sources: [this.log.factory('file')],
      resolveSecret: () => '',
      clock,
      ...more,
    })
  }
}

const placeOf = (id: number): Place => ({ topic: 'shop.item', partition: id % 2 })

const isOfFirst = ({ topic, partition }: Position): boolean =>
  topic === 'shop.event' || partition === 0

const storedPosition = (position: Position) => ({
  topic: position.topic,
  topicId: position.topicId,
  partition: position.partition,
  offset: position.offset.toString(),
  leaderEpoch: position.leaderEpoch,
})
