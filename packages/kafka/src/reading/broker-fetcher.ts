/**
 * The fetch loop of one broker:
 *
 *   plan ──wait──▶ sleep until room, a leader's move or a pause's end ──▶ plan
 *     └──fetch──▶ one combined Fetch (long poll) ──▶ judge each partition ──▶ plan
 *
 * The next Fetch leaves as soon as the last answer is in the queue, while a poll unpacks it.
 */
import { failure, failureOf, partitionKey } from '@onceflow/model'
import { chunkExtent, PartitionChunk } from '../records/partition-chunk.ts'
import { errorText } from '../wire/error-codes.ts'
import {
  type FetchPartitionAnswer,
  type FetchRequest,
  type FetchResponse,
  fetchApi,
} from '../wire/fetch.ts'
import { judgeAnswer } from './answer-verdict.ts'
import { planFetch } from './fetch-plan.ts'
import { noteHealthy, type PartitionCursor } from './partition-cursor.ts'
import type { ReaderContext } from './reader-context.ts'

/** Numbers of requests are unique within a process, so that no answer is taken for another's. */
let lastFlight = 0

export class BrokerFetcher {
  private readonly brokerId: number
  private readonly context: ReaderContext
  private turn = 0

  constructor(brokerId: number, context: ReaderContext) {
    this.brokerId = brokerId
    this.context = context
  }

  /** Runs until the reader is closed or failed. `shareBytes`: what it may hold in the queue. */
  async run(shareBytes: () => number): Promise<void> {
    const { context } = this
    while (!context.closed()) {
      const plan = planFetch({
        cursors: [...context.cursors.values()].filter((cursor) => cursor.leader === this.brokerId),
        nowMs: context.clock.monotonicMs(),
        shareBytes: shareBytes(),
        turn: this.turn++,
        settings: context.settings,
      })
      if (plan.kind === 'fetch') await this.fetch(plan.cursors, plan.request)
      else {
        if (plan.reason === 'no-room') this.forgetTrouble()
        await context.movements.wait(plan.waitMs)
      }
    }
  }

  /** Time in which nobody polls says nothing about the broker: its failures are counted anew. */
  private forgetTrouble(): void {
    for (const cursor of this.context.cursors.values()) {
      if (cursor.leader === this.brokerId) cursor.failingSinceMs = undefined
    }
  }

  private async fetch(cursors: readonly PartitionCursor[], request: FetchRequest): Promise<void> {
    const { context } = this
    const flight = ++lastFlight
    for (const cursor of cursors) cursor.flight = flight
    try {
      const link = context.connections.broker(this.brokerId)
      if (link === undefined) {
        this.allFailed(cursors, flight, `broker ${this.brokerId} is not known`)
        return
      }
      const timeoutMs = request.maxWaitMs + context.settings.requestTimeoutMs
      const response = await link.call(fetchApi, request, timeoutMs)
      if (context.closed()) return
      if (response.errorCode === 0) this.accept(response, cursors, flight)
      else this.allFailed(cursors, flight, `Fetch: ${errorText(response.errorCode)}`)
    } catch (thrown) {
      if (!context.closed()) this.linkFailed(cursors, flight, thrown)
    } finally {
      for (const cursor of cursors) if (cursor.flight === flight) cursor.flight = 0
    }
  }

  private linkFailed(cursors: readonly PartitionCursor[], flight: number, thrown: unknown): void {
    const cause = failureOf(thrown)
    if (cause.class === 'fatal' && cause.code !== 'SOURCE_AUTH') this.context.fail(cause)
    else this.allFailed(cursors, flight, cause.detail)
  }

  private allFailed(cursors: readonly PartitionCursor[], flight: number, detail: string): void {
    const cause = failure('SOURCE_UNREACHABLE', { detail })
    for (const cursor of cursors) {
      if (cursor.flight === flight) this.context.trouble(cursor, cause)
    }
    this.context.refreshSoon()
  }

  /** Answers are found by id or name, never by their place in the answer. */
  private accept(
    response: FetchResponse,
    cursors: readonly PartitionCursor[],
    flight: number,
  ): void {
    const names = new Map(cursors.map((cursor) => [cursor.topicId, cursor.topic]))
    for (const answered of response.topics) {
      const topic = answered.topic === '' ? names.get(answered.topicId) : answered.topic
      for (const answer of answered.partitions) {
        const key = partitionKey({ topic: topic ?? '', partition: answer.partition })
        const cursor = this.context.cursors.get(key)
        if (cursor?.flight === flight) this.take(cursor, answer)
      }
    }
    if (!this.context.queue.empty) this.context.arrivals.notify()
  }

  private take(cursor: PartitionCursor, answer: FetchPartitionAnswer): void {
    const { context } = this
    const { topic, partition } = cursor
    const position = { topic, partition, offset: cursor.fetchOffset }
    const verdict = judgeAnswer(answer, position)
    const told = `${cursor.key}: the broker answers ${errorText(answer.errorCode)}`
    switch (verdict.kind) {
      case 'records':
        noteHealthy(cursor)
        this.enqueue(cursor, answer)
        return
      case 'unknown-topic':
        // Before Fetch by topic id, a name alone would lead into a topic that was made again.
        cursor.identity = 'in-doubt'
        context.trouble(cursor, failure('SOURCE_UNREACHABLE', { detail: told }))
        context.refreshSoon()
        return
      case 'moved':
      case 'again':
        context.trouble(cursor, failure('SOURCE_UNREACHABLE', { detail: told }))
        context.refreshSoon()
        return
      case 'out-of-range':
        context.outOfRange(cursor)
        return
      case 'truncated':
        context.fail(
          failure('LOG_TRUNCATED', {
            detail: `the log of leader epoch ${cursor.fetchEpoch} ends at ${verdict.endOffset}`,
            position,
          }),
        )
        return
      case 'refused':
        context.fail(verdict.failure)
    }
  }

  private enqueue(cursor: PartitionCursor, answer: FetchPartitionAnswer): void {
    cursor.end = answer.lastStableOffset
    cursor.starved = 'no'
    const bytes = answer.records
    if (bytes === null || bytes.length === 0) return
    const { topic, partition, fetchOffset } = cursor
    const place = { topic, partition }
    try {
      const extent = chunkExtent({ bytes, place, fetchOffset })
      if (extent === undefined) {
        cursor.starved = 'yes'
        return
      }
      if (extent.nextOffset <= fetchOffset) {
        const detail = `${cursor.key}: batches up to ${extent.nextOffset} came for ${fetchOffset}`
        this.context.trouble(cursor, failure('SOURCE_PROTOCOL', { detail }))
        return
      }
      const chunk = new PartitionChunk({
        place,
        bytes: bytes.subarray(0, extent.bytes),
        aborted: answer.aborted,
        fetchOffset,
        unpackedBytesMax: this.context.settings.unpackedBytesMax,
      })
      this.context.queue.push({ cursor, chunk, bytes: extent.bytes })
      cursor.fetchOffset = extent.nextOffset
      cursor.fetchEpoch = extent.leaderEpoch
    } catch (thrown) {
      this.context.fail(failureOf(thrown))
    }
  }
}
