// A bank, seen through its change events: accounts and transfers in two topics of several
// partitions. Deterministic from its seed. Invariants:
// - the sum of all balances never changes, whatever prefix of whole transactions is taken;
// - `log` of a partition holds every record that Kafka has acknowledged, in the order of offsets.
import {
  type KafkaMessage,
  messageOf,
  type Row,
  type Shape,
  type TableDef,
  tombstoneOf,
} from './debezium-event.ts'
import { type Random, randomOf } from './random.ts'

export const accountsDef: TableDef = {
  table: 'accounts',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'owner', type: 'text' },
    { name: 'balance', type: 'decimal' },
    { name: 'version', type: 'int64' },
  ],
}
export const transfersDef: TableDef = {
  table: 'transfers',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'source', type: 'int64' },
    { name: 'destination', type: 'int64' },
    { name: 'amount', type: 'decimal' },
    { name: 'note', type: 'text' },
  ],
}
export type BankTable = 'accounts' | 'transfers'
export const bankTables: readonly BankTable[] = ['accounts', 'transfers']
const defs: Readonly<Record<BankTable, TableDef>> = {
  accounts: accountsDef,
  transfers: transfersDef,
}

/** One record of a partition and what it means: a row, the end of a row, or nothing. */
export interface BankRecord {
  readonly table: BankTable
  readonly partition: number
  readonly id: string
  readonly effect: { readonly kind: 'row'; readonly row: Row } | { readonly kind: 'gone' | 'none' }
  readonly message: KafkaMessage
}

interface Account {
  readonly owner: string
  cents: number
  version: number
}

const accountsStart = 120
const accountsMax = 160
const transfersMax = 600
const centsStart = 100_000
export const partitionsPerTable = 4

const money = (cents: number): string =>
  `${cents < 0 ? '-' : ''}${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, '0')}`

export class BankWorkload {
  readonly shape: Shape
  readonly totalCents = accountsStart * centsStart
  readonly #random: Random
  readonly #accounts = new Map<string, Account>()
  readonly #transfers = new Map<string, Row>()
  #nextId = 1
  #lsn = 1_000_000
  #txId = 700

  constructor(seed: string, shape: Shape) {
    this.shape = shape
    this.#random = randomOf(`bank ${seed}`)
  }

