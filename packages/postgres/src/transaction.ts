import type { EpochBuffer } from '@onceflow/dataflow'
import { failure, invariant, type Json, OnceflowError } from '@onceflow/model'
import type { VersionedSerializer } from '@onceflow/ports'
import { parseGid } from '@onceflow/sinkprotocol'
import type { StagingTable } from './staging.ts'

/** A transaction of the sink; it changes phase while the task carries it to its commit. */
export interface PostgresTransaction {
  phase: TransactionPhase
}

export type TransactionPhase =
  /** Rows are gathered; the target knows nothing of it. */
  | { readonly kind: 'open'; readonly buffer: EpochBuffer }
  /** PREPARE may have been sent: the gid may exist. */
  | { readonly kind: 'sealing'; readonly gid: string }
  | {
      readonly kind: 'sealed'
      readonly gid: string
      /** Emptied once it is committed; unknown to another worker. */
      readonly staging: readonly StagingTable[]
    }
  /** Nothing was written. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'over' }

/** A sealed transaction is its gid: it alone finishes it from anywhere. */
export const transactionSerializer: VersionedSerializer<PostgresTransaction> = {
  version: 1,
  serialize({ phase }): Json {
    invariant(
      phase.kind === 'sealed' || phase.kind === 'empty',
      `only a sealed transaction leaves the task, this one is ${phase.kind}`,
    )
    return phase.kind === 'sealed' ? { gid: phase.gid } : { gid: null }
  },
  deserialize(version, json): PostgresTransaction {
    const gid = gidOf(version, json)
    if (gid === null) return { phase: { kind: 'empty' } }
    return { phase: { kind: 'sealed', gid, staging: [] } }
  },
}

function gidOf(version: number, json: Json): string | null {
  const field =
    version === 1 && typeof json === 'object' && json !== null && 'gid' in json
      ? json['gid']
      : undefined
  if (field === null) return null
  if (typeof field === 'string' && parseGid(field) !== undefined) return field
  throw new OnceflowError(
    failure('METADATA_FORMAT', { detail: `not a transaction handle of version 1: v${version}` }),
  )
}

/** The sink keeps nothing for the life of a task that a checkpoint would have to restore. */
export const contextSerializer: VersionedSerializer<undefined> = {
  version: 1,
  serialize: () => null,
  deserialize: () => undefined,
}
