// A stream's write side with a bound.
//
// - Bytes go to the stream as long as it takes them without asking to wait; then they wait here, in
//   order, until it drains.
// - What waits here never exceeds the bound: the writer then refuses, and its owner closes the
//   link. A message is never dropped alone.
// - A finished writer ends the stream after the last byte that waited; a discarded one writes no
//   more.

export interface WritableEnd {
  write(bytes: Buffer): boolean
  end(): void
}

type State = 'open' | 'finishing' | 'over'

export class BoundedWriter {
  readonly #end: WritableEnd
  readonly #queueBytesMax: number
  #queue: Buffer[] = []
  #queuedBytes = 0
  #mayWrite = true
  #state: State = 'open'

  constructor(end: WritableEnd, queueBytesMax: number) {
    this.#end = end
    this.#queueBytesMax = queueBytesMax
  }

  /** full: the bytes were not taken, and the stream is of no more use. */
  send(bytes: Buffer): 'queued' | 'full' {
    if (this.#state !== 'open') return 'full'
    if (this.#mayWrite) {
      this.#mayWrite = this.#end.write(bytes)
      return 'queued'
    }
    if (this.#queuedBytes + bytes.length > this.#queueBytesMax) return 'full'
    this.#queue.push(bytes)
    this.#queuedBytes += bytes.length
    return 'queued'
  }

  /** The stream has room again. */
  drained(): void {
    if (this.#state === 'over') return
    this.#mayWrite = true
    let written = 0
    for (const bytes of this.#queue) {
      if (!this.#mayWrite) break
      this.#mayWrite = this.#end.write(bytes)
      this.#queuedBytes -= bytes.length
      written += 1
    }
    this.#queue = this.#queue.slice(written)
    if (this.#state === 'finishing') this.finish()
  }

  /** Ends the stream when all that waits is written; nothing more can be sent. */
  finish(): void {
    if (this.#state === 'over') return
    this.#state = this.#queue.length === 0 ? 'over' : 'finishing'
    if (this.#state === 'over') this.#end.end()
  }

  discard(): void {
    this.#state = 'over'
    this.#queue = []
    this.#queuedBytes = 0
  }
}
