/**
 * Cells are PostgreSQL's input text: each odd form that the decoder writes is given to a PostgreSQL
 * of our own, in a session with an odd time zone, and must come back as the value that was meant.
 */

import { execFile, execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bareCreate, decodeInto, rowOf, shapeOf } from './support.ts'

const run = promisify(execFile)

const textArray = '{a,NULL,"NULL","","a,b","q\\"t","b\\\\s","{x}"," sp "}'

/** JSON on the wire, type of the column, what PostgreSQL then writes in UTC. */
const values: readonly (readonly [json: string, type: string, output: string])[] = [
  ['9223372036854775807', 'bigint', '9223372036854775807'],
  ['-0', 'integer', '0'],
  ['4294967295', 'oid', '4294967295'],
  ['1', 'boolean', 'true'],
  ['4.9E-324', 'double precision', '5e-324'],
  ['1.17549435E-38', 'real', '1.1754944e-38'],
  ['"-Infinity"', 'double precision', '-Infinity'],
  ['"NEGATIVE_INFINITY"', 'numeric', '-Infinity'],
  ['"NAN"', 'numeric(10,2)', 'NaN'],
  ['{"scale":-2,"value":"AQ=="}', 'numeric', '100'],
  ['1.234567890123E12', 'numeric', '1234567890123'],
  ['"/2o="', 'numeric(5,2)', '-1.50'],
  ['"gAAAAAAAAAA="', 'money', '-$92,233,720,368,547,758.08'],
  ['17474', 'date', '2017-11-04'],
  ['-719163', 'date', '0001-12-31 BC'],
  ['-2440588', 'date', '4714-11-24 BC'],
  ['2145042905', 'date', '5874897-12-31'],
  ['-622191234', 'date', 'infinity'],
  ['86400000000', 'time without time zone', '24:00:00'],
  ['49890123789', 'time without time zone', '13:51:30.123789'],
  ['"24:00:00Z"', 'time with time zone', '24:00:00+00'],
  ['"11:51:30.123789Z"', 'time with time zone', '11:51:30.123789+00'],
  ['-1', 'timestamp without time zone', '1969-12-31 23:59:59.999999'],
  ['-30595922954876544', 'timestamp without time zone', '1000-06-15 12:30:45.123456'],
  ['-62200000000000000', 'timestamp without time zone', '0003-12-17 14:13:20 BC'],
  ['9223372036825200000', 'timestamp without time zone', 'infinity'],
  ['"2016-11-04T11:51:30.123456Z"', 'timestamp with time zone', '2016-11-04 11:51:30.123456+00'],
  ['"+21016-11-04T06:51:30Z"', 'timestamp with time zone', '21016-11-04 06:51:30+00'],
  ['"-4713-12-31T23:59:59.999999Z"', 'timestamptz', '4714-12-31 23:59:59.999999+00 BC'],
  ['1123456', 'interval', '00:00:01.123456'],
  ['-1', 'interval', '-00:00:00.000001'],
  ['3020398999999', 'interval', '838:59:58.999999'],
  ['-9223372036854775808', 'interval', '-2562047788:00:54.775808'],
  ['9223372036854775807', 'interval', '2562047788:00:54.775807'],
  ['"P0Y0M0DT0H0M-0.5S"', 'interval', '-00:00:00.5'],
  ['"P-1Y-2M3DT-4H-5M-6S"', 'interval', '-1 years -2 mons +3 days -04:05:06'],
  ['"AgE="', 'bit(16)', '0000000100000010'],
  ['""', 'bit varying', ''],
  ['true', 'bit(1)', '1'],
  ['"AP8="', 'bytea', '\\x00ff'],
  ['{"x":-0.0,"y":1.0E300}', 'point', '(-0,1e+300)'],
  ['{"x":"NaN","y":"Infinity"}', 'point', '(NaN,Infinity)'],
  ['["a",null,"NULL","","a,b","q\\"t","b\\\\s","{x}"," sp "]', 'text[]', textArray],
  ['[true,null]', 'boolean[]', '{t,NULL}'],
  ['["AP8=",null]', 'bytea[]', '{"\\\\x00ff",NULL}'],
  ['[-1,null]', 'timestamp[]', '{"1969-12-31 23:59:59.999999",NULL}'],
  ['[-719163,-622191234]', 'date[]', '{"0001-12-31 BC",infinity}'],
  ['["{\\"a\\": 1}",null]', 'jsonb[]', '{"{\\"a\\": 1}",NULL}'],
  [
    '"{\\"k\\\\\\"\\":\\"c:\\\\\\\\tmp\\",\\"n\\":null}"',
    'hstore',
    '"n"=>NULL, "k\\""=>"c:\\\\tmp"',
  ],
]

