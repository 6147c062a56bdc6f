import type { Connection, Submittable } from 'pg'
import type { BatchOutcome } from './session.ts'
import type { ServerError } from './sqlstate.ts'

export interface BatchResult {
  /** Such as `INSERT 0 5`, `PREPARE TRANSACTION`. */
  readonly tag: string
  /** Values in PostgreSQL's text form. */
  readonly rows: readonly (readonly (string | null)[])[]
}

/** The text of a COPY FROM STDIN, in pieces. */
export type CopySource = Iterable<Buffer>

interface Wire {
  query(text: string): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
  sendCopyFromChunk(chunk: Buffer): void
  readonly stream: {
    readonly writableNeedDrain: boolean
    readonly destroyed: boolean
    once(event: 'drain' | 'close', listener: () => void): void
    off(event: 'drain' | 'close', listener: () => void): void
  }
}

/**
 * One simple query of any number of statements. Node-postgres calls the handle methods as messages
 * arrive; `outcome` rejects only with what a source of a COPY threw.
 */
export class Batch implements Submittable {
  readonly #text: string
  readonly #sources: readonly CopySource[]
  #nextSource = 0
  #rows: (string | null)[][] = []
  readonly #results: BatchResult[] = []
  #settle: (outcome: BatchOutcome) => void = () => undefined
  #reject: (thrown: unknown) => void = () => undefined
  #thrown: unknown
  #done = false
  readonly outcome: Promise<BatchOutcome>

  constructor(text: string, sources: readonly CopySource[]) {
    this.#text = text
    this.#sources = sources
    this.outcome = new Promise((resolve, reject) => {
      this.#settle = resolve
      this.#reject = reject
    })
  }

  submit(connection: Connection): void {
    wireOf(connection).query(this.#text)
  }

  handleRowDescription(): void {
    this.#rows = []
  }

  handleDataRow(message: { readonly fields: (string | null)[] }): void {
    this.#rows.push(message.fields)
  }

  handleCommandComplete(message: { readonly text: string }): void {
    this.#results.push({ tag: message.text, rows: this.#rows })
    this.#rows = []
  }

  handleEmptyQuery(): void {
    this.#results.push({ tag: '', rows: [] })
  }

  handlePortalSuspended(): void {}

  handleCopyData(): void {}

  handleCopyInResponse(connection: Connection): void {
    const wire = wireOf(connection)
    const source = this.#sources[this.#nextSource]
    this.#nextSource += 1
    if (source === undefined) {
      wire.sendCopyFail('no source for this COPY')
      return
    }
    this.#copy(wire, source).catch((error: unknown) => {
      this.#thrown = error
      wire.sendCopyFail('the source of the copy failed')
    })
  }

  async #copy(wire: Wire, source: CopySource): Promise<void> {
    for (const chunk of source) {
      if (this.#done || wire.stream.destroyed) return
      wire.sendCopyFromChunk(chunk)
      if (wire.stream.writableNeedDrain) await drained(wire)
    }
    if (!this.#done) wire.endCopyFrom()
  }

  handleError(error: Error & { readonly severity?: string; readonly code?: string }): void {
    this.#done = true
    if (this.#thrown !== undefined) {
      this.#reject(this.#thrown)
      return
    }
    // Only the server's own errors carry a severity; anything else is the connection's.
    if (error.severity === undefined || error.code === undefined) {
      this.#settle({ kind: 'broken', detail: error.message })
    } else this.#settle({ kind: 'refused', error: serverErrorOf(error) })
  }

  handleReadyForQuery(): void {
    this.#done = true
    this.#settle({ kind: 'ok', results: this.#results })
  }
}

const wireOf = (connection: Connection): Wire => connection as unknown as Wire

function drained(wire: Wire): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      wire.stream.off('drain', go)
      wire.stream.off('close', go)
      resolve()
    }
    wire.stream.once('drain', go)
    wire.stream.once('close', go)
  })
}

export function serverErrorOf(error: {
  readonly message: string
  readonly code?: string
  readonly table?: string
  readonly column?: string
  readonly constraint?: string
}): ServerError {
  return {
    sqlstate: error.code ?? '',
    message: error.message,
    table: error.table,
    column: error.column,
    constraint: error.constraint,
  }
}
