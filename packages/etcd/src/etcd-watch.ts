import type { Subscription } from '@onceflow/ports'
import type { Etcd3, IWatchResponse } from 'etcd3'

/** Waits between two tries to connect: doubled from the first to the last. */
const retryMsMin = 100
const retryMsMax = 2_000

interface WatchStream {
  on(event: 'data', listener: (response: IWatchResponse) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'end', listener: () => void): unknown
  write(request: object): unknown
  cancel(): void
}

export interface WatchRequest {
  readonly interval: { readonly key: Buffer; readonly range_end: Buffer }
  readonly onHint: () => void
  readonly onEnd: () => void
}

/**
 * Hints about one interval of keys, on a stream of its own.
 *
 * It never asks for a start revision: whatever ended the stream (an outage, a compaction, a
 * cancellation by etcd), it connects again and gives one hint, after which the caller reads again.
 *
 * Invariants: at most one stream or one timer at a time; after cancel() neither, and no hint.
 */
export class EtcdWatch implements Subscription {
  readonly #client: Etcd3
  readonly #request: WatchRequest
  #stream: WatchStream | undefined
  #timer: NodeJS.Timeout | undefined
  #retryMs = retryMsMin
  #state: 'open' | 'cancelled' = 'open'

  constructor(client: Etcd3, request: WatchRequest) {
    this.#client = client
    this.#request = request
    void this.#connect()
  }

  cancel(): void {
    if (this.#isCancelled()) return
    this.#state = 'cancelled'
    clearTimeout(this.#timer)
    this.#stream?.cancel()
    this.#stream = undefined
    this.#request.onEnd()
  }

  async #connect(): Promise<void> {
    try {
      // A read first: it renews an outdated token, and it tells whether etcd answers at all.
      await this.#client.kv.range({ key: this.#request.interval.key, keys_only: true })
      if (this.#isCancelled()) return
      const stream: WatchStream = await this.#client.watchClient.watch()
      this.#attach(stream)
    } catch {
      this.#retryLater()
    }
  }

  #attach(stream: WatchStream): void {
    // Also when cancelled: a stream without a listener for errors would throw them.
    stream.on('error', () => this.#lost(stream))
    stream.on('end', () => this.#lost(stream))
    stream.on('data', (response) => this.#received(stream, response))
    if (this.#isCancelled()) {
      stream.cancel()
      return
    }
    this.#stream = stream
    stream.write({ create_request: this.#request.interval })
  }

  #received(stream: WatchStream, response: IWatchResponse): void {
    if (this.#stream !== stream) return
    if (response.canceled) {
      stream.cancel()
      this.#lost(stream)
      return
    }
    this.#retryMs = retryMsMin
    if (response.created || response.events.length > 0) this.#request.onHint()
  }

  #lost(stream: WatchStream): void {
    if (this.#stream !== stream) return
    this.#stream = undefined
    this.#retryLater()
  }

  #retryLater(): void {
    if (this.#isCancelled()) return
    this.#timer = setTimeout(() => void this.#connect(), this.#retryMs)
    this.#retryMs = Math.min(this.#retryMs * 2, retryMsMax)
  }

  #isCancelled(): boolean {
    return this.#state === 'cancelled'
  }
}
