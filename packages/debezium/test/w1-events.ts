/**
 * The W1 workload: events of one table of ten columns (bigint key, numeric as text, 300-character
 * text, jsonb, two timestamptz), half creates, 48 % updates of existing keys, 2 % deletes with
 * tombstones. Everything follows from the seed, in 64-bit arithmetic, as in the benchmark's own
 * generator, so that both give the same bytes.
 */

const bits = 64
const wrap = (value: bigint): bigint => BigInt.asUintN(bits, value)

function mix(value: bigint): bigint {
  let z = wrap(value)
  z = wrap((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n)
  z = wrap((z ^ (z >> 27n)) * 0x94d049bb133111ebn)
  return z ^ (z >> 31n)
}

const golden = 0x9e3779b97f4a7c15n

class Draws {
  #state: bigint

  constructor(seed: bigint, a: bigint, b: bigint) {
    this.#state = mix(wrap(seed * golden + mix(a * 31n + b + 1n)))
  }

  next(): bigint {
    this.#state = wrap(this.#state + golden)
    return mix(this.#state)
  }

  below(limit: number): number {
    return Number((this.next() >> 1n) % BigInt(limit))
  }

  fraction(): number {
    return Number(this.next() >> 11n) * 2 ** -53
  }
}

const states = 'new paid picked shipped delivered cancelled returned on_hold'.split(' ')
const baseMicros = 1_767_225_600_000_000n

const microsAt = (seq: bigint, seed: bigint): bigint =>
  baseMicros + seq * 1500n + (mix(seq ^ seed) & 1023n)

function iso(micros: bigint): string {
  const seconds = new Date(Number(micros / 1000n)).toISOString().slice(0, 19)
  return `${seconds}.${String(micros % 1_000_000n).padStart(6, '0')}Z`
}

interface Live {
  readonly id: number
  readonly created: bigint
  changed: bigint
  version: number
}

/** 270 to 330 characters from space to tilde: quotes and backslashes are among them. */
function note(draws: Draws): string {
  const length = 270 + draws.below(61)
  let word = 0n
  let text = ''
  for (let i = 0; i < length; i++) {
    if ((i & 7) === 0) word = draws.next()
    text += String.fromCharCode(32 + ((Number(word & 0xffn) * 95) >> 8))
    word >>= 8n
  }
  return text
}

/** A row follows from its key, the number of its creation and the number of its last change. */
export function rowOf(live: Live, seed: bigint): readonly string[] {
  const ofKey = new Draws(seed, BigInt(live.id), 7n)
  const ofChange = new Draws(seed, live.changed, 11n)
  const customer = 1 + ofKey.below(200_000)
  const name = ofKey.below(2 ** 30).toString(36)
  const email = `user${customer}.${name}@mail${ofKey.below(100)}.example.com`
  const state = states[ofChange.below(8)] ?? ''
  const cents = 100 + ofChange.below(999_900)
  const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
  const text = note(ofChange)
  const gift = ofChange.below(2) === 0
  const tags = `["t${ofChange.below(1000)}", "t${ofChange.below(1000)}"]`
  const color = `c${ofChange.below(64)}`
  const weight = 1 + ofChange.below(20_000)
  const channel = `ch${ofChange.below(10)}`
  const house = `wh-${ofChange.below(100)}`
  const attributes =
    `{"gift": ${gift}, "tags": ${tags}, "color": "${color}", "weight": ${weight}, ` +
    `"channel": "${channel}", "warehouse": "${house}"}`
  const times = [iso(microsAt(live.created, seed)), iso(microsAt(live.changed, seed))]
  const head = [String(live.id), String(customer), state, amount, text, email]
  return [...head, String(live.version), attributes, ...times]
}

export const w1Columns = [
  ['id', 'bigint'],
  ['customer_id', 'bigint'],
  ['status', 'text'],
  ['amount', 'numeric(12,2)'],
  ['note', 'text'],
  ['email', 'text'],
  ['version', 'integer'],
  ['attributes', 'jsonb'],
  ['created_at', 'timestamp with time zone'],
  ['updated_at', 'timestamp with time zone'],
] as const

const bareColumns: ReadonlySet<string> = new Set(['id', 'customer_id', 'version'])

function rowJson(row: readonly string[]): string {
  const members = w1Columns.map(([name], index) => {
    const text = row[index] ?? ''
    return `"${name}":${bareColumns.has(name) ? text : JSON.stringify(text)}`
  })
  return `{${members.join(',')}}`
}

const deletedRow = (id: number): string =>
  `{${w1Columns.map(([name]) => `"${name}":${name === 'id' ? id : 'null'}`).join(',')}}`

export interface W1Event {
  readonly key: string
  /** undefined: the tombstone after a delete. */
  readonly value: string | undefined
  readonly row: readonly string[] | undefined
}

export interface W1Options {
  readonly events: number
  readonly seed: bigint
  /** Schema texts in front of key and value (W4), or none (W1). */
  readonly schemas?: { readonly key: string; readonly value: string }
}

export function* w1Events({ events, seed, schemas }: W1Options): Generator<W1Event> {
  const draws = new Draws(seed, 0n, 3n)
  const live: Live[] = []
  let nextId = 1
  let lsn = 24_023_128n
  const wrapped = (schema: string | undefined, payload: string): string =>
    schema === undefined ? payload : `{"schema":${schema},"payload":${payload}}`
  for (let seq = 1n; seq <= BigInt(events); seq++) {
    const choice = draws.below(100)
    const place = Math.floor(draws.fraction() * live.length)
    const known = live.length === 0 || choice < 50 ? undefined : live[place]
    const op = known === undefined ? 'c' : choice < 98 ? 'u' : 'd'
    const entry = known ?? { id: nextId++, created: seq, changed: seq, version: 1 }
    if (op === 'c') live.push(entry)
    if (op === 'u') {
      entry.changed = seq
      entry.version++
    }
    if (op === 'd') {
      live[place] = live[live.length - 1] as Live
      live.pop()
    }
    lsn += 200n + (mix(seq) & 255n)
    const row = op === 'd' ? undefined : rowOf(entry, seed)
    const before = op === 'd' ? deletedRow(entry.id) : 'null'
    const after = row === undefined ? 'null' : rowJson(row)
    const at = microsAt(seq, seed) + 400n
    const value = `{"before":${before},"after":${after},${tail({ op, lsn, at, seq })}`
    const key = wrapped(schemas?.key, `{"id":${entry.id}}`)
    yield { key, value: wrapped(schemas?.value, value), row }
    if (op === 'd') yield { key, value: undefined, row }
  }
}

interface Tail {
  readonly op: string
  readonly lsn: bigint
  readonly at: bigint
  readonly seq: bigint
}

function tail({ op, lsn, at, seq }: Tail): string {
  const sequence = JSON.stringify(`["${lsn - 180n}","${lsn}"]`)
  const source =
    `{"version":"3.6.0.Final","connector":"postgresql","name":"shop","ts_ms":${at / 1000n},` +
    `"snapshot":"false","db":"shop","sequence":${sequence},"ts_us":${at},"ts_ns":${at}000,` +
    `"schema":"public","table":"orders","txId":${800n + seq / 3n},"lsn":${lsn},"xmin":null}`
  const done = at + 211_345n
  return (
    `"source":${source},"transaction":null,"op":"${op}",` +
    `"ts_ms":${at / 1000n + 211n},"ts_us":${done},"ts_ns":${done}678}`
  )
}
