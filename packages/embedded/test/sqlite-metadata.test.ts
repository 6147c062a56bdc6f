import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SqliteMetadata } from '@onceflow/embedded'
import type { TxnRequest } from '@onceflow/ports'
import { ManualClock } from '@onceflow/twins'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { describeMetadataStore } from '../../../test/conformance/metadata-store.ts'

const put = (key: string, value: string, lease?: string): TxnRequest => ({
  compares: [],
  writes: [{ kind: 'put', key, value, ...(lease === undefined ? {} : { lease }) }],
  elseReads: [],
})

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'onceflow-embedded-'))

describeMetadataStore('the embedded store', async () => {
  const folder = newFolder()
  const clock = new ManualClock()
  const metadata = SqliteMetadata.open({ clock, file: join(folder, 'metadata.db') })
  return {
    store: metadata.connect(),
    connect: () => metadata.connect(),
    passTime: (durationMs) => clock.run(durationMs),
    close: async () => {
      await metadata.close()
      rmSync(folder, { recursive: true })
    },
  }
})

describe('the embedded store', () => {
  let folder: string
  beforeEach(() => {
    folder = newFolder()
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  const open = () =>
    SqliteMetadata.open({ clock: new ManualClock(), file: join(folder, 'metadata.db') })

  test('keeps keys and revisions over a restart, and no lease of the process before', async () => {
    const before = open()
    const first = before.connect()
    const { lease } = await first.grantLease(10_000)
    await first.txn(put('kept', 'v'))
    const stored = await first.txn(put('leader', 'me', lease))
    await before.close()
    const after = open()
    const store = after.connect()
    const page = await store.range({ prefix: '', limit: 10 })
    expect(page.values.map(({ key }) => key)).toEqual(['kept'])
    expect(await store.keepLeaseAlive(lease)).toBe('gone')
    const outcome = await store.txn(put('next', 'v'))
    if (outcome.kind !== 'applied' || stored.kind !== 'applied') throw new Error('applied')
    expect(outcome.revision).toBeGreaterThan(stored.revision)
    await after.close()
  })

  test('a file that is in use is refused', async () => {
    const first = open()
    expect(open).toThrow('METADATA_UNREACHABLE')
    await first.close()
    const second = open()
    await second.close()
  })

  test('a folder that is missing is refused with its name', () => {
    const file = join(folder, 'missing', 'metadata.db')
    const opening = () => SqliteMetadata.open({ clock: new ManualClock(), file })
    expect(opening).toThrow(/METADATA_UNREACHABLE: .*missing/)
  })
})