  /** The accounts as they are opened, in one transaction. */
  open(): readonly BankRecord[] {
    const tx = this.#begin()
    return Array.from({ length: accountsStart }, () => this.#openAccount(tx, centsStart)).flat()
  }

  /** The records of one transaction. */
  next(): readonly BankRecord[] {
    const tx = this.#begin()
    const dice = this.#random.below(100)
    if (dice < 70 || this.#transfers.size < 10) return this.#transfer(tx)
    if (dice < 78) return this.#annotate(tx)
    if (dice < 88) return this.#dropTransfer(tx)
    if (dice < 94) return this.#changeKey(tx)
    return this.#openOrClose(tx)
  }

  /** The rows that must stand in the target when everything has arrived, by id. */
  rows(table: BankTable): ReadonlyMap<string, Row> {
    if (table === 'transfers') return this.#transfers
    return new Map([...this.#accounts].map(([id, account]) => [id, accountRow(id, account)]))
  }

  #begin(): { readonly txId: number; readonly atMs: number } {
    this.#txId += 1
    return { txId: this.#txId, atMs: Date.now() }
  }

  #transfer(tx: { txId: number; atMs: number }): readonly BankRecord[] {
    const ids = [...this.#accounts.keys()]
    const from = this.#random.pick(ids)
    const to = this.#random.pick(ids.filter((id) => id !== from))
    const cents = 1 + this.#random.below(5_000)
    const id = this.#newId()
    const row: Row = [id, from, to, money(cents), null]
    this.#transfers.set(id, row)
    const records = [
      ...this.#move(tx, from, -cents),
      ...this.#move(tx, to, cents),
      ...this.#record('transfers', { ...tx, op: 'c', id, row }),
    ]
    return this.#transfers.size > transfersMax ? [...records, ...this.#dropTransfer(tx)] : records
  }

  #move(tx: { txId: number; atMs: number }, id: string, cents: number): readonly BankRecord[] {
    const account = this.#account(id)
    account.cents += cents
    account.version += 1
    return this.#record('accounts', { ...tx, op: 'u', id, row: accountRow(id, account) })
  }

  #annotate(tx: { txId: number; atMs: number }): readonly BankRecord[] {
    const id = this.#random.pick([...this.#transfers.keys()])
    const row = this.#transfers.get(id) ?? []
    const noted: Row = [...row.slice(0, 4), `tab\t'quote' \\ ünï ${this.#random.below(1e6)}`]
    this.#transfers.set(id, noted)
    return this.#record('transfers', { ...tx, op: 'u', id, row: noted })
  }

  #dropTransfer(tx: { txId: number; atMs: number }): readonly BankRecord[] {
    const id = this.#random.pick([...this.#transfers.keys()])
    this.#transfers.delete(id)
    return this.#record('transfers', { ...tx, op: 'd', id, row: undefined })
  }

  /** Debezium makes a delete of the old key and a create of the new one of it. */
  #changeKey(tx: { txId: number; atMs: number }): readonly BankRecord[] {
    const id = this.#random.pick([...this.#accounts.keys()])
    const account = this.#account(id)
    const next = this.#newId()
    this.#accounts.delete(id)
    this.#accounts.set(next, account)
    const row = accountRow(next, account)
    const leaves = { header: 'newkey', id: next } as const
    const arrives = { header: 'oldkey', id } as const
    return [
      ...this.#record('accounts', { ...tx, op: 'd', id, row: undefined, moved: leaves }),
      ...this.#record('accounts', { ...tx, op: 'c', id: next, row, moved: arrives }),
    ]
  }

  /** An account is opened empty and closed empty, so that the sum stays. */
  #openOrClose(tx: { txId: number; atMs: number }): readonly BankRecord[] {
    if (this.#accounts.size < accountsMax) return this.#openAccount(tx, 0)
    const [id, other] = this.#accounts.keys()
    if (id === undefined || other === undefined) return []
    const moved = this.#move(tx, other, this.#account(id).cents)
    this.#accounts.delete(id)
    return [...moved, ...this.#record('accounts', { ...tx, op: 'd', id, row: undefined })]
  }

  #openAccount(tx: { txId: number; atMs: number }, cents: number): readonly BankRecord[] {
    const id = this.#newId()
    const account = { owner: `owner ${id}`, cents, version: 0 }
    this.#accounts.set(id, account)
    return this.#record('accounts', { ...tx, op: 'c', id, row: accountRow(id, account) })
  }

  #record(
    table: BankTable,
    change: {
      readonly op: 'c' | 'u' | 'd'
      readonly id: string
      readonly row: Row | undefined
      readonly txId: number
      readonly atMs: number
      readonly moved?: { readonly header: 'newkey' | 'oldkey'; readonly id: string }
    },
  ): readonly BankRecord[] {
    this.#lsn += 56
    const def = defs[table]
    const message = messageOf({ ...change, def, shape: this.shape, lsn: this.#lsn })
    const partition = Number(change.id) % partitionsPerTable
    const place = { table, partition, id: change.id }
    if (change.row !== undefined) {
      return [{ ...place, effect: { kind: 'row', row: change.row }, message }]
    }
    return [
      { ...place, effect: { kind: 'gone' }, message },
      { ...place, effect: { kind: 'none' }, message: tombstoneOf(message) },
    ]
  }

  #account(id: string): Account {
    const account = this.#accounts.get(id)
    if (account === undefined) throw new Error(`no account ${id}`)
    return account
  }

  #newId(): string {
    this.#nextId += 1
    return String(this.#nextId)
  }
}

const accountRow = (id: string, account: Account): Row => [
  id,
  account.owner,
  money(account.cents),
  String(account.version),
]
