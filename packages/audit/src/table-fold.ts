// The fold: what a table must hold after the records up to some position, and nothing else.
//
// Invariants:
// - a key has one entry from its first record on; a deleted one stays as `gone`, so that a row of
//   the target whose key was deleted can be told from a row that was there before;
// - a cell that no record has told (a placeholder whose row was never seen, a column that a create
//   lacks) is undefined, and is not compared;
// - after a truncate every row that is not in the fold is known not to exist.
import {
  type Cell,
  fail,
  type RecordPosition,
  type RowDelete,
  type RowUpsert,
  type SourceTable,
  type TableRef,
  type TableShape,
  unchanged,
} from '@onceflow/model'

/** Text, SQL NULL, or undefined: not known. */
export type FoldedCell = string | null | undefined

export interface FoldedRow {
  readonly key: readonly FoldedCell[]
  /** undefined: the row is gone. */
  readonly cells: readonly FoldedCell[] | undefined
  readonly at: RecordPosition
}

/** Shared by all folds: what they hold together. */
export interface FoldBudget {
  rows: number
  textBytes: number
  readonly rowsMax: number
  readonly textBytesMax: number
}

interface Departed {
  readonly lsn: bigint | undefined
  readonly cells: readonly FoldedCell[]
}

export class TableFold {
  readonly target: TableRef
  readonly #budget: FoldBudget
  readonly #columns: string[] = []
  #key: readonly string[] | undefined
  #keyTypes: readonly string[] = []
  #keyPlaces: readonly number[] = []
  readonly #places = new Map<TableShape, readonly number[]>()
  readonly #rows = new Map<string, FoldedRow>()
  readonly #keyless: FoldedRow[] = []
  readonly #sources = new Map<string, SourceTable>()
  #departed: Departed | undefined
  #truncated: 'yes' | 'no' = 'no'

  constructor(target: TableRef, budget: FoldBudget) {
    this.target = target
    this.#budget = budget
  }

  /** Names of the columns, in the order of cells. */
  get columns(): readonly string[] {
    return this.#columns
  }

  /** Empty: a table without key. */
  get key(): readonly string[] {
    return this.#key ?? []
  }

  get truncated(): 'yes' | 'no' {
    return this.#truncated
  }

  get sourceTables(): readonly SourceTable[] {
    return [...this.#sources.values()]
  }

  rows(): Iterable<FoldedRow> {
    return this.key.length === 0 ? this.#keyless : this.#rows.values()
  }

  upsert(change: RowUpsert): void {
    const cells = this.#arranged(change.shape, change.cells)
    const { position: at } = change
    if (this.key.length === 0) {
      const known = cells.map(knownCell)
      this.#spend(1, textOf(known))
      this.#keyless.push({ key: [], cells: known, at })
      return
    }
    const key = this.#keyPlaces.map((place) => knownCell(cells[place]))
    const id = this.#idOf(key)
    const before = this.#rows.get(id)
    const older = change.keyChange === 'arrives' ? this.#movedFrom(change, before) : before?.cells
    const next = cells.map((cell, index) => (isGap(cell) ? older?.[index] : cell))
    this.#spend(before === undefined ? 1 : 0, textOf(next) - textOf(before?.cells))
    this.#rows.set(id, { key, cells: next, at })
  }

  delete(change: RowDelete): void {
    const { shape, position: at } = change
    this.#arranged(shape, [])
    if (this.key.length === 0) {
      fail('KEY_MISSING', { detail: 'a delete of a table without key', position: at })
    }
    const names = shape.keyColumns.map((index) => shape.columns[index]?.name)
    const key = this.key.map((name) => knownCell(change.key[names.indexOf(name)]))
    const id = this.#idOf(key)
    const before = this.#rows.get(id)
    if (change.keyChange === 'leaves') {
      this.#departed =
        before?.cells === undefined ? undefined : { lsn: change.origin.lsn, cells: before.cells }
    }
    this.#spend(before === undefined ? 1 : 0, -textOf(before?.cells))
    this.#rows.set(id, { key, cells: undefined, at })
  }

  truncate(source: SourceTable): void {
    this.#sources.set(`${source.schema}.${source.table}`, source)
    let bytes = 0
    for (const row of this.rows()) bytes += textOf(row.cells)
    this.#spend(-(this.#rows.size + this.#keyless.length), -bytes)
    this.#rows.clear()
    this.#keyless.length = 0
    this.#departed = undefined
    this.#truncated = 'yes'
  }

  /** A change of key comes as two records: the second takes over what the first one's row held. */
  #movedFrom(change: RowUpsert, before: FoldedRow | undefined): readonly FoldedCell[] | undefined {
    const departed = this.#departed
    this.#departed = undefined
    if (departed !== undefined && departed.lsn === change.origin.lsn) return departed.cells
    // The pair was sent again after a restart of the connector: the row has moved already.
    return before?.cells
  }

