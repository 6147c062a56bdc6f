import { readFileSync } from 'node:fs'
import type { Json } from '@onceflow/model'
import { describe, expect, test } from 'vitest'
import {
  parsePipelineSpec,
  parsePipelineSpecs,
  pipelineJsonSchema,
  problemText,
} from '../src/index.ts'

/** Every key that a document may have, at any depth. */
function keysOf(schema: Json): Set<string> {
  if (schema === null || typeof schema !== 'object') return new Set()
  const properties: unknown = Reflect.get(schema, 'properties') ?? {}
  const inner = Object.values(schema).flatMap((one) => [...keysOf(one)])
  return new Set([...Object.keys(properties as object), ...inner])
}

const root = new URL('../../../', import.meta.url)
const page = readFileSync(new URL('docs/pipeline-spec.md', root), 'utf8')
const readme = readFileSync(new URL('README.md', root), 'utf8')

const minimal = `
name: shop
source: {kind: kafka, brokers: [localhost:9092], topics: [shop.public.orders]}
sinks: [{kind: postgres, name: main, host: localhost, database: shop, user: app}]
`

/** The problems of the minimal text with lines added or exchanged. */
function problemsOf(change: { readonly add?: string; readonly replace?: [string, string] }) {
  const [from, to] = change.replace ?? ['', '']
  const result = parsePipelineSpecs(minimal.replace(from, to) + (change.add ?? ''))
  return result.kind === 'ok' ? [] : result.problems.map(problemText)
}

describe('docs/pipeline-spec.md', () => {
  test.each([
    { name: 'docs/pipeline-spec.md', text: page, atLeast: 2 },
    { name: 'README.md', text: readme, atLeast: 1 },
  ])('and $name have examples that parse', ({ text, atLeast }) => {
    const examples = [...text.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml]) => yaml ?? '')
    expect(examples.length).toBeGreaterThanOrEqual(atLeast)
    for (const example of examples) {
      expect(parsePipelineSpecs(example)).toMatchObject({ kind: 'ok' })
    }
  })

  test('has one that shows every key', () => {
    const named = keysOf(pipelineJsonSchema())
    expect(named.size).toBeGreaterThan(30)
    for (const key of named) expect(page).toContain(key)
  })
})

test('docs/pipeline.schema.json is made from the same source', async () => {
  // After a change: vitest run packages/spec/test/pipeline-text.test.ts --update
  const text = `${JSON.stringify(pipelineJsonSchema(), undefined, 2)}\n`
  await expect(text).toMatchFileSnapshot('../../../docs/pipeline.schema.json')
})

test('defaults are put in', () => {
  expect(parsePipelineSpec(minimal)).toEqual({
    kind: 'ok',
    spec: {
      version: 1,
      name: 'shop',
      source: {
        kind: 'kafka',
        brokers: ['localhost:9092'],
        tls: undefined,
        sasl: undefined,
        topics: { kind: 'list', topics: ['shop.public.orders'] },
        format: 'debezium-json',
        start: { kind: 'earliest' },
      },
      tables: [],
      otherTables: 'pass',
      sinks: [
        {
          kind: 'postgres',
          name: 'main',
          host: 'localhost',
          port: 5432,
          database: 'shop',
          user: 'app',
          password: undefined,
          sslmode: 'prefer',
          sslRootCertFile: undefined,
          schema: 'public',
          tables: 'create',
          bufferRecordsMax: 100_000,
          bufferBytesMax: 12_582_912,
        },
      ],
      guarantee: 'exactly-once',
      checkpoint: { intervalMs: 250, timeoutMs: 60_000 },
      parallelism: undefined,
    },
  })
})

test('a table without target goes to its own name in the schema of the sink', () => {
  const tables = `
tables:
  - source: public.orders
  - source: {schema: odd.schema, table: 'odd table'}
    target: archive.odd
  - source: plain
    target: renamed
    columns: {exclude: [note]}
    tasks: 1
`
  const text = minimal.replace('user: app', 'user: app, schema: sales') + tables
  const result = parsePipelineSpec(text)
  expect(result.kind === 'ok' && result.spec.tables).toEqual([
    {
      source: { schema: 'public', table: 'orders' },
      target: { schema: 'sales', table: 'orders' },
      columns: { kind: 'all' },
      tasks: 'many',
    },
    {
      source: { schema: 'odd.schema', table: 'odd table' },
      target: { schema: 'archive', table: 'odd' },
      columns: { kind: 'all' },
      tasks: 'many',
    },
    {
      source: { schema: '', table: 'plain' },
      target: { schema: 'sales', table: 'renamed' },
      columns: { kind: 'exclude', names: ['note'] },
      tasks: 'one',
    },
  ])
})

