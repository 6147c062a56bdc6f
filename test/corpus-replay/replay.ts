import { createDecoder, type DecoderOptions } from '@onceflow/debezium'
import { type Change, failureText, type SourceTable, type TableShape } from '@onceflow/model'
import type { CorpusRecord, CorpusTable } from './corpus-folder.ts'

/** Domains come to the decoder as their base types, as the catalogue resolves them. */
const domains = new Map([
  ['inv.posint', 'integer'],
  ['inv.price', 'numeric(12,3)'],
])

/** The shape that a target table with the source's columns would have. */
export function catalogueShape(source: SourceTable, table: CorpusTable): TableShape {
  const columns = table.columns.map((column) => ({
    name: column.name,
    type: domains.get(column.type) ?? column.type,
    nullable: !column.notnull,
    keyOrdinal: table.pk.includes(column.name) ? table.pk.indexOf(column.name) : undefined,
  }))
  const keyColumns = table.pk.map((name) => columns.findIndex((column) => column.name === name))
  return { source, columns, keyColumns, origin: 'catalogue' }
}

export interface Replay {
  readonly changes: readonly Change[]
  readonly ignored: ReadonlyMap<string, number>
  readonly failures: readonly string[]
  readonly declared: readonly TableShape[]
}

export interface ReplayRequest {
  readonly records: readonly CorpusRecord[]
  readonly tables: readonly CorpusTable[]
  readonly options: Partial<DecoderOptions>
  /** catalogue: into tables like the source's; declared: into tables made from the records. */
  readonly into: 'catalogue' | 'declared'
}

export function replay(request: ReplayRequest): Replay {
  const decoder = createDecoder({
    format: 'debezium-json',
    tables: [],
    otherTables: 'pass',
    ...request.options,
  })
  const ignored = new Map<string, number>()
  const changes: Change[] = []
  const failures: string[] = []
  const declared: TableShape[] = []
  const byName = new Map(request.tables.map((table) => [table.table, table]))
  for (const record of request.records) {
    let decoded = decoder.decode(record, record)
    if (decoded.kind === 'needs-table') {
      if (decoded.declared !== undefined) declared.push(decoded.declared)
      const table = byName.get(decoded.source.table)
      const catalogue = table === undefined ? undefined : catalogueShape(decoded.source, table)
      const shape = request.into === 'declared' ? decoded.declared : catalogue
      if (shape === undefined) throw new Error(`no shape for ${decoded.source.table}`)
      decoder.provide(decoded.source, decoded.declared, shape)
      decoded = decoder.decode(record, record)
    }
    if (decoded.kind === 'needs-table') throw new Error('the decoder asks twice')
    if (decoded.kind === 'failed') failures.push(failureText(decoded.failure))
    else if (decoded.kind === 'ignored') {
      ignored.set(decoded.reason, (ignored.get(decoded.reason) ?? 0) + 1)
    } else changes.push(decoded)
  }
  return { changes, ignored, failures, declared }
}
