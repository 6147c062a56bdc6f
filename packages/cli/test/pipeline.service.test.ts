import { failure } from '@onceflow/model'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CliStage, running, shop, spec } from './cli-stage.ts'

let stage: CliStage
beforeEach(async () => {
  stage = await CliStage.open()
})
afterEach(() => stage.close())

describe('apply', () => {
  test('creates, then updates', async () => {
    await stage.applied()
    const changed = stage.file(`${spec()}parallelism: 3\n`)
    const ran = await stage.run(['apply', '-f', changed, '--no-wait', '-o', 'name'])
    expect(ran).toEqual({ code: 0, data: 'pipelines/shop', notes: 'shop is applied' })
    expect(stage.admin.pipelines.get(shop)?.spec.parallelism).toBe(3)
  })

  test('waits until the pipeline runs', async () => {
    const ran = await stage.run(['apply', '-f', stage.file(spec())], {
      onWait: (count) => {
        if (count === 2) stage.admin.show(shop, { state: 'running' })
        return undefined
      },
    })
    expect(ran.code).toBe(0)
    expect(ran.notes).toContain('shop is starting ...')
    expect(ran.data).toContain('running')
  })

  test('ends with 7 when the pipeline stops instead', async () => {
    const told = failure('SINK_AUTH', { detail: 'the sink refused user app' })
    const ran = await stage.run(['apply', '-f', stage.file(spec())], {
      onWait: () => {
        stage.admin.show(shop, { state: 'stopped', failure: told })
        return undefined
      },
    })
    expect(ran.code).toBe(7)
    expect(ran.notes).toContain('shop has stopped: SINK_AUTH: the sink refused user app')
    expect(ran.notes).toContain(`hint: ${told.hint}`)
  })

  test('says that a pipeline that had stopped before needs a resume', async () => {
    await stage.applied()
    const told = failure('SINK_AUTH', { detail: 'the sink refused user app' })
    stage.admin.show(shop, { state: 'stopped', failure: told })
    const ran = await stage.run(['apply', '-f', stage.file(`${spec()}parallelism: 3\n`)])
    expect(ran.code).toBe(7)
    expect(ran.notes).toContain('waits for a resume: SINK_AUTH: the sink refused user app')
    expect(ran.notes).toContain('onceflow pipeline resume shop runs it')
    expect(stage.admin.pipelines.get(shop)?.spec.parallelism).toBe(3)
  })

  test('sends nothing when a file has a problem, and names every one', async () => {
    const good = stage.file(spec('good'), 'good.yaml')
    const bad = stage.file('name: Bad\nsorce: {}\n', 'bad.yaml')
    const ran = await stage.run(['apply', '-f', good, '-f', bad])
    expect(ran.code).toBe(2)
    expect(ran.notes).toContain(`${bad}: name (line 1): "Bad" is not lower-case`)
    expect(ran.notes).toContain(`${bad}: sorce (line 2): is not a known key; did you mean source?`)
    expect(ran.data).toBe('')
    expect(stage.admin.pipelines.size).toBe(0)
  })

  test('changes nothing with --dry-run', async () => {
    const ran = await stage.run(['apply', '-f', stage.file(spec()), '--dry-run'])
    expect(ran).toMatchObject({ code: 0, notes: 'shop is valid' })
    expect(stage.admin.pipelines.size).toBe(0)
  })

  test.each([[[]], [['-f', 'is-not-there.yaml']]])('needs a file: %s', async (args) => {
    expect((await stage.run(['apply', ...args])).code).toBe(2)
  })
})

describe('pipeline', () => {
  test('list is a table, and every other format', async () => {
    await stage.applied(running)
    const table = await stage.run(['pipeline', 'list'])
    expect(table.data.split('\n')).toEqual([
      'NAME  STATE    TASKS  RECORDS/S    LAG  BEHIND  CHECKPOINT  COMMITTED  REASON',
      'shop  running      4     12,346  1,234   180ms          41      250ms',
    ])
    const wide = await stage.run(['pipeline', 'list', '-o', 'wide'])
    expect(wide.data).toContain('main:exactly-once')
    const name = await stage.run(['pipeline', 'list', '-o', 'name'])
    expect(name.data).toBe('pipelines/shop')
    const json = await stage.run(['pipeline', 'list', '-o', 'json'])
    expect(JSON.parse(json.data)).toMatchObject({
      pipelines: [{ name: 'pipelines/shop', attempt: '3', lastCheckpoint: { checkpoint: '41' } }],
    })
    const yaml = await stage.run(['pipeline', 'list', '-o', 'yaml'])
    expect(yaml.data).toContain('state: STATE_RUNNING')
    for (const ran of [table, wide, name, json, yaml]) {
      expect(ran.notes).toBe('')
      expect(ran.data).not.toContain('canary-secret')
    }
  })

  test('list reads every page, up to its limit', async () => {
    for (const n of [1, 2, 3, 4, 5]) {
      await stage.run(['apply', '-f', stage.file(spec(`p${n}`)), '--no-wait'])
    }
    const ran = await stage.run(['pipeline', 'list', '-o', 'name', '--limit', '3'])
    expect(ran.data.split('\n')).toEqual(['pipelines/p1', 'pipelines/p2', 'pipelines/p3'])
  })

  test('get shows the spec without its secrets', async () => {
    await stage.applied(running)
    const ran = await stage.run(['pipeline', 'get', 'shop', '-o', 'json'])
    const shown = JSON.parse(ran.data)
    expect(shown.spec.sinks[0]).toMatchObject({ name: 'main', password: '[redacted]' })
    expect(shown.createTime).toBe('2026-01-31T11:59:00.000Z')
  })

  test('pause and resume wait for their state', async () => {
    await stage.applied(running)
    expect(await stage.run(['pipeline', 'pause', 'shop'])).toMatchObject({
      code: 0,
      data: expect.stringContaining('paused'),
    })
    expect((await stage.run(['pipeline', 'resume', 'shop'])).data).toContain('running')
    const checked = await stage.run(['pipeline', 'pause', 'shop', '--dry-run'])
    expect(checked.code).toBe(0)
    expect(stage.admin.pipelines.get(shop)?.state).toBe('running')
  })

  test('delete asks for the name, and without a terminal for --yes', async () => {
    await stage.applied()
    expect(await stage.run(['pipeline', 'delete', 'shop'])).toMatchObject({ code: 2, data: '' })
    const typed = await stage.run(['pipeline', 'delete', 'shop'], { isTty: 'yes', typed: 'shopp' })
    expect(typed.code).toBe(4)
    expect(stage.admin.pipelines.size).toBe(1)
    const right = await stage.run(['pipeline', 'delete', 'shop'], { isTty: 'yes', typed: 'shop' })
    expect(right).toEqual({ code: 0, data: '', notes: 'shop is deleted' })
    await stage.applied()
    expect((await stage.run(['pipeline', 'delete', 'shop', '--yes'])).code).toBe(0)
    expect(stage.admin.pipelines.size).toBe(0)
  })

  test('watch has a line for each change, until Ctrl-C', async () => {
    await stage.applied(running)
    const ran = await stage.run(['pipeline', 'watch', 'shop'], {
      onWait: (count) => {
        if (count === 3) stage.admin.show(shop, { state: 'paused' })
        return count === 5 ? 'stop' : undefined
      },
    })
    expect(ran.code).toBe(0)
    expect(ran.data.split('\n')).toEqual([
      '12:00:00  shop  running  checkpoint 41  lag 1,234  behind 180ms',
      '12:00:00  shop  paused  checkpoint 41  lag 1,234  behind 180ms',
    ])
  })
})
