// What the log can hold: changed keys, truncates, records with schema, records that cannot be read,
// a log without its head, a topic made anew. And the source's own database.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderReport } from '../src/index.ts'
import { type Server, startServer } from './server-fixture.ts'
import { World } from './world-fixture.ts'

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** One more checkpoint over what `tell` appends; `sql` is what the target then becomes. */
async function next(world: World, tell: () => void, sql = 'SELECT 1'): Promise<void> {
  const from = world.ends()
  tell()
  await world.sql(sql)
  await world.epoch(world.checkpoints.length, from, world.ends())
}

const placeholder = '__debezium_unavailable_value'

describe('the log', () => {
  it('moves a row to another key and another partition, with its unchanged value', async () => {
    const world = await World.filled(server)
    const tell = () => {
      world.remove(2, ['__debezium.newkey'])
      world.sameLsn()
      world.put({ id: 7, name: 'two', qty: 22, note: placeholder }, 'c', ['__debezium.oldkey'])
    }
    await next(world, tell, 'UPDATE @.item SET id = 7 WHERE id = 2')
    expect(renderReport(await world.audit())).toContain('verdict: clean')
    await world.sql("UPDATE @.item SET note = 'other' WHERE id = 7")
    expect((await world.audit()).counts).toEqual({ differing: 1 })
  })

  it('empties a table: what is in it afterwards is a phantom, whoever wrote it', async () => {
    const world = await World.filled(server)
    const tell = () => {
      world.truncateItems()
      world.put({ id: 8, name: 'eight', qty: 8 }, 'c')
    }
    await next(world, tell, "DELETE FROM @.item; INSERT INTO @.item VALUES (8, 'eight', 8, NULL)")
    expect((await world.audit()).verdict).toBe('clean')
    await world.sql("INSERT INTO @.item VALUES (100, 'stranger', 1, NULL)")
    expect((await world.audit()).counts).toEqual({ phantom: 1 })
  })

  it('does not compare what no record has told', async () => {
    const world = await World.filled(server)
    await world.sql("INSERT INTO @.item VALUES (42, 'old', 1, 'from before')")
    await next(
      world,
      () => world.put({ id: 42, name: 'new', qty: 2, note: placeholder }, 'u'),
      "UPDATE @.item SET name = 'new', qty = 2 WHERE id = 42",
    )
    expect((await world.audit()).verdict).toBe('clean')
    await world.sql("UPDATE @.item SET name = 'old' WHERE id = 42")
    expect((await world.audit()).counts).toEqual({ differing: 1 })
  })

  it('holds a record that cannot be read: inconclusive, and it is named', async () => {
    const world = await World.filled(server)
    await next(world, () => {
      world.log.append({ topic: 'shop.item', partition: 0 }, [{ key: '{"id":2}', value: '{oops' }])
    })
    const report = await world.audit()
    expect(report.verdict).toBe('inconclusive')
    expect(report.unchecked.join()).toMatch(/RECORD_UNREADABLE.*shop\.item\/0@/)
  })

  it('has lost its head: inconclusive, and rows are of unknown origin', async () => {
    const world = await World.filled(server)
    world.log.dropBefore({ topic: 'shop.item', partition: 1 }, 2n)
    const report = await world.audit()
    expect(report.verdict).toBe('inconclusive')
    expect(report.unchecked.join()).toContain('shop.item/1 begins at 2')
    expect(report.counts).toEqual({ 'unknown-origin': 1 })
  })

  it('was made anew under its name: inconclusive', async () => {
    const world = await World.filled(server)
    world.log.createTopic('shop.event', 1)
    const report = await world.audit({ options: { targetTables: 'shared' } })
    expect(report.unchecked.join()).toContain('topic shop.event was created again')
    expect(report.verdict).toBe('inconclusive')
  })

  it('is longer than the memory of the audit: inconclusive, with the limit', async () => {
    const world = await World.filled(server)
    const report = await world.audit({ options: { rowsMax: 3 } })
    expect(report.verdict).toBe('inconclusive')
    expect(report.unchecked.join()).toContain('rowsMax 3')
  })

  it('carries schemas: a key without an index in the target can stand there twice', async () => {
    const world = await World.empty(server)
    await world.sql('CREATE TABLE @.plain (id bigint, price numeric)')
    world.log.createTopic('shop.plain', 1)
    await world.fence(2)
    const from = world.ends()
    world.decide({ n: 0, positions: from, sealed: [], kind: 'start' })
    for (const [id, price] of [
      [1, 'AWQ='],
      [2, 'AWU='],
    ] as const) {
      appendDeclared(world, id, price)
    }
    await world.sql("INSERT INTO @.plain VALUES (1, '3.56'), (2, '3.57')")
    await world.epoch(1, from, world.ends())
    expect(renderReport(await world.audit())).toContain('verdict: clean')
    await world.sql("INSERT INTO @.plain VALUES (2, '3.57')")
    expect((await world.audit()).counts).toEqual({ duplicated: 1 })
    await world.sql("DELETE FROM @.plain WHERE id = 2; INSERT INTO @.plain VALUES (2, '3.570')")
    const report = await world.audit()
    expect(report.counts).toEqual({ differing: 1 })
    expect(report.findings[0]?.key).toBe('{"id": "2"}')
  })
})