  /** Cells in the order of the fold's columns; unknown columns are added at the end. */
  #arranged(shape: TableShape, cells: readonly Cell[]): readonly Cell[] {
    let places = this.#places.get(shape)
    if (places === undefined) {
      const width = this.#columns.length
      this.#learn(shape)
      if (this.#columns.length > width) this.#places.clear()
      places = this.#columns.map((name) => shape.columns.findIndex((one) => one.name === name))
      this.#places.set(shape, places)
    }
    return places.map((place) => (place === -1 ? undefined : cells[place]))
  }

  #learn(shape: TableShape): void {
    this.#sources.set(`${shape.source.schema}.${shape.source.table}`, shape.source)
    const key = shape.keyColumns.map((index) => shape.columns[index]?.name ?? '').toSorted()
    this.#key ??= key
    if (this.#key.join('\0') !== key.join('\0')) {
      const { schema, table } = this.target
      fail('TARGET_MISMATCH', { detail: `the key of ${schema}.${table} changes within the log` })
    }
    for (const { name } of shape.columns) {
      if (!this.#columns.includes(name)) this.#columns.push(name)
    }
    this.#keyPlaces = key.map((name) => this.#columns.indexOf(name))
    this.#keyTypes = key.map((name) => shape.columns.find((one) => one.name === name)?.type ?? '')
  }

  #idOf(key: readonly FoldedCell[]): string {
    const texts = key.map((cell, index) => canonicalKey(cell, this.#keyTypes[index] ?? ''))
    return texts.length === 1 ? (texts[0] ?? '') : JSON.stringify(texts)
  }

  #spend(rows: number, textBytes: number): void {
    const budget = this.#budget
    budget.rows += rows
    budget.textBytes += textBytes
    if (budget.rows <= budget.rowsMax && budget.textBytes <= budget.textBytesMax) return
    fail('LIMIT_EXCEEDED', {
      detail:
        `the fold holds ${budget.rows} rows with ${budget.textBytes} bytes of text; limits:` +
        ` rowsMax ${budget.rowsMax}, textBytesMax ${budget.textBytesMax}`,
    })
  }
}

const isGap = (cell: Cell): cell is undefined | typeof unchanged =>
  cell === undefined || cell === unchanged

const knownCell = (cell: Cell): FoldedCell => (isGap(cell) ? undefined : cell)

function textOf(cells: readonly FoldedCell[] | undefined): number {
  let length = 0
  for (const cell of cells ?? []) length += cell?.length ?? 0
  return length
}

/**
 * One text for what PostgreSQL holds to be one key. Where this is wrong, two rows of the fold have
 * one key, and the comparison says that it cannot judge the table.
 */
function canonicalKey(cell: FoldedCell, type: string): string {
  if (typeof cell !== 'string') return '\0'
  if (type.startsWith('numeric')) return canonicalNumber(cell)
  if (/^(?:character(?! varying)|bpchar)/.test(type)) return cell.replace(/ +$/, '')
  return type.endsWith('citext') ? cell.toLowerCase() : cell
}

function canonicalNumber(text: string): string {
  const parts = /^([+-]?)0*(\d*)(?:\.(\d*?)0*)?$/.exec(text)
  if (parts === null) return text
  const [, sign, whole = '', fraction = ''] = parts
  if (whole === '' && fraction === '') return '0'
  return `${sign === '-' ? '-' : ''}${whole}.${fraction}`
}
