import { failureOf, failureText } from '@onceflow/model'
import type { AuditCheckpoint, AuditRequest } from './audit-request.ts'
import type { CheckScope } from './check-scope.ts'
import type { LedgerRow } from './ledger-row.ts'

/** How often the decisions are asked for again when they end below what the target has. */
const askedAgainMax = 3
const askAgainAfterMs = 2_000

/** undefined: nobody gave a way to ask, or nobody answered; the latter is told as not checked. */
export async function readDecisions(
  scope: CheckScope,
  request: AuditRequest,
): Promise<readonly AuditCheckpoint[] | undefined> {
  if (request.checkpoints === undefined) return undefined
  try {
    return await request.checkpoints()
  } catch (thrown) {
    const reason = failureText(failureOf(thrown))
    scope.findings.unchecked(`the decisions could not be read: ${reason}`)
    return undefined
  }
}

/**
 * After the snapshot: every committed row must be decided. A leader that was deposed a moment ago
 * may not know of the newest decision, so for a row above all decisions they are asked for again.
 */
export async function readDecisionsFor(
  scope: CheckScope,
  request: AuditRequest,
  rows: readonly LedgerRow[],
): Promise<readonly AuditCheckpoint[] | undefined> {
  let newestRow = -1n
  for (const { checkpoint } of rows) if (checkpoint > newestRow) newestRow = checkpoint
  for (let asked = 0; ; asked += 1) {
    const decisions = await readDecisions(scope, request)
    if (decisions === undefined || asked === askedAgainMax) return decisions
    if (decisions.some(({ checkpoint }) => checkpoint >= newestRow)) return decisions
    await pause(request, askAgainAfterMs)
  }
}

const pause = ({ clock }: AuditRequest, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(delayMs, resolve)
  })
