/**
 * One folder of the corpus through a pipeline of its own, its log growing while it is read; in the
 * middle the pipeline is paused and resumed, so that the second half is another attempt's.
 */

import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FileLogWriter } from '@onceflow/embedded'
import type { Json } from '@onceflow/model'
import {
  type CorpusFolder,
  type CorpusTable,
  parseLine,
  readLines,
  readTables,
} from '../corpus-replay/corpus-folder.ts'
import type { DevStage, Ends } from './dev-stage.ts'
import { columnsLeftOut, isLeftOut, type Targets } from './not-applied.ts'
import { connectTo, createSource, createTarget, type TargetPlace } from './target-tables.ts'

export interface CorpusRun {
  readonly name: string
  readonly folder: CorpusFolder
  /** Those that the pipeline takes. */
  readonly tables: readonly CorpusTable[]
  readonly place: TargetPlace
  readonly ends: Ends
  close(): Promise<void>
}

/** So that rows are changed in later checkpoints than the one that brought them. */
const partsOfLog = 8
const msBetweenParts = 100

export async function runCorpus(
  stage: DevStage,
  what: { readonly name: string; readonly folder: CorpusFolder; readonly targets: Targets },
): Promise<CorpusRun> {
  const { name, folder, targets } = what
  const log = stage.folderFor(`${name}-log`)
  const database = name.replaceAll('-', '_')
  await stage.server.query(`CREATE DATABASE ${database}`)
  const client = await connectTo(stage.server.port, database)
  const place = { client, schema: 'landed', exchange: stage.folderFor(`${name}-exchange`) }
  const tables = readTables(folder).filter(
    ({ table }) => !isLeftOut({ folder: folder.name, table, targets }),
  )
  await client.query('CREATE SCHEMA landed')
  if (targets === 'like-source') {
    await createSource(client, folder)
    for (const table of tables) await createTarget(place, table)
  }
  const lines = readLines(folder)
  const ends = endsOf(lines)
  const part = (at: number): void =>
    writePart(log, at, lines.slice(share(lines, at), share(lines, at + 1)))
  await declare(log, ends)
  part(0)
  await stage.apply(specOf({ stage, name, log, database, tables, ends, targets }))
  for (let at = 1; at < partsOfLog; at += 1) {
    if (at === partsOfLog / 2) await stage.pauseAndResume(name)
    else await sleep(msBetweenParts)
    part(at)
  }
  return { name, folder, tables, place, ends, close: () => client.end() }
}

const share = (lines: readonly string[], part: number): number =>
  Math.floor((lines.length * part) / partsOfLog)

/** Appears whole: the log reads files by the name that it gets last. */
function writePart(log: string, at: number, lines: readonly string[]): void {
  const unnamed = join(log, 'unnamed')
  writeFileSync(unnamed, lines.map((line) => `${line}\n`).join(''))
  renameSync(unnamed, join(log, `part-${at}.jsonl`))
}

function endsOf(lines: readonly string[]): Ends {
  const ends = new Map<string, bigint>()
  for (const line of lines) {
    const { topic, partition, offset } = parseLine(line)
    ends.set(`${topic}/${partition}`, BigInt(offset) + 1n)
  }
  return ends
}

const topicsOf = (ends: Ends): readonly string[] => [
  ...new Set([...ends.keys()].map((place) => place.slice(0, place.lastIndexOf('/')))),
]

/** All topics are there from the start, as they are in a cluster that was in use before. */
async function declare(log: string, ends: Ends): Promise<void> {
  const writer = await FileLogWriter.open(log)
  for (const topic of topicsOf(ends)) {
    const places = [...ends.keys()].filter((place) => place.startsWith(`${topic}/`))
    writer.createTopic(topic, places.length)
  }
}

interface SpecInput {
  readonly stage: DevStage
  readonly name: string
  readonly log: string
  readonly database: string
  readonly tables: readonly CorpusTable[]
  readonly ends: Ends
  readonly targets: Targets
}

function columnsOf(table: string): { readonly [key: string]: Json } {
  const exclude = columnsLeftOut.get(table)
  return exclude === undefined ? {} : { columns: { exclude: [...exclude] } }
}

/** Every topic of the folder is read; tables without a route are those that are left out. */
function specOf(input: SpecInput): { readonly [key: string]: Json } {
  const { stage, name, log, database, targets } = input
  const tables = input.tables.map(({ table }) => ({
    source: { schema: 'inv', table },
    target: { schema: 'landed', table },
    ...columnsOf(table),
  }))
  return {
    name,
    source: { kind: 'file', directory: log, topics: [...topicsOf(input.ends)] },
    tables,
    other_tables: 'ignore',
    sinks: [
      {
        kind: 'postgres',
        name: 'target',
        host: '127.0.0.1',
        port: stage.server.port,
        database,
        user: 'postgres',
        sslmode: 'disable',
        tables: targets === 'like-source' ? 'require' : 'create',
      },
    ],
    checkpoint: { interval: '100ms' },
    parallelism: 4,
  }
}