function appendDeclared(world: World, id: number, price: string): void {
  const int64 = { type: 'int64', optional: false, field: 'id' }
  const decimal = {
    type: 'bytes',
    optional: true,
    field: 'price',
    name: 'org.apache.kafka.connect.data.Decimal',
    version: 1,
    parameters: { scale: '2' },
  }
  const row = (field: string) => ({
    type: 'struct',
    fields: [int64, decimal],
    optional: true,
    name: 'shop.public.plain.Value',
    field,
  })
  const text = (field: string) => ({ type: 'string', optional: true, field })
  const source = {
    type: 'struct',
    fields: [text('schema'), text('table'), { type: 'int64', optional: true, field: 'lsn' }],
    optional: false,
    name: 'io.debezium.connector.postgresql.Source',
    field: 'source',
  }
  const schema = {
    type: 'struct',
    fields: [row('before'), row('after'), source, text('op')],
    optional: false,
    name: 'shop.public.plain.Envelope',
  }
  const payload = {
    before: null,
    after: { id, price },
    source: { schema: 'public', table: 'plain', lsn: id },
    op: 'c',
  }
  const key = {
    schema: { type: 'struct', fields: [int64], optional: false, name: 'shop.public.plain.Key' },
    payload: { id },
  }
  world.log.append({ topic: 'shop.plain', partition: 0 }, [
    { key: JSON.stringify(key), value: JSON.stringify({ schema, payload }) },
  ])
}

describe('the source database', () => {
  /** A copy of what the source must hold, in a database of its own. */
  async function withSource(): Promise<{ world: World; url: string; source: string }> {
    const world = await World.filled(server)
    const source = `source_${world.schema}`
    await server.query(`CREATE DATABASE ${source}`)
    await inSource(
      source,
      'CREATE TABLE item (id bigint PRIMARY KEY, name text, qty integer, note text);' +
        "INSERT INTO item VALUES (1, 'one', 10, NULL), (2, 'two', 22, 'long')," +
        " (3, NULL, 3, NULL), (5, 'five', 5, NULL);" +
        'CREATE TABLE event (kind text, amount integer)',
    )
    const url = `postgres://postgres@127.0.0.1:${server.port}/${source}`
    return { world, url, source }
  }

  const inSource = (database: string, sql: string) => server.query(sql, [], database)

  it('is the same', async () => {
    const { world, url } = await withSource()
    const report = await world.audit({ sourceDatabase: url })
    expect(report.findings).toEqual([])
    expect(report.verdict).toBe('clean')
    expect(report.notes.join()).toContain('has no key: not compared with the source')
  })

  it('has what never reached the log, and lacks or differs', async () => {
    const { world, url, source } = await withSource()
    await inSource(
      source,
      "INSERT INTO item VALUES (10, 'ten', 10, NULL); DELETE FROM item WHERE id = 3;" +
        'UPDATE item SET qty = 0 WHERE id = 5',
    )
    const report = await world.audit({ sourceDatabase: url })
    expect(report.verdict).toBe('violations')
    expect(report.counts).toEqual({
      'source-lost': 1,
      'source-phantom': 1,
      'source-differing': 1,
    })
    expect(report.findings.map(({ key }) => key)).toEqual([
      '{"id":"10"}',
      '{"id":"3"}',
      '{"id":"5"}',
    ])
  })

  it('is only warned about while the pipeline lags', async () => {
    const { world, url, source } = await withSource()
    await inSource(source, "INSERT INTO item VALUES (10, 'ten', 10, NULL)")
    world.put({ id: 10, name: 'ten', qty: 10 }, 'c')
    const report = await world.audit({ sourceDatabase: url })
    expect(report.verdict).toBe('clean')
    expect(report.counts).toEqual({ 'source-lost': 1 })
    expect(report.findings[0]?.severity).toBe('warning')
  })

  it('cannot be reached: inconclusive, and the password is not told', async () => {
    const world = await World.filled(server)
    const url = 'postgres://me:hunter2@127.0.0.1:1/nowhere'
    const report = await world.audit({ sourceDatabase: url })
    expect(report.verdict).toBe('inconclusive')
    expect(renderReport(report)).not.toContain('hunter2')
  })
})

describe('the target', () => {
  it('cannot be reached: inconclusive', async () => {
    const world = await World.filled(server)
    const spec = world.spec()
    const sinks = spec.sinks.map((sink) => ({ ...sink, port: 1 }))
    const report = await world.audit({ spec: { ...spec, sinks } as typeof spec })
    expect(report.verdict).toBe('inconclusive')
    expect(report.unchecked.join()).toContain('SINK_UNREACHABLE')
  })

  it('is written while it is audited: the snapshot stands', async () => {
    const world = await World.filled(server)
    let writes = 0
    const report = await world.audit({
      checkpoints: async () => {
        // The second time is after the snapshot was taken.
        writes += 1
        if (writes === 2) await world.sql('UPDATE @.item SET qty = qty + 1')
        return world.checkpoints
      },
    })
    expect(writes).toBe(2)
    expect(report.verdict).toBe('clean')
    expect((await world.audit()).counts).toEqual({ differing: 4 })
  })
})
