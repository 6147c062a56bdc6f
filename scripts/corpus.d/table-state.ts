import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { query } from './stack-command.ts'

interface Table {
  readonly table: string
  readonly file: string
  readonly topic: string
  readonly pk: readonly string[]
  readonly columns: readonly { readonly name: string }[]
}

// The shape of one entry of tables.json, made by the database itself. $prefix$ becomes the prefix.
const TABLES = `
  select json_agg(json_build_object(
    'table', c.relname,
    'file', regexp_replace(c.relname, '[^A-Za-z0-9_-]', '~', 'g') || '.csv',
    'topic', '$prefix$.inv.' || regexp_replace(c.relname, '[^A-Za-z0-9._-]', '_', 'g'),
    'kind', 'table',
    'partition_leaf', c.relispartition,
    'replica_identity', c.relreplident,
    'pk', (select json_agg(a.attname order by k.o)
           from pg_index i, unnest(i.indkey) with ordinality k(n, o), pg_attribute a
           where i.indrelid = c.oid and i.indisprimary and a.attrelid = c.oid and a.attnum = k.n),
    'columns', (select json_agg(json_build_object('name', attname,
             'type', format_type(atttypid, atttypmod), 'notnull', attnotnull,
             'generated', attgenerated <> '') order by attnum)
           from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped)
  ) order by c.relname)
  from pg_class c where c.relnamespace = 'inv'::regnamespace and c.relkind = 'r'`

/** Writes tables.json and expected/*.csv: the final state of every table of the source. */
export async function writeTables(dir: string, prefix: string, folder: string): Promise<number> {
  const tables = JSON.parse(await query(dir, TABLES.replace('$prefix$', prefix))) as Table[]
  await mkdir(join(folder, 'expected'), { recursive: true })
  for (const table of tables) {
    const order = table.pk.map(quoted).join(',')
    const rows = `SELECT * FROM inv.${quoted(table.table)} ORDER BY ${order}`
    const csv = await query(
      dir,
      `COPY (${rows}) TO STDOUT WITH (FORMAT csv, HEADER, FORCE_QUOTE *, NULL '\\N')`,
    )
    await writeFile(join(folder, 'expected', table.file), csv)
  }
  await writeFile(join(folder, 'tables.json'), `${JSON.stringify(tables, null, 1)}\n`)
  return tables.length
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
