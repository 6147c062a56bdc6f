import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@onceflow/model'

const markerName = '.onceflow-log.json'
const formatVersion = 1

/**
 * Tells this log from another one that later stands in the same folder, and names the topics that
 * were made before their first record.
 */
export interface FileLogMarker {
  readonly id: string
  /** Topic to number of partitions. */
  readonly topics: { readonly [topic: string]: number }
}

/** Reads the marker, and makes it where there is none. */
export function readMarker(directory: string): FileLogMarker {
  const found = findMarker(directory)
  if (found !== undefined) return found
  writeMarker(directory, { id: randomUUID(), topics: {} })
  // Read again: another process may have been faster.
  const made = findMarker(directory)
  if (made === undefined) fail('SOURCE_UNREACHABLE', { detail: `${directory} lost its marker` })
  return made
}

export function declareTopic(directory: string, topic: string, partitions: number): void {
  const { id, topics } = readMarker(directory)
  const declared = Math.max(partitions, topics[topic] ?? 0)
  writeMarker(directory, { id, topics: { ...topics, [topic]: declared } })
}

/** As Kafka's topic ids are: 22 characters, another one when the folder is made anew. */
export function topicIdOf(marker: FileLogMarker, topic: string): string {
  const digest = createHash('sha256').update(`${marker.id}/${topic}`).digest('base64url')
  return digest.slice(0, 22)
}

function findMarker(directory: string): FileLogMarker | undefined {
  let text: string
  try {
    text = readFileSync(join(directory, markerName), 'utf8')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    return unusable(directory, thrown)
  }
  return parsed(directory, text)
}

function parsed(directory: string, text: string): FileLogMarker {
  const { version, id, topics } = JSON.parse(text) as Partial<FileLogMarker & { version: number }>
  if (version !== formatVersion || id === undefined || topics === undefined) {
    fail('METADATA_FORMAT', { detail: `${directory}/${markerName}: version ${version}` })
  }
  return { id, topics }
}

function writeMarker(directory: string, marker: FileLogMarker): void {
  const file = join(directory, markerName)
  const part = `${file}.${process.pid}`
  try {
    writeFileSync(part, `${JSON.stringify({ version: formatVersion, ...marker })}\n`)
    renameSync(part, file)
  } catch (thrown) {
    unusable(directory, thrown)
  }
}

function unusable(directory: string, thrown: unknown): never {
  const text = thrown instanceof Error ? thrown.message : String(thrown)
  fail('SOURCE_UNREACHABLE', {
    detail: `file log ${directory}: ${text}`,
    hint: `the folder must exist, and must be writable once, for ${markerName}`,
    class: 'fatal',
  })
}
