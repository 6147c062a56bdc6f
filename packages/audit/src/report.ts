import type { RecordPosition } from '@onceflow/model'

export type FindingKind =
  /** In the fold of the log, not in the target. */
  | 'lost'
  /** More than once in the target. */
  | 'duplicated'
  /** In the target, and no record says so. */
  | 'phantom'
  /** A column's value is not what the log says. */
  | 'differing'
  /** A row whose key no record speaks of, in a table that may have had rows before. */
  | 'unknown-origin'
  /** A decided checkpoint is in the target in part. */
  | 'torn'
  /** A sealed transaction of a decided checkpoint is neither in the ledger nor prepared. */
  | 'transaction-lost'
  /** A row of the ledger does not begin where the one before ends. */
  | 'ledger-gap'
  /** Attempts or positions go back, or one checkpoint has two attempts. */
  | 'ledger-disorder'
  /** A row of the ledger is not what was sealed: its digest says so. */
  | 'ledger-altered'
  /** A row of the ledger, and no decision for it. */
  | 'undecided-row'
  /** The decision and the ledger name different positions. */
  | 'positions-differ'
  /** The fence is missing, or lower than what has passed it. */
  | 'fence'
  /** A prepared transaction of ours that should be over. */
  | 'open-transaction'
  /** A prepared transaction that looks like ours and belongs to nothing known. */
  | 'orphan-transaction'
  /** The log ends before the position that the target has reached. */
  | 'log-truncated'
  /** In the source's own table, not in the target; and the other way; and another value. */
  | 'source-lost'
  | 'source-phantom'
  | 'source-differing'

export type Severity = 'violation' | 'warning'

export interface Finding {
  readonly kind: FindingKind
  readonly severity: Severity
  readonly sink: string
  /** The target table, where there is one. */
  readonly table: string | undefined
  /** Key of the row as JSON of column and text, or the name of a transaction. */
  readonly key: string | undefined
  readonly detail: string
  /** Where in the log the last record of the key stands. */
  readonly position: RecordPosition | undefined
}

export interface TableFigures {
  readonly sink: string
  readonly table: string
  readonly rowsExpected: number
  readonly rowsFound: number
}

/** How much was read and compared, of one sink or of all. */
export interface CheckedFigures {
  readonly records: number
  readonly changes: number
  readonly rows: number
  readonly tables: readonly TableFigures[]
  readonly partitions: number
  readonly ledgerRows: number
  readonly checkpoints: number
  readonly preparedTransactions: number
  /** Records in the log behind the positions that were compared. */
  readonly recordsBehind: bigint
}

export interface AuditReport {
  readonly verdict: 'clean' | 'violations' | 'inconclusive'
  readonly pipeline: string
  /** How often each kind was found, also beyond what is listed. */
  readonly counts: Readonly<Partial<Record<FindingKind, number>>>
  readonly findings: readonly Finding[]
  /** What could not be checked although it should: any of these rules out a clean verdict. */
  readonly unchecked: readonly string[]
  /** What was left out or assumed, for the reader to know. */
  readonly notes: readonly string[]
  readonly checked: CheckedFigures
  readonly durationMs: number
}

/** Findings of all kinds that are kept, whatever their number. */
const findingsKeptMax = 1_000

/** Reasons why something was not checked: one for each record that cannot be read, at worst. */
const reasonsKeptMax = 50

/** Gathers what the checks find: every finding is counted, a bounded number is kept. */
export class FindingList {
  readonly #perKindMax: number
  readonly #counts = new Map<FindingKind, number>()
  readonly #kept: Finding[] = []
  readonly #keptOf = new Map<string, number>()
  readonly #unchecked = new Set<string>()
  readonly #notes = new Set<string>()
  #violations = 0
  #doubts = 0

  constructor(perKindMax: number) {
    this.#perKindMax = perKindMax
  }

  /** `times`: how many findings this one stands for. */
  add(finding: Finding, times = 1): void {
    this.count(finding, times)
    this.keep(finding)
  }

  count({ kind, severity }: Pick<Finding, 'kind' | 'severity'>, times: number): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + times)
    if (severity === 'violation') this.#violations += times
    if (kind === 'unknown-origin') this.#doubts += times
  }

  /** Lists without counting: what has been counted by the query that found it. */
  keep(finding: Finding): void {
    const place = `${finding.kind}/${finding.sink}/${finding.table ?? ''}`
    const kept = this.#keptOf.get(place) ?? 0
    if (kept >= this.#perKindMax || this.#kept.length >= findingsKeptMax) return
    this.#keptOf.set(place, kept + 1)
    this.#kept.push(finding)
  }

  unchecked(reason: string): void {
    if (this.#unchecked.size < reasonsKeptMax) this.#unchecked.add(reason)
    else this.#unchecked.add('and more: only the first reasons are listed')
  }

  note(text: string): void {
    this.#notes.add(text)
  }

  result(): Pick<AuditReport, 'verdict' | 'counts' | 'findings' | 'unchecked' | 'notes'> {
    const doubtful = this.#doubts > 0 || this.#unchecked.size > 0
    const innocent = doubtful ? 'inconclusive' : 'clean'
    return {
      verdict: this.#violations > 0 ? 'violations' : innocent,
      counts: Object.fromEntries(this.#counts),
      findings: this.#kept,
      unchecked: [...this.#unchecked],
      notes: [...this.#notes],
    }
  }
}
