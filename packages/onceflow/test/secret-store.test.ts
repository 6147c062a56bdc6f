import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Secret } from '@onceflow/model'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SecretStore } from '../src/secret-store.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'onceflow-secrets-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a secret', () => {
  test('in a file is read at every use, without the line end', () => {
    const path = join(folder, 'rotated')
    const store = new SecretStore({})
    writeFileSync(path, 'first\n')
    expect(store.resolve({ kind: 'file', path })).toBe('first')
    writeFileSync(path, ' second \r\n')
    expect(store.resolve({ kind: 'file', path })).toBe(' second ')
    expect(store.known()).toEqual(['first', ' second '])
  })

  test('in a variable is that of the environment given', () => {
    const store = new SecretStore({ KAFKA_PASSWORD: 'k1' })
    expect(store.resolve({ kind: 'env', name: 'KAFKA_PASSWORD' })).toBe('k1')
  })

  test('that is not there is CONFIG_INVALID, named by its place', () => {
    const store = new SecretStore({})
    const path = join(folder, 'missing')
    expect(() => store.resolve({ kind: 'file', path })).toThrow(/CONFIG_INVALID.*missing/)
    expect(() => store.resolve({ kind: 'env', name: 'NOT_SET' })).toThrow(/CONFIG_INVALID.*NOT_SET/)
    expect(store.known()).toEqual([])
  })
})

describe('the journal', () => {
  const journalOf = (secrets: readonly Secret[], env: Record<string, string>) =>
    spawnSync(
      process.execPath,
      [
        ...['--conditions=source', join(import.meta.dirname, 'fixtures/journal-entry.ts')],
        JSON.stringify(secrets),
      ],
      { env: { ...process.env, ...env }, encoding: 'utf8' },
    )

  test('prints no secret that was resolved, from wherever it came', () => {
    const path = join(folder, 'canary')
    const canaries = ['canary-inline', 'canary "quoted" \\ ünï', 'canary-env', 'canary']
    writeFileSync(path, `${canaries[1]}\n`)
    const { status, stdout, stderr } = journalOf(
      [
        { kind: 'inline', value: canaries[0] ?? '' },
        { kind: 'file', path },
        { kind: 'env', name: 'CANARY' },
        // Part of the others: what contains it is replaced first.
        { kind: 'inline', value: canaries[3] ?? '' },
      ],
      { CANARY: canaries[2] ?? '' },
    )
    expect(status).toBe(0)
    expect(stdout).toBe('')
    expect(stderr).not.toContain('canary')
    expect(stderr).not.toContain('quoted')
    expect(stderr.match(/\[redacted\]/g)?.length).toBeGreaterThanOrEqual(4 * 4)
  })

  test('is one line of JSON per entry, whatever a value holds', () => {
    const { stderr } = journalOf([], {})
    const lines = stderr.trimEnd().split('\n')
    expect(lines.length).toBe(1)
    const { ts, ...entry } = JSON.parse(lines[0] ?? '') as Record<string, unknown>
    expect(Number.isNaN(Date.parse(String(ts)))).toBe(false)
    expect(entry).toEqual({
      level: 'debug',
      role: 'test',
      msg: 'end',
      count: '9007199254740993',
      forged: 'a\n{"level":"info"}',
    })
  })
})
