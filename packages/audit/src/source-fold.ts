import { createDecoder, type Decoder } from '@onceflow/debezium'
import {
  type Change,
  fail,
  failureOf,
  failureText,
  InvariantViolation,
  type PostgresSinkSpec,
  type SourceTable,
  type TableRef,
  type TableShape,
} from '@onceflow/model'
import type { SourceLog } from '@onceflow/ports'
import type { AuditOptions, AuditRequest } from './audit-request.ts'
import { mergeByLsn } from './change-merge.ts'
import { type CheckScope, found } from './check-scope.ts'
import { SpanStream, type StreamRecord } from './partition-stream.ts'
import type { PartitionSpan } from './reading-plan.ts'
import { type FoldBudget, TableFold } from './table-fold.ts'
import { type CatalogueTable, readCatalogue, shapeFor, targetOf } from './target-catalogue.ts'
import { relation } from './target-connection.ts'
import type { TargetSnapshot } from './target-snapshot.ts'

/** Partitions of one topic that are read side by side, in the order of the source. */
export const mergedPartitionsMax = 16

export interface FoldedTable {
  readonly fold: TableFold
  readonly catalogue: CatalogueTable
}

export interface FoldResult {
  readonly tables: ReadonlyMap<string, FoldedTable>
  readonly records: number
  readonly changes: number
}

export interface FoldInput {
  readonly request: AuditRequest
  readonly options: AuditOptions
  readonly sink: PostgresSinkSpec
  readonly snapshot: TargetSnapshot
  readonly log: SourceLog
  readonly spans: readonly PartitionSpan[]
}

/** Folds every topic, one after the other. Throws what makes a fold impossible. */
export class SourceFold {
  readonly #scope: CheckScope
  readonly #input: FoldInput
  readonly #decoder: Decoder
  readonly #tables = new Map<string, FoldedTable>()
  readonly #budget: FoldBudget
  /** Tables that the target lacks. */
  readonly #missing = new Set<string>()
  readonly #namesBySource = new Map<SourceTable, string>()
  #records = 0
  #changes = 0

