// Invariants:
// - a link holds at most one session and opens the next one only when asked to run something, so a
//   transaction never continues on another session without its owner's knowing: who needs that
//   holds the session itself (`open`);
// - every session it gives out has been greeted: settings pinned, server neither pooled nor in
//   recovery, identity not older than what this process has seen.
import { type Failure, failure, OnceflowError, type PostgresSinkSpec } from '@onceflow/model'
import type { Clock } from '@onceflow/ports'
import { serverErrorOf } from './batch.ts'
import { endpointName, isTlsRefused, type ResolveSecret, tlsTries } from './endpoint.ts'
import { greetingSql, identitySql, judgeGreeting, type ServerWatch } from './server.ts'
import { type BatchOutcome, connect, type Session } from './session.ts'
import { failureOfServer } from './sqlstate.ts'

export interface LinkServices {
  readonly resolveSecret: ResolveSecret
  readonly clock: Clock
  readonly watch: ServerWatch
}

export class Link {
  readonly #spec: PostgresSinkSpec
  readonly #services: LinkServices
  readonly #applicationName: string
  #session: Session | undefined
  #number = 0
  #closed = false

  constructor(spec: PostgresSinkSpec, services: LinkServices, applicationName: string) {
    this.#spec = spec
    this.#services = services
    this.#applicationName = applicationName
  }

  /** Grows with every session opened. */
  get sessionNumber(): number {
    return this.#number
  }

  /** The live session, or a new one. Throws the failure when there is none to be had. */
  async open(): Promise<Session> {
    if (this.#closed) throw new OnceflowError(closedFailure())
    if (this.#session !== undefined && !this.#session.isBroken) return this.#session
    this.#session = undefined
    const session = await this.#connect()
    this.#number += 1
    this.#session = session
    try {
      await this.#greet(session)
    } catch (thrown) {
      this.#session = undefined
      await session.close()
      throw thrown
    }
    return session
  }

  /** Runs on the live session or a new one; a failure to connect is 'broken' with its failure. */
  async run(sql: string): Promise<BatchOutcome | { kind: 'unusable'; failure: Failure }> {
    try {
      const session = await this.open()
      return await session.run(sql)
    } catch (thrown) {
      if (thrown instanceof OnceflowError) return { kind: 'unusable', failure: thrown.failure }
      throw thrown
    }
  }

  async #connect(): Promise<Session> {
    const { host, port, database, user, password } = this.#spec
    const secret =
      password === undefined ? {} : { password: await this.#services.resolveSecret(password) }
    const tries = await tlsTries(this.#spec)
    let last: unknown
    for (const ssl of tries) {
      try {
        const config = { host, port, database, user, ssl, ...secret }
        return await connect(
          { ...config, application_name: this.#applicationName },
          this.#services.clock,
        )
      } catch (thrown) {
        last = thrown
        if (!(thrown instanceof Error) || !isTlsRefused(thrown.message)) break
      }
    }
    throw new OnceflowError(connectFailure(last, endpointName(this.#spec)))
  }

  async #greet(session: Session): Promise<void> {
    const results = await session.must(greetingSql(this.#applicationName), 'greeting the server')
    const judged = judgeGreeting(results, session.greetedPid)
    if (judged.failure !== undefined) throw new OnceflowError(judged.failure)
    const identity = await session.run(identitySql)
    const row = identity.kind === 'ok' ? identity.results[0]?.rows[0] : undefined
    // Where the role may not read it, the ledger alone tells that the server went back in time.
    if (row === undefined) return
    const found = {
      systemIdentifier: row[0] ?? '',
      timeline: row[1] ?? '',
      version: judged.version,
    }
    const refused = this.#services.watch.check(endpointName(this.#spec), found)
    if (refused !== undefined) throw new OnceflowError(refused)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#session?.close()
    this.#session = undefined
  }
}

const closedFailure = (): Failure =>
  failure('SINK_UNREACHABLE', { detail: 'the sink was closed while it worked' })

function connectFailure(thrown: unknown, endpoint: string): Failure {
  const what = `connecting to ${endpoint}`
  if (thrown instanceof OnceflowError) return thrown.failure
  if (!(thrown instanceof Error)) return failure('SINK_UNREACHABLE', { detail: what })
  const { code, severity } = thrown as { readonly code?: string; readonly severity?: string }
  if (severity !== undefined && code !== undefined) {
    return failureOfServer(serverErrorOf(thrown), what)
  }
  const text = thrown.message === '' ? (code ?? thrown.name) : thrown.message
  return failure('SINK_UNREACHABLE', { detail: `${what}: ${text}` })
}
