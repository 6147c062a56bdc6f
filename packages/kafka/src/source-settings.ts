/** Settings of one process for every Kafka source; none of them changes what is delivered. */
export interface KafkaSettings {
  readonly connectTimeoutMs: number
  readonly requestTimeoutMs: number
  /** How long a Fetch waits at the broker for something to arrive. */
  readonly maxWaitMs: number
  /** Instead of maxWaitMs while a partition is left out: it may get room meanwhile. */
  readonly maxWaitLeftOutMs: number
  /** Of one Fetch answer, over all partitions. */
  readonly fetchBytesMax: number
  readonly partitionBytesMax: number
  /** Unpacked bytes after which a poll hands over what it has; a single batch may be larger. */
  readonly pollBytesMax: number
  /** A batch that is larger when unpacked is refused: LIMIT_EXCEEDED. */
  readonly unpackedBytesMax: number
  readonly metadataRefreshMs: number
  /** As metadataRefreshMs, for topics by pattern, which needs the metadata of every topic. */
  readonly patternRefreshMs: number
  /** A reader that gets nothing for a partition for so long gives up: SOURCE_UNREACHABLE. */
  readonly unreachableAfterMs: number
  /** A topic that brokers do not know for so long is gone: TOPIC_MISSING. */
  readonly topicMissingAfterMs: number
  /** inspect, endOffsets and publishProgress give up after it. */
  readonly lookUpTimeoutMs: number
}

export const defaultKafkaSettings: KafkaSettings = {
  connectTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  maxWaitMs: 500,
  maxWaitLeftOutMs: 20,
  fetchBytesMax: 8 * 1024 * 1024,
  partitionBytesMax: 1024 * 1024,
  pollBytesMax: 1024 * 1024,
  unpackedBytesMax: 128 * 1024 * 1024,
  metadataRefreshMs: 5_000,
  patternRefreshMs: 5_000,
  unreachableAfterMs: 60_000,
  topicMissingAfterMs: 5_000,
  lookUpTimeoutMs: 30_000,
}