  constructor(scope: CheckScope, input: FoldInput) {
    const { spec } = input.request
    const { rowsMax, textBytesMax } = input.options
    this.#scope = scope
    this.#input = input
    this.#budget = { rows: 0, textBytes: 0, rowsMax, textBytesMax }
    this.#decoder = createDecoder({
      format: spec.source.format,
      tables: spec.tables,
      otherTables: spec.otherTables,
    })
  }

  async run(): Promise<FoldResult> {
    const byTopic = Map.groupBy(this.#input.spans, ({ from }) => from.topic)
    for (const [topic, spans] of byTopic) {
      this.#say(`reading ${topic}, ${spans.length} partitions`)
      await this.#foldTopic(spans)
    }
    for (const [name, { fold }] of this.#tables) {
      if (fold.sourceTables.length < 2) continue
      const sources = fold.sourceTables.map(relation).join(', ')
      this.#scope.findings.note(`${name} is filled from ${sources}: their order is not known`)
    }
    return { tables: this.#tables, records: this.#records, changes: this.#changes }
  }

  async #foldTopic(spans: readonly PartitionSpan[]): Promise<void> {
    const { log, request, options } = this.#input
    const together = spans.length > mergedPartitionsMax
    const groups = together ? [spans] : spans.map((span) => [span])
    const streams = groups.map(
      (group) => new SpanStream(group, { log, clock: request.clock, silenceMs: options.silenceMs }),
    )
    const sources = streams.map((stream) => ({ next: () => this.#decoded(stream) }))
    try {
      await mergeByLsn(sources, (change) => this.#apply(change, together ? 'arrival' : 'source'))
    } finally {
      for (const stream of streams) await stream.close()
    }
  }

  /** The next changes of a stream; none at its end. */
  async #decoded(stream: SpanStream): Promise<readonly Change[]> {
    for (;;) {
      const records = await stream.next()
      if (records.length === 0) return []
      const changes: Change[] = []
      for (const record of records) {
        // Waiting once for each record would cost more than decoding it.
        let change = this.#decode(record)
        if (change === 'needs-table') change = await this.#decodeWithTable(record)
        if (change !== undefined) changes.push(change)
      }
      const before = this.#records
      this.#records += records.length
      if (Math.floor(before / 100_000) < Math.floor(this.#records / 100_000)) {
        this.#say(`${this.#records} records read, ${this.#budget.rows} rows in the fold`)
      }
      if (changes.length > 0) return changes
    }
  }

  #decode({ topic, partition, record }: StreamRecord): Change | 'needs-table' | undefined {
    const decoded = this.#decoder.decode(record, { topic, partition })
    switch (decoded.kind) {
      case 'ignored':
        return undefined
      case 'failed':
        this.#scope.findings.unchecked(`a record cannot be read: ${failureText(decoded.failure)}`)
        return undefined
      case 'needs-table':
        return 'needs-table'
      default:
        return decoded
    }
  }

  async #decodeWithTable(at: StreamRecord): Promise<Change | undefined> {
    const decoded = this.#decoder.decode(at.record, at)
    if (decoded.kind !== 'needs-table') unreachableAnswer(decoded.kind)
    const shape = await this.#shapeOf(decoded.source, decoded.declared)
    if (shape === undefined) return undefined
    this.#decoder.provide(decoded.source, decoded.declared, shape)
    const change = this.#decode(at)
    return change === 'needs-table' ? unreachableAnswer(change) : change
  }

  async #shapeOf(
    source: SourceTable,
    declared: TableShape | undefined,
  ): Promise<TableShape | undefined> {
    const target = this.#targetOf(source)
    const table = await this.#tableOf(target)
    const { spec } = this.#input.request
    if (table !== undefined) return shapeFor({ spec, source, declared, table: table.catalogue })
    return undefined
  }

  #targetOf(source: SourceTable): TableRef {
    return targetOf(this.#input.request.spec, this.#input.sink, source)
  }

  #nameOf(source: SourceTable): string {
    const known = this.#namesBySource.get(source)
    if (known !== undefined) return known
    const name = relation(this.#targetOf(source))
    this.#namesBySource.set(source, name)
    return name
  }

  async #tableOf(target: TableRef): Promise<FoldedTable | undefined> {
    const name = relation(target)
    const known = this.#tables.get(name)
    if (known !== undefined || this.#missing.has(name)) return known
    const catalogue = await readCatalogue(this.#input.snapshot.session, target)
    if (catalogue === undefined) {
      this.#missing.add(name)
      const detail = 'the table does not exist in the target, and the log has rows of it'
      found(this.#scope, { kind: 'lost', table: name, detail })
      return undefined
    }
    const made = { fold: new TableFold(target, this.#budget), catalogue }
    this.#tables.set(name, made)
    return made
  }

  #apply(change: Change, order: 'source' | 'arrival'): void {
    this.#changes += 1
    const source = change.kind === 'truncate' ? change.source : change.shape.source
    const table = this.#tables.get(this.#nameOf(source))
    // A truncate of a table that no row has come from: nothing is known, and nothing is emptied.
    if (table === undefined) return
    if (order === 'arrival' && (change.kind === 'truncate' || change.keyChange !== 'none')) {
      this.#scope.findings.unchecked(
        `${change.position.topic} has more than ${mergedPartitionsMax} partitions and records` +
          ' that span them (a truncate, a changed key): their order is not known',
      )
    }
    try {
      if (change.kind === 'upsert') table.fold.upsert(change)
      else if (change.kind === 'delete') table.fold.delete(change)
      else table.fold.truncate(change.source)
    } catch (thrown) {
      const { code, detail } = failureOf(thrown)
      if (code === 'LIMIT_EXCEEDED' || code === 'UNEXPECTED') throw thrown
      fail(code, { detail, position: change.position })
    }
  }

  #say(text: string): void {
    this.#input.request.progress?.({ phase: 'read', text })
  }
}

function unreachableAnswer(kind: string): never {
  throw new InvariantViolation(`the decoder answers ${kind} to the same record`)
}
