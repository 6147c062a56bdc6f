import { Kafka, logLevel, type Producer } from 'kafkajs'
import {
  type BankRecord,
  type BankTable,
  BankWorkload,
  bankTables,
  partitionsPerTable,
} from './bank-workload.ts'
import type { Row, Shape } from './debezium-event.ts'
import { sleep } from './timing.ts'

/** What stands in one partition, and the fold of it up to an offset that only moves forward. */
class PartitionLog {
  readonly records: { readonly offset: bigint; readonly record: BankRecord }[] = []
  readonly #folded = new Map<string, Row>()
  #next = 0
  #upTo = 0n

  get end(): bigint {
    return (this.records.at(-1)?.offset ?? -1n) + 1n
  }

  foldTo(offset: bigint): ReadonlyMap<string, Row> {
    if (offset < this.#upTo) throw new Error(`positions went back from ${this.#upTo} to ${offset}`)
    this.#upTo = offset
    for (;;) {
      const item = this.records[this.#next]
      if (item === undefined || item.offset >= offset) return this.#folded
      const { id, effect } = item.record
      if (effect.kind === 'row') this.#folded.set(id, effect.row)
      if (effect.kind === 'gone') this.#folded.delete(id)
      this.#next += 1
    }
  }
}

export interface BankOptions {
  readonly brokers: readonly string[]
  /** Of the topics: `<prefix>.public.accounts`. */
  readonly prefix: string
  readonly seed: string
  readonly shape: Shape
}

/** The workload in Kafka: produces, remembers every offset, knows what the target must hold. */
export class BankLog {
  readonly workload: BankWorkload
  readonly topics: readonly string[]
  readonly #options: BankOptions
  readonly #kafka: Kafka
  readonly #logs = new Map<string, PartitionLog>()
  #producer: Producer | undefined
  #running: Promise<void> | undefined
  #stop = false
  /** An answer of the broker was lost: offsets of single records are not known any more. */
  #uncertain = false
  #sent = 0

  constructor(options: BankOptions) {
    this.#options = options
    this.workload = new BankWorkload(options.seed, options.shape)
    this.topics = bankTables.map((table) => this.topicOf(table))
    this.#kafka = new Kafka({
      brokers: [...options.brokers],
      logLevel: logLevel.NOTHING,
      retry: { initialRetryTime: 100, retries: 3 },
    })
  }

  topicOf(table: BankTable): string {
    return `${this.#options.prefix}.public.${table}`
  }

  get sent(): number {
    return this.#sent
  }

  get offsetsKnown(): boolean {
    return !this.#uncertain
  }

  async create(): Promise<void> {
    const admin = this.#kafka.admin()
    await admin.connect()
    try {
      await admin.createTopics({
        waitForLeaders: true,
        topics: this.topics.map((topic) => ({
          topic,
          numPartitions: partitionsPerTable,
          replicationFactor: 1,
        })),
      })
    } finally {
      await admin.disconnect()
    }
    await this.#connect()
    await this.#send(this.workload.open())
  }

  /** Transactions until stop(): about perSecond of them. */
  start(perSecond = 150): void {
    if (this.#running !== undefined) throw new Error('the load runs already')
    this.#stop = false
    this.#running = this.#run(perSecond)
  }

  async stop(): Promise<void> {
    this.#stop = true
    await this.#running
    this.#running = undefined
  }

  async burst(transactions: number): Promise<void> {
    const records = Array.from({ length: transactions }, () => this.workload.next()).flat()
    for (let at = 0; at < records.length; at += 500) await this.#send(records.slice(at, at + 500))
  }

  async close(): Promise<void> {
    await this.stop()
    await this.#producer?.disconnect()
  }

  /** End of each partition that was written to, by `topic/partition`. */
  ends(): ReadonlyMap<string, bigint> {
    return new Map([...this.#logs].map(([place, log]) => [place, log.end]))
  }

  /** Records can be read before their acknowledgement has come back to us: waits for it. */
  async untilKnown(offsets: ReadonlyMap<string, bigint>): Promise<void> {
    const behind = (): boolean =>
      [...offsets].some(([place, offset]) => (this.#logs.get(place)?.end ?? 0n) < offset)
    for (let tries = 0; tries < 200 && !this.#uncertain && behind(); tries += 1) await sleep(25)
  }

  /** The rows of a table after the records below `offsets`, by `topic/partition`. */
  fold(table: BankTable, offsets: ReadonlyMap<string, bigint>): ReadonlyMap<string, Row> {
    const rows = new Map<string, Row>()
    for (let partition = 0; partition < partitionsPerTable; partition += 1) {
      const place = `${this.topicOf(table)}/${partition}`
      const folded = this.#logs.get(place)?.foldTo(offsets.get(place) ?? 0n)
      for (const [id, row] of folded ?? []) rows.set(id, row)
    }
    return rows
  }

  async #run(perSecond: number): Promise<void> {
    const pauseMs = 25
    const began = performance.now()
    let made = 0
    while (!this.#stop) {
      const due = Math.min(made + 100, Math.ceil(((performance.now() - began) / 1000) * perSecond))
      const records: BankRecord[] = []
      for (; made < due; made += 1) records.push(...this.workload.next())
      if (records.length > 0) await this.#send(records)
      await sleep(pauseMs)
    }
  }

  async #connect(): Promise<void> {
    await this.#producer?.disconnect().catch(() => undefined)
    // The order within a partition is ours to keep: one request at a time.
    this.#producer = this.#kafka.producer({ maxInFlightRequests: 1, idempotent: false })
    await this.#producer.connect()
  }

  /** Until it is acknowledged. Sent twice after a lost answer, rows end the same all the same. */
  async #send(records: readonly BankRecord[]): Promise<void> {
    for (;;) {
      try {
        await this.#sendOnce(records)
        return
      } catch {
        this.#uncertain = true
        await sleep(300)
        await this.#connect().catch(() => undefined)
      }
    }
  }

  async #sendOnce(records: readonly BankRecord[]): Promise<void> {
    const byPlace = Map.groupBy(records, (one) => `${this.topicOf(one.table)}/${one.partition}`)
    const topicMessages = bankTables.map((table) => ({
      topic: this.topicOf(table),
      messages: records
        .filter((record) => record.table === table)
        .map(({ partition, message }) => ({ ...message, partition })),
    }))
    const answers = await this.#producer?.sendBatch({
      acks: -1,
      topicMessages: topicMessages.filter(({ messages }) => messages.length > 0),
    })
    for (const { topicName, partition, baseOffset } of answers ?? []) {
      const place = `${topicName}/${partition}`
      const log = this.#logs.get(place) ?? new PartitionLog()
      this.#logs.set(place, log)
      const base = BigInt(baseOffset ?? '0')
      if (base !== log.end) this.#uncertain = true
      byPlace.get(place)?.forEach((record, index) => {
        log.records.push({ offset: base + BigInt(index), record })
      })
    }
    this.#sent += records.length
  }
}
