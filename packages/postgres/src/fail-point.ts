/** Where a test may stop, freeze or delay the sink; inert unless one is turned on. */
export const postgresFailPoints = [
  'sink.postgres.seal.fence.before',
  'sink.postgres.seal.fence.after',
  'sink.postgres.seal.stage.after',
  'sink.postgres.seal.merge.after',
  'sink.postgres.seal.ledger.after',
  'sink.postgres.seal.prepare.before',
  /** PREPARE is done; its reply is not looked at yet. */
  'sink.postgres.seal.prepare.reply-lost',
  'sink.postgres.commit.before',
  /** COMMIT PREPARED is done; its reply is not looked at yet. The same holds for those below. */
  'sink.postgres.commit.commit-prepared',
  'sink.postgres.commit.find-prepared',
  'sink.postgres.commit.find-ledger',
  'sink.postgres.commit.after',
  'sink.postgres.abort.before',
  'sink.postgres.abort.rollback-prepared',
  'sink.postgres.resolve.read-fence',
  'sink.postgres.resolve.list-prepared',
  'sink.postgres.resolve.commit-prepared',
  'sink.postgres.resolve.rollback-prepared',
  'sink.postgres.resolve.find-prepared',
  'sink.postgres.resolve.find-ledger',
  'sink.postgres.resolve.raise-fence',
  'sink.postgres.resolve.terminate-writers',
  'sink.postgres.resolve.drop-staging',
  'sink.postgres.resolve.read-ledger',
  'sink.postgres.table.create.before',
  'sink.postgres.table.create.after',
] as const

export type PostgresFailPoint = (typeof postgresFailPoints)[number]
