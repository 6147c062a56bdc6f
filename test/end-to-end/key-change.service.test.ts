/**
 * A change of a key is two records, and the second may hold placeholders for the big values that
 * the first one's row has. Between them the log stands still for longer than a checkpoint takes.
 */

import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FileLogWriter } from '@onceflow/embedded'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { corpusFolders, parseLine, readLines, readTables } from '../corpus-replay/corpus-folder.ts'
import { DevStage, type Ends } from './dev-stage.ts'
import { connectTo, createSource, createTarget, oddRows } from './target-tables.ts'

let stage: DevStage
beforeAll(async () => {
  stage = await DevStage.open()
})
afterAll(() => stage?.close())

/** Several checkpoints of the interval below. */
const standstillMs = 400

test.each([
  { name: 'stands-still', between: async () => sleep(standstillMs) },
  {
    name: 'pauses',
    between: async (committed: Ends) => {
      await stage.untilCommitted('pauses', committed)
      await stage.pauseAndResume('pauses')
    },
  },
])('a pipeline that $name inside a key change loses no value', async ({ name, between }) => {
  const folder = corpusFolders('pg-schemaless').find(({ path }) => path.includes('/test/corpus/'))
  const table = folder && readTables(folder).find((one) => one.table === 'toasty')
  if (folder === undefined || table === undefined) throw new Error('no table toasty')
  const lines = readLines(folder).filter((line) => parseLine(line).topic === table.topic)
  const at = lines.findIndex((line) => '__debezium.newkey' in parseLine(line).headers)
  expect(at).toBeGreaterThan(0)
  const log = stage.folderFor(`${name}-log`)
  const database = name.replace('-', '_')
  await stage.server.query(`CREATE DATABASE ${database}`)
  const client = await connectTo(stage.server.port, database)
  const place = { client, schema: 'landed', exchange: stage.folderFor(`${name}-exchange`) }
  await client.query('CREATE SCHEMA landed')
  await createSource(client, folder)
  await createTarget(place, table)
  const writer = await FileLogWriter.open(log)
  writer.createTopic(table.topic, 1)
  await stage.apply({
    name,
    source: { kind: 'file', directory: log, topics: [table.topic] },
    sinks: [
      {
        kind: 'postgres',
        name: 'target',
        host: '127.0.0.1',
        port: stage.server.port,
        database,
        user: 'postgres',
        sslmode: 'disable',
        schema: 'landed',
      },
    ],
    checkpoint: { interval: '50ms' },
  })
  const append = (some: readonly string[]): void =>
    appendFileSync(join(log, 'records.jsonl'), some.map((line) => `${line}\n`).join(''))
  const ends = (count: number) => new Map([[`${table.topic}/0`, BigInt(count)]])
  append(lines.slice(0, at))
  await stage.untilCommitted(name, ends(at))
  // The delete of the old key, its tombstone, the create of the new key.
  for (const [index, line] of lines.slice(at, at + 3).entries()) {
    append([line])
    await between(ends(at + index + 1))
  }
  append(lines.slice(at + 3))
  const view = await stage.untilCommitted(name, ends(lines.length))
  expect(view.restarts).toBe(0)
  expect(await oddRows(place, folder, table)).toEqual([])
  await client.end()
})
