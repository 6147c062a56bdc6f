import { failure, OnceflowError } from '@onceflow/model'
import type { Link } from './link.ts'
import type { Session } from './session.ts'
import { lockKey } from './sql-text.ts'
import { failureOfServer } from './sqlstate.ts'

/** Version of the tables in schema onceflow; a program that does not know it stops. */
export const formatVersion = '1'

/** What is created in the target database, and what an operator runs when our role may not. */
export const bookkeepingScript = `CREATE SCHEMA IF NOT EXISTS onceflow;
CREATE TABLE IF NOT EXISTS onceflow.format (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  version text NOT NULL
);
CREATE TABLE IF NOT EXISTS onceflow.fence (
  cluster text NOT NULL,
  pipeline_uid text NOT NULL,
  sink text NOT NULL,
  attempt bigint NOT NULL,
  leader_epoch bigint NOT NULL,
  PRIMARY KEY (cluster, pipeline_uid, sink)
);
CREATE TABLE IF NOT EXISTS onceflow.ledger (
  cluster text NOT NULL,
  pipeline_uid text NOT NULL,
  sink text NOT NULL,
  subtask integer NOT NULL,
  checkpoint bigint NOT NULL,
  attempt bigint NOT NULL,
  leader_epoch bigint NOT NULL,
  positions_from jsonb NOT NULL,
  positions_to jsonb NOT NULL,
  rows_upserted bigint NOT NULL,
  rows_deleted bigint NOT NULL,
  digest text NOT NULL,
  sealed_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  PRIMARY KEY (cluster, pipeline_uid, sink, subtask, checkpoint)
);
CREATE TABLE IF NOT EXISTS onceflow.departed (
  cluster text NOT NULL,
  pipeline_uid text NOT NULL,
  sink text NOT NULL,
  subtask integer NOT NULL,
  checkpoint bigint NOT NULL,
  target text NOT NULL,
  lsn numeric NOT NULL,
  row_values text NOT NULL,
  PRIMARY KEY (cluster, pipeline_uid, sink, target, lsn)
);
CREATE TABLE IF NOT EXISTS onceflow.made (
  cluster text NOT NULL,
  pipeline_uid text NOT NULL,
  sink text NOT NULL,
  target text NOT NULL,
  made_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  PRIMARY KEY (cluster, pipeline_uid, sink, target)
);
INSERT INTO onceflow.format (version) VALUES ('${formatVersion}') ON CONFLICT DO NOTHING;`

const readFormat = `SELECT version FROM onceflow.format`

/** Creates schema onceflow where it is missing; two sinks at once both succeed. */
export async function ensureBookkeeping(link: Link): Promise<void> {
  const session = await link.open()
  const found = await session.run(readFormat)
  if (found.kind === 'ok') {
    checkFormat(found.results[0]?.rows[0]?.[0] ?? undefined)
    return
  }
  // 3F000 and 42P01: not there yet. Anything else is told as it is.
  if (found.kind !== 'refused' || !/^(?:3F000|42P01)$/.test(found.error.sqlstate)) {
    await session.must(readFormat, 'reading onceflow.format')
  }
  const made = await session.run(
    `BEGIN;\nSELECT pg_advisory_xact_lock(${lockKey('onceflow')});\n${bookkeepingScript}\nCOMMIT`,
  )
  if (made.kind === 'ok') return
  await session.run('ROLLBACK')
  if (made.kind === 'broken') {
    throw new OnceflowError(
      failure('SINK_UNREACHABLE', { detail: `creating schema onceflow: ${made.detail}` }),
    )
  }
  const cause = failureOfServer(made.error, 'creating schema onceflow')
  throw new OnceflowError({
    ...cause,
    hint:
      made.error.sqlstate === '42501'
        ? `let the role create schemas, or run this as its owner:\n${bookkeepingScript}`
        : cause.hint,
  })
}

export async function checkBookkeeping(session: Session): Promise<void> {
  const results = await session.must(readFormat, 'reading onceflow.format')
  checkFormat(results[0]?.rows[0]?.[0] ?? undefined)
}

function checkFormat(version: string | undefined): void {
  if (version === formatVersion) return
  throw new OnceflowError(
    failure('METADATA_FORMAT', {
      detail: `schema onceflow has format ${version ?? 'none'}, we know ${formatVersion}`,
    }),
  )
}
