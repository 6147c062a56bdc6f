import type { ClusterUid } from '@onceflow/model'
import type { WorkerMessage } from '@onceflow/ports'
import type { WorkerOptions } from './worker-options.ts'

/** What a task or a resolver has of its worker. */
export interface TaskHost
  extends Pick<
    WorkerOptions,
    | 'clock'
    | 'journal'
    | 'failPoints'
    | 'sources'
    | 'sinks'
    | 'createDecoder'
    | 'limits'
    | 'yieldTurn'
    | 'onFenced'
    | 'onDefect'
  > {
  /** Of the leader's welcome. */
  readonly cluster: () => ClusterUid
  readonly send: (message: WorkerMessage) => void
}
