// Invariants:
// - a session runs one batch of statements at a time (a second one is a defect, never a queue): a
//   connection is owned by one transaction;
// - once it is broken it stays so; who wants another session opens one;
// - a batch that gets no answer within its time breaks the session: half-open connections exist.
import { failure, invariant, OnceflowError } from '@onceflow/model'
import type { Clock } from '@onceflow/ports'
import { Client, type ClientConfig } from 'pg'
import { Batch, type BatchResult, type CopySource } from './batch.ts'
import { failureOfServer, type ServerError } from './sqlstate.ts'

export type BatchOutcome =
  | { readonly kind: 'ok'; readonly results: readonly BatchResult[] }
  | { readonly kind: 'refused'; readonly error: ServerError }
  | { readonly kind: 'broken'; readonly detail: string }

/** Longest time that a batch may take, the wait for locks and the copying included. */
export const batchDeadlineMs = 150_000
const connectDeadlineMs = 10_000

export class Session {
  readonly #client: Client
  readonly #clock: Clock
  #broken: string | undefined
  #busy = false

  constructor(client: Client, clock: Clock) {
    this.#client = client
    this.#clock = clock
    client.on('error', (error: Error) => {
      this.#broken ??= error.message
    })
    client.on('end', () => {
      this.#broken ??= 'the connection ended'
    })
  }

  /** The backend's process id as the server's greeting gave it; a pooler makes up its own. */
  get greetedPid(): number {
    return (this.#client as unknown as { readonly processID: number | null }).processID ?? 0
  }

  get isBroken(): boolean {
    return this.#broken !== undefined
  }

  /** Runs statements as one simple query, feeding each COPY FROM STDIN in it from its source. */
  async run(sql: string, sources: readonly CopySource[] = []): Promise<BatchOutcome> {
    if (this.#broken !== undefined) return { kind: 'broken', detail: this.#broken }
    invariant(!this.#busy, 'a session runs one batch at a time')
    this.#busy = true
    const timer = this.#clock.after(batchDeadlineMs, () => this.destroy('no answer in time'))
    try {
      const batch = new Batch(sql, sources)
      this.#client.query(batch)
      const outcome = await batch.outcome
      if (outcome.kind === 'broken') this.#broken ??= outcome.detail
      if (outcome.kind === 'refused' && isLast(outcome.error))
        this.#broken ??= outcome.error.message
      return outcome
    } finally {
      timer.cancel()
      this.#busy = false
    }
  }

  /** The same, for who cannot go on without it: throws the failure. */
  async must(sql: string, what: string, sources: readonly CopySource[] = []) {
    const outcome = await this.run(sql, sources)
    if (outcome.kind === 'ok') return outcome.results
    if (outcome.kind === 'refused') throw new OnceflowError(failureOfServer(outcome.error, what))
    throw new OnceflowError(failure('SINK_UNREACHABLE', { detail: `${what}: ${outcome.detail}` }))
  }

  destroy(reason: string): void {
    this.#broken ??= reason
    const { connection } = this.#client as unknown as {
      readonly connection: { readonly stream: { destroy(error?: Error): void } }
    }
    connection.stream.destroy(new Error(reason))
  }

  async close(): Promise<void> {
    if (this.#broken !== undefined) {
      this.destroy(this.#broken)
      return
    }
    this.#broken = 'closed'
    await this.#client.end().catch(() => undefined)
  }
}

/** FATAL errors that arrive as an answer: the server ends the session after them. */
const isLast = (error: ServerError): boolean => /^(?:57P0|25P03|08)/.test(error.sqlstate)

export async function connect(config: ClientConfig, clock: Clock): Promise<Session> {
  const client = new Client({
    ...config,
    connectionTimeoutMillis: connectDeadlineMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  })
  const session = new Session(client, clock)
  await client.connect()
  return session
}
