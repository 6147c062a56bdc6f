import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileLogWriter, FileSourceLog } from '@onceflow/embedded'
import { describeSourceLog, type Place } from '../../../test/conformance/source-log.ts'

const linesOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')

/** Leaves the lines that stay, as a tool that cleans up a folder would. */
function dropBefore(directory: string, place: Place, earliest: bigint): void {
  const file = join(directory, `${place.topic}.${place.partition}.jsonl`)
  const kept = linesOf(file).filter((line) => {
    const { offset } = JSON.parse(line) as { readonly offset: number }
    return BigInt(offset) >= earliest
  })
  writeFileSync(file, kept.map((line) => `${line}\n`).join(''))
}

describeSourceLog('the file log', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'onceflow-log-'))
  let writer = await FileLogWriter.open(directory)
  return {
    open: async (topics, start) => {
      return new FileSourceLog({ kind: 'file', directory, topics, format: 'bytes', start })
    },
    createTopic: async (topic, partitions) => writer.createTopic(topic, partitions),
    append: async (place, records) => {
      writer.append(records.map((record) => ({ ...place, ...record })))
    },
    growTopic: async (topic, partitions) => writer.createTopic(topic, partitions),
    // A folder has no topics that are made again: the whole log is another one.
    recreateTopic: async (topic, partitions) => {
      for (const name of readdirSync(directory)) rmSync(join(directory, name))
      writer = await FileLogWriter.open(directory)
      writer.createTopic(topic, partitions)
    },
    dropBefore: async (place, earliest) => dropBefore(directory, place, earliest),
    close: async () => rmSync(directory, { recursive: true, force: true }),
  }
})
