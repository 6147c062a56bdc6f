import { type Stack, startStack } from '../cluster.d/stack.ts'

export const say = (text: string): void => {
  process.stderr.write(`bench: ${text}\n`)
}

/** A stack with the settings that the figures of the design were taken with. */
export function quietStack(): Promise<Stack> {
  say('starting Kafka, etcd and the target database')
  return startStack({
    only: 'kafka,etcd,target',
    dir: undefined,
    targetSettings: [
      "shared_buffers = '1GB'",
      "max_wal_size = '8GB'",
      "checkpoint_timeout = '30min'",
      "work_mem = '64MB'",
      'track_commit_timestamp = on',
    ],
    env: { ...process.env, ONCEFLOW_KAFKA_JVM: '-XX:TieredStopAtLevel=4' },
  })
}
