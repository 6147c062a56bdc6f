import type { Failure, Incarnation, WorkerId } from '@onceflow/model'
import type {
  Clock,
  FailPoints,
  Journal,
  LeaderLink,
  SinkFactory,
  SourceLogFactory,
} from '@onceflow/ports'
import type { DecoderFactory } from './record-decoder.ts'

/** Settings of this process alone; no other process has to agree. */
export interface WorkerLimits {
  readonly tasksMax: number
  /** Bytes of record batches that the reader of one task may hold. */
  readonly readerBytesMax: number
  /** How long a poll waits for records. */
  readonly pollWaitMs: number
  /** A batch is handed to the sinks in slices of at most this many records and bytes. */
  readonly sliceRecordsMax: number
  readonly sliceBytesMax: number
  /** A task gives the event loop back after this long. */
  readonly turnMs: number
  /** Progress is shown to people at most this often. */
  readonly progressIntervalMs: number
  /** A leader that has sent heartbeats and is silent for so long is looked for again. */
  readonly leaderSilenceMs: number
  /** Longest wait for a clean hand-over on drain. */
  readonly drainMs: number
  /** Longest wait for roll-back and close of an ended task. */
  readonly closeMs: number
}

export const defaultWorkerLimits: WorkerLimits = {
  tasksMax: 16,
  readerBytesMax: 8 * 1024 * 1024,
  pollWaitMs: 200,
  sliceRecordsMax: 512,
  sliceBytesMax: 512 * 1024,
  turnMs: 8,
  progressIntervalMs: 1_000,
  leaderSilenceMs: 5_000,
  drainMs: 60_000,
  closeMs: 10_000,
}

/** Everything the worker has of the world. Time, timers and yielding come through here only. */
export interface WorkerOptions {
  readonly worker: WorkerId
  /** Random per process start. */
  readonly incarnation: Incarnation
  readonly version: string
  readonly link: LeaderLink
  readonly clock: Clock
  readonly journal: Journal
  readonly failPoints: FailPoints
  readonly sources: readonly SourceLogFactory[]
  readonly sinks: readonly SinkFactory[]
  readonly createDecoder: DecoderFactory
  readonly limits: WorkerLimits
  readonly rssBytes: () => number
  /** Lets the event loop serve sockets and timers (setImmediate in a process). */
  readonly yieldTurn: () => Promise<void>
  /** A sink says that somebody newer owns the pipeline: this process was replaced and must exit. */
  readonly onFenced: (failure: Failure) => void
  /** A broken invariant: the process must stop. */
  readonly onDefect: (error: unknown) => void
}
