/**
 * retry: a new attempt may succeed. fence: somebody newer owns this; stop and do nothing more.
 * fatal: the pipeline stops until an operator acts.
 */
export type FailureClass = 'retry' | 'fence' | 'fatal'

export interface FailureEntry {
  readonly class: FailureClass
  /** One sentence for docs/errors.md: what has happened. */
  readonly meaning: string
  /** Default hint for the operator. */
  readonly hint: string
}

const entry = (kind: FailureClass, meaning: string, hint: string): FailureEntry => ({
  class: kind,
  meaning,
  hint,
})

/** Every code that a failure can carry; docs/errors.md has one row for each (a test compares). */
export const failureCodes = {
  UNEXPECTED: entry(
    'retry',
    'Something failed that has no code of its own yet.',
    'look at the log line with the stack; report it',
  ),
  // Source
  SOURCE_UNREACHABLE: entry(
    'retry',
    'No broker of the source answered in time.',
    'check the brokers and the network; the pipeline retries with back-off',
  ),
  SOURCE_AUTH: entry(
    'fatal',
    'The source refused our credentials or our rights.',
    'check SASL settings, TLS files and ACLs, then resume the pipeline',
  ),
  SOURCE_UNSUPPORTED: entry(
    'fatal',
    'The source does not offer a version of a request that is needed.',
    'use a broker of Kafka 3.0 or later; the detail names the request and the versions',
  ),
  SOURCE_PROTOCOL: entry(
    'retry',
    "A broker's answer cannot be read.",
    'check that source.brokers names Kafka brokers and the right listener (TLS or not)',
  ),
  OFFSET_OUT_OF_RANGE: entry(
    'fatal',
    'The position to read from no longer exists in the log.',
    'raise the retention; records were lost: take a new snapshot and make a new pipeline',
  ),
  TOPIC_CHANGED: entry(
    'fatal',
    'A topic was deleted and created again: its id differs from the stored one.',
    'positions of the old topic mean nothing in the new one: create a new pipeline',
  ),
  LOG_TRUNCATED: entry(
    'fatal',
    'The log ends below a position that was already read.',
    'an unclean leader election lost records; compare source and target with audit',
  ),
  TOPIC_MISSING: entry(
    'fatal',
    'A topic named by the pipeline does not exist.',
    'create the topic and resume the pipeline, or correct source.topics',
  ),
  RECORD_CORRUPT: entry(
    'fatal',
    'A batch of the log fails its checksum or cannot be read as records.',
    'check the broker disks; the batch is named by topic, partition and offset',
  ),
  // Records
  RECORD_UNREADABLE: entry(
    'fatal',
    'A record is not what the declared format promises.',
    'correct source.format, or fix the producer; the record is named by its position',
  ),
  TYPE_UNSUPPORTED: entry(
    'fatal',
    'A field has a type that is not supported yet.',
    'leave the column out with tables[].columns, or change the connector options',
  ),
  VALUE_INVALID: entry(
    'fatal',
    'A value does not fit its type and would have to be altered to be stored.',
    'fix the value at the source, or leave the column out',
  ),
  TABLE_UNROUTED: entry(
    'fatal',
    'A record of a table that no route names has come, and other_tables is refuse.',
    'add the table to tables[], or set other_tables to pass or ignore',
  ),
  TARGET_TABLE_MISSING: entry(
    'fatal',
    'A schemaless record needs a target table to take its types from, and there is none.',
    'create the target table, or switch schemas on in the connector',
  ),
  TARGET_MISMATCH: entry(
    'fatal',
    'The target table lacks a column, has another key, or has a type that cannot take the value.',
    'alter the target table, or change the mapping in tables[]',
  ),
  KEY_MISSING: entry(
    'fatal',
    'A change of a table without key cannot be applied as an upsert.',
    'give the table a primary key or set message.key.columns in the connector',
  ),
  PLACEHOLDER_WITHOUT_ROW: entry(
    'fatal',
    'A record holds placeholders for unchanged values, and the stored row is not at hand.',
    'set REPLICA IDENTITY FULL on the source table, or tables[].tasks: 1',
  ),
  TRUNCATE_SPANS_TASKS: entry(
    'fatal',
    'A truncate in a topic with several partitions has no place among their changes.',
    'give the topic one partition, or skip truncates in the connector (skipped.operations)',
  ),
  // Sink
  SINK_UNREACHABLE: entry(
    'retry',
    'The sink did not answer or broke the connection.',
    'check the target and the network; the pipeline retries with back-off',
  ),
  SINK_AUTH: entry(
    'fatal',
    'The sink refused our credentials or rights.',
    'check user, password and privileges, then resume the pipeline',
  ),
  SINK_REFUSED: entry(
    'fatal',
    'The sink refused the data: a constraint or a type of the target says no.',
    'look at the SQLSTATE in the detail; fix the target or the mapping',
  ),
  SINK_LIMIT: entry(
    'retry',
    'A limit of the sink is reached, such as max_prepared_transactions.',
    'raise the limit named in the detail, or finish orphaned transactions',
  ),
  SINK_UNSUITABLE: entry(
    'fatal',
    'The server cannot be used: in recovery, behind a transaction pooler, or an older timeline.',
    'connect directly to the primary',
  ),
  SINK_CONFLICT: entry(
    'retry',
    'A lock, a deadlock or a serialisation failure stopped the sink transaction.',
    'retried; look for foreign locks, or topics that write the same rows (parallelism: 1)',
  ),
  PREFLIGHT_FAILED: entry(
    'fatal',
    'A check before the start found a reason why the pipeline cannot keep its guarantee.',
    'each problem is listed with its remedy; then resume the pipeline',
  ),
  LEDGER_BROKEN: entry(
    'retry',
    'The ledger row before this one is not in the target: the target went back in time.',
    'the next attempt reconciles; if it stops with DATA_LOSS, follow its hint',
  ),
  SINK_AHEAD: entry(
    'fatal',
    'The target holds a ledger row above the last decided checkpoint.',
    'the metadata store was restored, or somebody committed by hand: run audit',
  ),
  ORPHAN_BELOW_MARK: entry(
    'fatal',
    'A prepared transaction at or below the retire mark was found.',
    'its record is gone: compare with onceflow.ledger, then commit or roll it back by hand',
  ),
  DATA_LOSS: entry(
    'fatal',
    'A transaction of a decided checkpoint is proved to be gone.',
    'bring back the target that has the rows and resume, or begin anew in empty tables',
  ),
  // Protocol
  FENCED: entry(
    'fence',
    'A newer attempt or leader owns this pipeline; this one stops.',
    'nothing to do: it is how a stale process learns that it is stale',
  ),
  CHECKPOINT_TIMEOUT: entry(
    'retry',
    'Not every task sealed or confirmed the checkpoint in time.',
    'worker get shows what tasks do; raise checkpoint.timeout if they are just slow',
  ),
  WORKER_LOST: entry(
    'retry',
    'A worker broke its stream or sent no heartbeat.',
    'nothing to do: its tasks move to other workers',
  ),
  TASK_FAILED: entry(
    'retry',
    'A task stopped without a code of its own.',
    'look at the log of the worker',
  ),
  RESTARTS_EXHAUSTED: entry(
    'fatal',
    'The pipeline failed too often in a row.',
    'fix the cause named in the detail, then resume the pipeline',
  ),
  LIMIT_EXCEEDED: entry(
    'fatal',
    'A named limit is exceeded and the work cannot be cut smaller.',
    'raise the limit named in the detail',
  ),
  // Control plane
  METADATA_UNREACHABLE: entry(
    'retry',
    'The metadata store did not answer in time.',
    'check etcd; nothing is decided until it answers',
  ),
  METADATA_FORMAT: entry(
    'fatal',
    'A stored record has a version or a shape that this program does not know.',
    'run a version of onceflow that knows it; do not edit keys by hand',
  ),
  CLUSTER_MISMATCH: entry(
    'fatal',
    'The metadata prefix belongs to another cluster.',
    'give each cluster its own prefix',
  ),
  NOT_LEADER: entry(
    'retry',
    'This coordinator does not lead.',
    'ask the leader; when there is none, look at etcd and at the coordinators',
  ),
  COORDINATOR_UNREACHABLE: entry(
    'retry',
    'No coordinator answered in time.',
    'check the addresses, that coordinators run, and the network',
  ),
  ACCESS_DENIED: entry(
    'fatal',
    'The caller is not known, or may not do this.',
    'check the credentials of the caller',
  ),
  SPEC_INVALID: entry(
    'fatal',
    'The pipeline spec is not valid.',
    'each problem is listed with its path; correct the file and apply again',
  ),
  CONFIG_INVALID: entry(
    'fatal',
    'The configuration of a process is not valid.',
    'each problem is listed with its name; correct it and start again',
  ),
  NOT_FOUND: entry(
    'fatal',
    'The named resource does not exist.',
    'list the resources to see names',
  ),
  ALREADY_EXISTS: entry('fatal', 'The name is taken.', 'choose another name or update it'),
  PRECONDITION_FAILED: entry(
    'fatal',
    'The resource is not in a state that allows this.',
    'look at its state first',
  ),
  ETAG_MISMATCH: entry(
    'retry',
    'The resource has changed since it was read.',
    'read it again, decide anew, and send the change with the new etag',
  ),
  INVALID_ARGUMENT: entry('fatal', 'A request field is not valid.', 'the field is named'),
  EMBEDDED_UNAVAILABLE: entry(
    'fatal',
    'The embedded PostgreSQL cannot be had or started on this machine.',
    'give the URL of a PostgreSQL server to onceflow dev instead',
  ),
  BIND_REFUSED: entry(
    'fatal',
    'An address beyond loopback was asked for while there is no authentication.',
    'bind to loopback, or say --insecure-bind if the network is trusted',
  ),
} as const satisfies Record<string, FailureEntry>

export type FailureCode = keyof typeof failureCodes
