import type { AuditRequest } from './audit-request.ts'
import { type CheckScope, found } from './check-scope.ts'
import { type Decisions, isDecided } from './decision-checks.ts'
import type { PreparedName } from './gid-fields.ts'
import type { PreparedTransaction, TargetSnapshot } from './target-snapshot.ts'

/** Of one subtask: the one that waits for its commit, and the one being sealed. */
const preparedPerSubtaskMax = 2

export interface OpenTransactionsInput {
  readonly request: AuditRequest
  readonly snapshot: TargetSnapshot
  readonly graceMs: number
  readonly decisions: Decisions | undefined
  /** Prepared now, at the end: what is over by then was only on its way. */
  readonly preparedAfter: readonly PreparedTransaction[]
}

export function checkOpenTransactions(scope: CheckScope, input: OpenTransactionsInput): void {
  const after = new Set(input.preparedAfter.map(({ gid }) => gid))
  const lasting = input.snapshot.preparedBefore.filter(({ gid }) => after.has(gid))
  const perSubtask = new Map<number, number>()
  for (const transaction of lasting) {
    const { name } = transaction
    if (name === undefined) {
      orphan(scope, transaction, 'its name begins like ours and cannot be read')
      continue
    }
    const owner = ownerOf(scope, name, input.request)
    if (owner === 'ours') {
      judge(scope, { ...transaction, name }, input)
      perSubtask.set(name.subtask, (perSubtask.get(name.subtask) ?? 0) + 1)
    } else if (owner === 'gone') {
      orphan(scope, transaction, 'it belongs to a pipeline or a sink that does not exist')
    }
  }
  for (const [subtask, count] of perSubtask) {
    if (count <= preparedPerSubtaskMax) continue
    found(scope, {
      kind: 'open-transaction',
      key: `subtask ${subtask}`,
      detail: `${count} prepared transactions of one subtask, at most ${preparedPerSubtaskMax}`,
    })
  }
}

function orphan(scope: CheckScope, { gid, ageMs }: PreparedTransaction, why: string): void {
  found(scope, {
    kind: 'orphan-transaction',
    severity: 'warning',
    key: gid,
    detail: `prepared for ${seconds(ageMs)}: ${why}`,
  })
}

/** others: another cluster's, another sink's of ours, or not to be judged. */
function ownerOf(
  scope: CheckScope,
  name: PreparedName,
  request: AuditRequest,
): 'ours' | 'gone' | 'others' {
  if (name.cluster !== request.cluster) return 'others'
  if (name.pipeline !== request.pipelineUid) {
    const known = request.knownPipelines
    if (known === undefined) return 'others'
    return known.some((uid) => uid === name.pipeline) ? 'others' : 'gone'
  }
  if (name.sink === scope.sink) return 'ours'
  return request.spec.sinks.some((sink) => sink.name === name.sink) ? 'others' : 'gone'
}

type Named = PreparedTransaction & { readonly name: PreparedName }

function judge(scope: CheckScope, { gid, name, ageMs }: Named, input: OpenTransactionsInput): void {
  const { snapshot, graceMs, decisions, request } = input
  const fence = snapshot.fence?.attempt ?? 0n
  const age = `prepared for ${seconds(ageMs)}`
  if (name.attempt > fence) {
    const detail = `${age}, of attempt ${name.attempt}, and the fence is at ${fence}`
    found(scope, { kind: 'fence', key: gid, detail })
    return
  }
  const decision = decisions?.before.find(
    (one) => one.checkpoint === name.checkpoint && one.attempt === name.attempt,
  )
  if (decision !== undefined && isDecided(decision)) {
    if (ageMs > graceMs) {
      const detail = `${age}, its commit is decided, the grace is ${seconds(graceMs)}`
      found(scope, { kind: 'open-transaction', key: gid, detail })
    }
    return
  }
  if (name.attempt < fence && (decisions !== undefined || ageMs > graceMs)) {
    const detail = `${age}, not decided, of attempt ${name.attempt} below the fence at ${fence}`
    found(scope, { kind: 'open-transaction', key: gid, detail })
    return
  }
  const limitMs = graceMs + request.spec.checkpoint.timeoutMs
  if (ageMs > limitMs) {
    const detail = `${age}, not decided: longer than a checkpoint may take and the grace`
    found(scope, { kind: 'open-transaction', key: gid, detail })
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
