import { failureOf, failureText, type PostgresSinkSpec } from '@onceflow/model'
import type { Client } from 'pg'
import type { AuditRequest } from './audit-request.ts'
import { type PreparedName, preparedPrefix, readPreparedName } from './gid-fields.ts'
import { type LedgerRow, ledgerSql, readLedgerRow } from './ledger-row.ts'
import { connectToTarget, textRows } from './target-connection.ts'

export interface PreparedTransaction {
  readonly gid: string
  /** undefined: the name cannot be read. */
  readonly name: PreparedName | undefined
  readonly ageMs: number
}

/**
 * One moment of the target. Everything that is compared is read as of this snapshot, for as long as
 * its session lives, so that it makes no difference that data flows meanwhile.
 */
export interface TargetSnapshot {
  readonly session: Client
  /** For a second session that must see the same rows. */
  readonly snapshotId: string
  readonly ledger: readonly LedgerRow[]
  /** undefined: there is no row. */
  readonly fence: { readonly attempt: bigint; readonly leaderEpoch: bigint } | undefined
  /**
   * Listed BEFORE the snapshot was taken: a decided transaction that is not in it had been
   * committed by then, and the snapshot must show its row of the ledger.
   */
  readonly preparedBefore: readonly PreparedTransaction[]
}

const preparedSql =
  'SELECT gid, (extract(epoch FROM clock_timestamp() - prepared) * 1000)::bigint AS age' +
  ' FROM pg_prepared_xacts WHERE starts_with(gid, $1) AND database = current_database()' +
  ' ORDER BY prepared'

/** pg_prepared_xacts has no snapshot: it is what stands at this moment. */
export async function readPrepared(client: Client): Promise<readonly PreparedTransaction[]> {
  const rows = await textRows(client, preparedSql, [preparedPrefix])
  return rows.map((row) => {
    const gid = row['gid'] ?? ''
    return { gid, name: readPreparedName(gid), ageMs: Number(row['age']) }
  })
}

export type SnapshotResult =
  | { readonly kind: 'taken'; readonly snapshot: TargetSnapshot }
  | { readonly kind: 'failed'; readonly reason: string }

export async function takeSnapshot(
  request: AuditRequest,
  sink: PostgresSinkSpec,
): Promise<SnapshotResult> {
  let session: Client | undefined
  try {
    session = await connectToTarget(sink, request.resolveSecret)
    return { kind: 'taken', snapshot: await snapshotIn(session, request, sink) }
  } catch (thrown) {
    await session?.end().catch(() => undefined)
    return { kind: 'failed', reason: failureText(failureOf(thrown)) }
  }
}

async function snapshotIn(
  session: Client,
  { cluster, pipelineUid }: AuditRequest,
  sink: PostgresSinkSpec,
): Promise<TargetSnapshot> {
  const names = [cluster, pipelineUid, sink.name]
  const preparedBefore = await readPrepared(session)
  await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const [exported] = await textRows(session, 'SELECT pg_export_snapshot() AS id')
  const [found] = await textRows(
    session,
    "SELECT to_regclass('onceflow.ledger') AS ledger, to_regclass('onceflow.fence') AS fence",
  )
  const isThere = found?.['ledger'] != null && found['fence'] != null
  const rows = isThere ? await textRows(session, ledgerSql, names) : []
  const [fence] = isThere
    ? await textRows(
        session,
        'SELECT attempt, leader_epoch FROM onceflow.fence' +
          ' WHERE cluster = $1 AND pipeline_uid = $2 AND sink = $3',
        names,
      )
    : []
  return {
    session,
    snapshotId: exported?.['id'] ?? '',
    ledger: rows.map(readLedgerRow),
    fence:
      fence === undefined
        ? undefined
        : {
            attempt: BigInt(fence['attempt'] ?? '0'),
            leaderEpoch: BigInt(fence['leader_epoch'] ?? '0'),
          },
    preparedBefore,
  }
}

/** A session that sees what the snapshot sees and may make temporary tables beside it. */
export async function openBeside(
  snapshot: TargetSnapshot,
  request: AuditRequest,
  sink: PostgresSinkSpec,
): Promise<Client> {
  const client = await connectToTarget(sink, request.resolveSecret)
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await client.query(`SET TRANSACTION SNAPSHOT '${snapshot.snapshotId.replaceAll("'", "''")}'`)
  } catch (thrown) {
    await client.end().catch(() => undefined)
    throw thrown
  }
  return client
}
