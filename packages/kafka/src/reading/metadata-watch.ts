import {
  type Failure,
  failure,
  failureOf,
  partitionKey,
  type SourcePartition,
  type TopicSelection,
} from '@onceflow/model'
import {
  askMetadata,
  askSelectedTopics,
  refuseTopicError,
  unknownTopic,
} from '../connection/cluster-metadata.ts'
import { backOffMs, WakeUp } from '../connection/wake-up.ts'
import type { TopicMetadata } from '../wire/metadata.ts'
import type { PartitionCursor } from './partition-cursor.ts'
import type { ReaderContext } from './reader-context.ts'

/** How many answers in a row must tell another topic id: one broker may be behind the others. */
const otherIdAnswers = 2

/**
 * Looks at the metadata every few seconds, and at once when a fetch loop meets something that only
 * metadata explains.
 *
 * Invariants: an older leader epoch never replaces a newer one; every partition of the selected
 * topics is in `seen`, and those that were not there at the start are in `found`.
 */
export class MetadataWatch {
  private readonly context: ReaderContext
  private readonly selection: TopicSelection
  private readonly wakeUp: WakeUp
  private readonly seen = new Set<string>()
  private readonly found: SourcePartition[] = []
  private wanted: 'no' | 'yes' = 'no'
  /** Refreshes in a row that were asked for, which slows them down. */
  private hurried = 0
  private lastGrowthCheckMs: number

  constructor(context: ReaderContext, selection: TopicSelection) {
    this.context = context
    this.selection = selection
    this.wakeUp = new WakeUp(context.clock)
    this.lastGrowthCheckMs = context.clock.monotonicMs()
  }

  get newPartitions(): readonly SourcePartition[] {
    return this.found
  }

  /** The partitions that are there when reading begins; what comes later is new. */
  baseline(topics: readonly TopicMetadata[]): void {
    this.grow(topics)
    this.found.length = 0
  }

  refreshSoon(): void {
    this.wanted = 'yes'
    this.wakeUp.notify()
  }

  stop(): void {
    this.wakeUp.notify()
  }

  async run(): Promise<void> {
    while (!this.context.closed()) {
      if (this.wanted === 'no') {
        this.hurried = 0
        await this.wakeUp.wait(this.context.settings.metadataRefreshMs)
      } else {
        // Asked for while another refresh ran: not at once again.
        await this.pause(backOffMs(this.hurried++))
      }
      if (this.context.closed()) return
      this.wanted = 'no'
      await this.refresh()
    }
  }

  /** Takes leaders and ids over; the first one is called before the loops start. */
  apply(topics: readonly TopicMetadata[]): void {
    const byName = new Map(topics.map((topic) => [topic.topic, topic]))
    for (const cursor of this.context.cursors.values()) {
      const topic = byName.get(cursor.topic)
      if (topic === undefined || unknownTopic(topic)) this.missing(cursor)
      else this.follow(cursor, topic)
    }
  }

  private async pause(delayMs: number): Promise<void> {
    const untilMs = this.context.clock.monotonicMs() + delayMs
    for (;;) {
      const leftMs = untilMs - this.context.clock.monotonicMs()
      if (leftMs <= 0 || this.context.closed()) return
      await this.wakeUp.wait(leftMs)
    }
  }

  private async refresh(): Promise<void> {
    const { context } = this
    try {
      const names = [...new Set([...context.cursors.values()].map((cursor) => cursor.topic))]
      if (names.length > 0) this.apply((await askMetadata(context.connections, names)).topics)
      await this.checkGrowth()
    } catch (thrown) {
      if (!context.closed()) this.refreshFailed(failureOf(thrown))
    }
  }

  private refreshFailed(cause: Failure): void {
    const { context } = this
    const unwell = [...context.cursors.values()].filter(
      (cursor) => cursor.leader < 0 || cursor.failingSinceMs !== undefined,
    )
    for (const cursor of unwell) context.trouble(cursor, cause)
    if (unwell.length > 0) this.refreshSoon()
    context.journal.write('debug', 'source metadata not refreshed', { detail: cause.detail })
  }

  private async checkGrowth(): Promise<void> {
    const { context, selection } = this
    const { metadataRefreshMs, patternRefreshMs } = context.settings
    const everyMs = selection.kind === 'pattern' ? patternRefreshMs : metadataRefreshMs
    const nowMs = context.clock.monotonicMs()
    if (nowMs - this.lastGrowthCheckMs < everyMs / 2) return
    this.lastGrowthCheckMs = nowMs
    this.grow(await askSelectedTopics(context.connections, selection))
  }

  private grow(topics: readonly TopicMetadata[]): void {
    for (const { topic, topicId, partitions } of topics) {
      for (const { partition } of partitions) {
        const key = `${topicId}:${partitionKey({ topic, partition })}`
        if (this.seen.has(key)) continue
        this.seen.add(key)
        this.found.push({ topic, topicId, partition })
      }
    }
  }

  private missing(cursor: PartitionCursor): void {
    const { context } = this
    const nowMs = context.clock.monotonicMs()
    cursor.missingSinceMs ??= nowMs
    const missingMs = nowMs - cursor.missingSinceMs
    if (missingMs >= context.settings.topicMissingAfterMs) {
      context.fail(
        failure('TOPIC_MISSING', {
          detail: `topic ${cursor.topic} is gone for ${Math.round(missingMs)} ms`,
        }),
      )
      return
    }
    this.refreshSoon()
  }

  private follow(cursor: PartitionCursor, topic: TopicMetadata): void {
    const { context } = this
    try {
      refuseTopicError(topic)
    } catch (thrown) {
      const cause = failureOf(thrown)
      if (cause.class === 'fatal') context.fail(cause)
      else context.trouble(cursor, cause)
      return
    }
    if (topic.topicId !== cursor.topicId) {
      this.otherId(cursor, topic)
      return
    }
    cursor.otherIdSeen = 0
    cursor.missingSinceMs = undefined
    cursor.identity = 'proved'
    const partition = topic.partitions.find((each) => each.partition === cursor.partition)
    if (partition === undefined || partition.leader < 0) {
      const detail = `${cursor.key} has no leader now`
      context.trouble(cursor, failure('SOURCE_UNREACHABLE', { detail }))
      this.refreshSoon()
      return
    }
    if (partition.leaderEpoch < cursor.leaderEpoch) return
    this.lead(cursor, partition.leader, partition.leaderEpoch)
  }

  private lead(cursor: PartitionCursor, leader: number, leaderEpoch: number): void {
    if (leader === cursor.leader && leaderEpoch === cursor.leaderEpoch) return
    const { journal, movements } = this.context
    if (cursor.leader >= 0 && cursor.leader !== leader) {
      journal.write('info', 'leader of a source partition moved', {
        partition: cursor.key,
        from: cursor.leader,
        to: leader,
        leaderEpoch,
      })
    }
    // An answer of the old leader that is still on its way is dropped.
    if (cursor.leader !== leader) cursor.flight = 0
    cursor.leader = leader
    cursor.leaderEpoch = leaderEpoch
    cursor.pausedUntilMs = 0
    movements.notify()
  }

  private otherId(cursor: PartitionCursor, topic: TopicMetadata): void {
    cursor.otherIdSeen++
    cursor.identity = 'in-doubt'
    if (cursor.otherIdSeen < otherIdAnswers) {
      this.refreshSoon()
      return
    }
    this.context.fail(
      failure('TOPIC_CHANGED', {
        detail: `topic ${cursor.topic} has id ${topic.topicId}, not ${cursor.topicId}`,
      }),
    )
  }
}