const folders = [18, 17, 16, 15, 14].map((version) => `/usr/lib/postgresql/${version}/bin`)
const binaries = folders.find((folder) => existsSync(join(folder, 'initdb')))
const isRoot = process.getuid?.() === 0
const port = 20_000 + Math.floor(Math.random() * 10_000)
let folder = ''

function asServer(command: string, args: readonly string[]): readonly [string, string[]] {
  const path = join(binaries ?? '', command)
  return isRoot ? ['runuser', ['-u', 'postgres', '--', path, ...args]] : [path, [...args]]
}

beforeAll(async () => {
  if (binaries === undefined) throw new Error(`no PostgreSQL in ${folders.join(', ')}`)
  folder = await mkdtemp(join(tmpdir(), 'onceflow-debezium-'))
  if (isRoot) await chown(folder, Number(execFileSync('id', ['-u', 'postgres'])), 0)
  const data = join(folder, 'data')
  const setup = ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8']
  const [initdb, initArgs] = asServer('initdb', [...setup, '--locale=C.UTF-8'])
  await run(initdb, initArgs, { cwd: folder })
  // Only a socket in our own folder: the number only names it.
  const settings = `-p ${port} -k ${folder} -c listen_addresses='' -c fsync=off`
  const [control, startArgs] = asServer('pg_ctl', ['-D', data, '-w', '-o', settings, 'start'])
  await new Promise<void>((resolve, reject) => {
    spawn(control, startArgs, { cwd: folder, stdio: 'ignore' }).on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`pg_ctl start: ${code}`)),
    )
  })
})

afterAll(async () => {
  if (folder === '') return
  const [control, args] = asServer('pg_ctl', ['-D', join(folder, 'data'), '-m', 'fast', 'stop'])
  await run(control, args, { cwd: folder })
  await rm(folder, { recursive: true, force: true })
})

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Runs SQL in one session and gives the rows of its last statement. */
function query(sql: string): string[] {
  const args = ['-h', folder, '-p', String(port), '-U', 'postgres', '-At', '-q', '-f', '-']
  const out = execFileSync(join(binaries ?? '', 'psql'), [...args, '-v', 'ON_ERROR_STOP=1'], {
    input: sql,
    encoding: 'utf8',
  })
  return out.split('\n').slice(0, -1)
}

const cellOf = (json: string, type: string): string => {
  const into = shapeOf([
    ['id', 'bigint'],
    ['v', type],
  ])
  return String(rowOf(decodeInto({ ...bareCreate(json), into })).get('v'))
}

test('PostgreSQL reads every form as the value that was meant', () => {
  const columns = values.map(([, type], index) => `c${index} ${type}`)
  const cells = values.map(([json, type]) => quoted(cellOf(json, type)))
  const rows = query(
    [
      "SET timezone = 'Asia/Kolkata'",
      'CREATE EXTENSION hstore',
      `CREATE TABLE t (${columns.join(', ')})`,
      `INSERT INTO t VALUES (${cells.join(', ')})`,
      "SET timezone = 'UTC'",
      ...values.map((_, index) => `SELECT c${index}::text FROM t`),
      '',
    ].join(';\n'),
  )
  expect(rows).toEqual(values.map(([, , output]) => output))
})