test('every problem is reported at once, with its place and what was meant', () => {
  const result = parsePipelineSpecs(`
name: Shop
sorce: {}
source:
  kind: kafka
  broker: [localhost:9092]
  topics: [t]
tables:
  - source: {schema: a, tabel: b}
    tasks: 2
sinks:
  - {kind: postgress, name: main}
checkpoint:
  interval: 250
guarantee: exactly-twice
`)
  const problems = result.kind === 'invalid' ? result.problems.map(problemText) : []
  expect(problems).toEqual([
    'name (line 2): "Shop" is not lower-case letters, digits and -, at most 63',
    'sorce (line 3): is not a known key; did you mean source?',
    'source.brokers (line 5): is required',
    'source.broker (line 6): is not a known key; did you mean brokers?',
    'tables[0].source.table (line 9): is required',
    'tables[0].source.tabel (line 9): is not a known key; did you mean table?',
    'tables[0].tasks (line 10): must be 1 or many, not 2',
    'sinks[0].kind (line 12): must be one of postgres, custom, not "postgress"; ' +
      'did you mean postgres?',
    'checkpoint.interval (line 14): must be a duration with its unit, such as 250ms, 10s or 5m, ' +
      'not 250',
    'guarantee (line 15): must be one of exactly-once, at-least-once, at-most-once, ' +
      'not "exactly-twice"; did you mean exactly-once?',
  ])
})

describe('rules', () => {
  const topics = 'topics: [shop.public.orders]'
  test.each<[string, Parameters<typeof problemsOf>[0], RegExp]>([
    [
      'both topics and pattern',
      { replace: [topics, `${topics}, topic_pattern: a`] },
      /exactly one/,
    ],
    ['neither', { replace: [`, ${topics}`, ''] }, /exactly one/],
    ['a topic twice', { replace: [topics, 'topics: [a, a]'] }, /topics\[1\].*twice/],
    ['a topic that cannot be', { replace: [topics, "topics: ['a b']"] }, /not a topic name/],
    ['a pattern that is none', { replace: [topics, "topic_pattern: '('"] }, /not a regular/],
    ['a pattern that explodes', { replace: [topics, "topic_pattern: '(a+)+'"] }, /too long/],
    ['a pattern of alternatives', { replace: [topics, "topic_pattern: '(a|a)*'"] }, /too long/],
    ['a pattern that looks back', { replace: [topics, "topic_pattern: '(a)\\1'"] }, /back-ref/],
    ['a broker without port', { replace: ['localhost:9092', 'localhost'] }, /host:port/],
    [
      'an impossible date',
      { replace: [topics, `${topics}, start: 2026-02-30T00:00:00Z`] },
      /date that exists/,
    ],
    [
      'two passwords',
      { replace: ['user: app', 'user: app, password: a, password_file: b'] },
      /more than one of/,
    ],
    [
      'SASL without password',
      { replace: [topics, `${topics}, sasl: {mechanism: plain, username: a}`] },
      /needs one of/,
    ],
    [
      'a certificate without key',
      { replace: [topics, `${topics}, tls: {cert_file: a}`] },
      /cert_file and key_file/,
    ],
    ['a timeout below the interval', { add: 'checkpoint: {timeout: 100ms}' }, /longer than/],
    ['an interval of nothing', { add: 'checkpoint: {interval: 1ms}' }, /10ms to 1h/],
    ['a route twice', { add: 'tables: [{source: a.b}, {source: a.b}]' }, /route already/],
    ['a buffer of nothing', { replace: ['user: app', 'user: app, buffer_size: 1KiB'] }, /1MiB/],
    ['rows of bytes', { replace: [topics, `${topics}, format: bytes`] }, /takes rows/],
    ['a key twice', { add: 'name: other' }, /unique/],
    ['no mapping', { replace: [minimal, 'shop'] }, /must be a mapping/],
    ['nothing', { replace: [minimal, ''] }, /holds no pipeline/],
  ])('%s', (_name, change, text) => {
    const problems = problemsOf(change)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(text)
  })

  test('two sinks need two names, and targets a schema where theirs differ', () => {
    const other = '{kind: postgres, name: main, host: h, database: d, user: u, schema: other}'
    const text = minimal.replace('user: app}]', `user: app}, ${other}]`)
    const result = parsePipelineSpecs(`${text}tables: [{source: a.b}]`)
    const problems = result.kind === 'invalid' ? result.problems.map(({ path }) => path) : []
    expect(problems).toEqual(['sinks[1].name', 'tables[0].target'])
  })
})

describe('several documents', () => {
  test('are several pipelines', () => {
    const text = `${minimal}---\n${minimal.replace('name: shop', 'name: other')}`
    const result = parsePipelineSpecs(text)
    expect(result.kind === 'ok' && result.specs.map(({ name }) => name)).toEqual(['shop', 'other'])
    expect(parsePipelineSpec(text)).toMatchObject({ kind: 'invalid' })
  })

  test('need different names, and report the problems of all', () => {
    expect(parsePipelineSpecs(`${minimal}---\n${minimal}`)).toMatchObject({
      kind: 'invalid',
      problems: [{ path: 'name' }],
    })
    const result = parsePipelineSpecs('a: 1\n---\nb: 2\n')
    const paths = result.kind === 'invalid' ? result.problems.map(({ path }) => path) : []
    expect(paths).toContain('a')
    expect(paths).toContain('b')
  })
})

test('an alias bomb is cut off', () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
  for (const [name, of] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf']) {
    bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${of}`).join(', ')}]`)
  }
  expect(parsePipelineSpecs(bomb.join('\n'))).toMatchObject({ kind: 'invalid' })
})
