import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CliStage, runArgs } from './cli-stage.ts'

let stage: CliStage
beforeEach(async () => {
  stage = await CliStage.open()
})
afterEach(() => stage.close())

describe('exit codes', () => {
  test.each<[string[], number]>([
    [['--help'], 0],
    [['--version'], 0],
    [['pipeline', 'list', '--help'], 0],
    [['frobnicate'], 2],
    [['pipeline', 'frobnicate'], 2],
    [['pipeline', 'list', '--colour'], 2],
    [['pipeline', 'list', '-o', 'xml'], 2],
    [['pipeline', 'list', '--limit', 'all'], 2],
    [['pipeline', 'list', '--address', 'nowhere'], 2],
    [['pipeline', 'get', 'Shop'], 2],
    [['pipeline', 'get', 'shop'], 3],
    [['checkpoint', 'list', 'shop'], 3],
  ])('%j ends with %i', async (args, code) => {
    const ran = await stage.run(args)
    expect(ran.code).toBe(code)
    if (code !== 0) expect(ran.data).toBe('')
  })

  test('4: the state does not allow it', async () => {
    await stage.applied({ state: 'deleting' })
    const ran = await stage.run(['pipeline', 'resume', 'shop'])
    expect(ran.code).toBe(4)
    expect(ran.notes).toBe(
      'PRECONDITION_FAILED: pipeline shop is being deleted\nhint: look at its state first',
    )
  })

  test('6: nobody answers, or not in time', async () => {
    const env = { ONCEFLOW_ADDRESS: '127.0.0.1:1' }
    const ran = await runArgs(['status'], { env })
    expect(ran.code).toBe(6)
    expect(ran.notes).toContain('COORDINATOR_UNREACHABLE: no coordinator at 127.0.0.1:1')
  })

  test('1: something that should not happen', async () => {
    stage.admin.getStatus = () => Promise.reject(new Error('canary-secret'))
    const ran = await stage.run(['status'])
    expect(ran.code).toBe(1)
    expect(ran.notes).not.toContain('canary-secret')
  })
})

describe('processes', () => {
  test('name every problem of their configuration', async () => {
    const config = stage.file('lease: {ttl: 1s}\ncolour: red\n', 'config.yaml')
    const args = ['coordinator', '--listen', 'x', '--config', config]
    const ran = await runArgs(args, { env: { ONCEFLOW_LOG__LEVEL: 'loud' } })
    expect(ran.code).toBe(2)
    expect(ran.notes.split('\n')).toEqual([
      'CONFIG_INVALID: 5 problem(s)',
      '  colour: is not a known setting',
      '  lease.ttl: must be at least 2s and three times heartbeat.interval',
      '  ONCEFLOW_LOG__LEVEL: must be one of debug, info, warn, error',
      '  --listen: must be host:port, not x',
      '  metadata.endpoints: is required',
      'hint: onceflow coordinator --help lists the settings',
    ])
  })

  test.each(['coordinator', 'worker', 'dev'])('%s --help lists the settings', async (name) => {
    const ran = await runArgs([name, '--help'])
    expect(ran.code).toBe(0)
    expect(ran.data).toContain('--log-level <value>')
    expect(ran.data).toContain('--insecure-bind [yes|no]')
  })

  test('take no secret as an argument', async () => {
    const help = (await runArgs(['coordinator', '--help'])).data
    expect(help).toContain('--metadata-password-file <path>')
    expect(help).not.toContain('--metadata-password <')
  })
})
