import { describe, expect, test } from 'vitest'
import { parseProcessConfig } from '../src/index.ts'
import { problemText } from '../src/problem.ts'
import { settingKeys, settings, variableOf } from '../src/process-settings.ts'
import type { SettingSources } from '../src/setting-values.ts'

const nothing: SettingSources = { flags: {}, environment: {}, file: undefined }
const endpoints = { 'metadata.endpoints': '127.0.0.1:2379' }

const problemsOf = (sources: Partial<SettingSources>) => {
  const given = { ...nothing, flags: endpoints, ...sources }
  const result = parseProcessConfig('coordinator', given)
  return result.kind === 'ok' ? [] : result.problems.map(problemText)
}

test('a coordinator needs only its store', () => {
  expect(parseProcessConfig('coordinator', { ...nothing, flags: endpoints })).toMatchObject({
    kind: 'ok',
    config: {
      id: undefined,
      listen: '127.0.0.1:7070',
      insecureBind: 'no',
      metricsListen: undefined,
      leaseTtlMs: 5000,
      heartbeatIntervalMs: 1000,
      metadata: { endpoints: ['127.0.0.1:2379'], prefix: '/onceflow', password: undefined },
    },
  })
  expect(problemsOf({ flags: {} })).toEqual(['metadata.endpoints: is required'])
})

test('a worker and dev need nothing', () => {
  expect(parseProcessConfig('worker', nothing)).toMatchObject({
    kind: 'ok',
    config: { coordinators: ['127.0.0.1:7070'], tasksMax: 16, drainTimeoutMs: 60_000 },
  })
  expect(parseProcessConfig('dev', nothing)).toMatchObject({
    kind: 'ok',
    config: { directory: '.onceflow', workers: 2, postgresUrl: undefined },
  })
})

test('flag wins over environment, environment over file, file over default', () => {
  const result = parseProcessConfig('worker', {
    flags: { tasks_max: '4' },
    environment: { ONCEFLOW_TASKS_MAX: '3', ONCEFLOW_DRAIN_TIMEOUT: '3s', PATH: '/bin' },
    file: 'tasks_max: 2\ndrain_timeout: 2s\nlog: {level: debug}\n',
  })
  expect(result).toMatchObject({
    kind: 'ok',
    config: { tasksMax: 4, drainTimeoutMs: 3000, logLevel: 'debug' },
  })
  const origins = result.kind === 'ok' ? Object.fromEntries(result.origins) : {}
  expect(origins).toMatchObject({
    tasks_max: 'flag',
    drain_timeout: 'environment',
    'log.level': 'file',
    coordinators: 'default',
  })
})

test('lists come with commas or as YAML lists', () => {
  const config = parseProcessConfig('worker', { ...nothing, file: 'coordinators: [a:1, b:2]' })
  expect(config).toMatchObject({ config: { coordinators: ['a:1', 'b:2'] } })
  const environment = { ONCEFLOW_COORDINATORS: 'c:3, d:4' }
  expect(parseProcessConfig('worker', { ...nothing, environment })).toMatchObject({
    config: { coordinators: ['c:3', 'd:4'] },
  })
})

describe('a secret', () => {
  const passwordOf = (sources: Partial<SettingSources>) => {
    const given = { ...nothing, flags: endpoints, ...sources }
    const result = parseProcessConfig('coordinator', given)
    return result.kind === 'ok' ? result.config.metadata.password : result.problems
  }

  test('comes as a value or as a file', () => {
    expect(passwordOf({ environment: { ONCEFLOW_METADATA__PASSWORD: 'hush' } })).toEqual({
      kind: 'inline',
      value: 'hush',
    })
    expect(passwordOf({ environment: { ONCEFLOW_METADATA__PASSWORD_FILE: 'secret' } })).toEqual({
      kind: 'file',
      path: 'secret',
    })
  })

  test('of a stronger source replaces one in the other form', () => {
    expect(
      passwordOf({
        environment: { ONCEFLOW_METADATA__PASSWORD_FILE: 'secret' },
        file: 'metadata: {password: weak}',
      }),
    ).toEqual({ kind: 'file', path: 'secret' })
  })

  test('in both forms of one source is a problem that does not show it', () => {
    const problems = passwordOf({ file: 'metadata: {password: hush, password_file: secret}' })
    expect(JSON.stringify(problems)).toContain('given twice')
    expect(JSON.stringify(problems)).not.toContain('hush')
  })
})

test('every problem is reported at once, by the name under which it was given', () => {
  expect(
    problemsOf({
      flags: { ...endpoints, listen: 'nowhere' },
      environment: { ONCEFLOW_LEASE__TTL: '1s', ONCEFLOW_LISTN: 'x', ONCEFLOW_ROOT: 'ours' },
      file: 'heartbeat: {intervall: 1s}\nlog: {level: loud}\nworker: {lost_after: 5}\n',
    }),
  ).toEqual([
    'heartbeat.intervall: is not a known setting; did you mean heartbeat.interval?',
    'ONCEFLOW_LISTN: is not a known setting; did you mean ONCEFLOW_LISTEN?',
    'worker.lost_after: must be a duration with its unit, such as 250ms or 10s, not 5',
    'ONCEFLOW_LEASE__TTL: must be at least 2s and three times heartbeat.interval',
    'log.level: must be one of debug, info, warn, error',
    '--listen: must be host:port, not nowhere',
  ])
})

test("another process' settings are no error, an unknown one is", () => {
  expect(
    problemsOf({ file: 'coordinators: [a:1]', environment: { ONCEFLOW_WORKERS: '3' } }),
  ).toEqual([])
  expect(problemsOf({ environment: { ONCEFLOW_SOME__THING: '1' } })).toHaveLength(1)
  expect(problemsOf({ file: 'a: [' })).toHaveLength(1)
})

test('every setting has a variable of its own', () => {
  const variables = settingKeys.map(variableOf)
  expect(new Set(variables).size).toBe(variables.length)
  for (const key of settingKeys) expect(settings[key].processes.length).toBeGreaterThan(0)
})
