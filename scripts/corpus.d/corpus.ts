// The part of scripts/corpus that needs more than a shell. Use: corpus.ts workload DIR PART
// or corpus.ts dump DIR BROKERS PREFIX FOLDER.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeTables } from './table-state.ts'
import { dumpTopics } from './topic-dump.ts'
import { runWorkload } from './workload-session.ts'

const LAST_RECORD = 'END OF WORKLOAD'
const TRIES_MAX = 30

interface Dump {
  readonly dir: string
  readonly brokers: string
  readonly prefix: string
  readonly folder: string
}

async function dump({ dir, brokers, prefix, folder }: Dump): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (let attempt = 1; attempt <= TRIES_MAX; attempt += 1) {
    const records = await dumpTopics(dir, brokers, prefix)
    if (records.some((record) => record.value?.includes(LAST_RECORD) === true)) {
      const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('')
      await writeFile(join(folder, 'events.jsonl'), lines)
      const tables = await writeTables(dir, prefix, folder)
      console.error(`${prefix}: ${records.length} records, ${tables} tables`)
      return
    }
  }
  throw new Error(`the last record of the workload did not arrive under ${prefix}`)
}

const [command, dir = '', ...rest] = process.argv.slice(2)
if (command === 'workload') {
  const part = rest[0] === 'snapshot' ? 'snapshot' : 'stream'
  await runWorkload(dir, join(import.meta.dirname, 'workload.sql'), part)
} else if (command === 'dump') {
  const [brokers = '', prefix = '', folder = ''] = rest
  await dump({ dir, brokers, prefix, folder })
} else {
  throw new Error('use: corpus.ts workload DIR PART, or corpus.ts dump DIR BROKERS PREFIX FOLDER')
}
