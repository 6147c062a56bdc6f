// A checker that cannot fail is worth nothing: each kind of fault is put into a world without fault,
// and the audit must find that kind and no other.
import { offset, pipelineUid } from '@onceflow/model'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuditRequest, auditExitCode, renderReport, reportJson } from '../src/index.ts'
import { type Server, startServer } from './server-fixture.ts'
import { World } from './world-fixture.ts'

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

describe('a pipeline without fault', () => {
  it('is clean', async () => {
    const world = await World.filled(server)
    const report = await world.audit()
    expect(report.unchecked).toEqual([])
    expect(report.findings).toEqual([])
    expect(report.verdict).toBe('clean')
    expect(report.checked).toMatchObject({ changes: 11, rows: 7, ledgerRows: 6, partitions: 3 })
    expect(auditExitCode(report)).toBe(0)
    expect(renderReport(report)).toContain('verdict: clean')
    expect(JSON.stringify(reportJson(report))).toContain('"recordsBehind":"0"')
  })

  it('is clean without decisions, and the report says that they were not looked at', async () => {
    const world = await World.filled(server)
    const report = await world.audit({ checkpoints: undefined })
    expect(report.verdict).toBe('clean')
    expect(report.notes.join()).toContain('no decisions were given')
  })

  it('is clean while records lie in the log that no checkpoint has reached', async () => {
    const world = await World.filled(server)
    world.put({ id: 6, name: 'six', qty: 6 }, 'c')
    world.remove(1)
    const report = await world.audit()
    expect(report.verdict).toBe('clean')
    expect(report.checked.recordsBehind).toBe(3n)
  })

  it('is clean while one of two subtasks has committed and the other is prepared', async () => {
    const world = await World.filled(server)
    const from = world.ends()
    world.put({ id: 6, name: 'six', qty: 6 }, 'c')
    world.put({ id: 7, name: 'seven', qty: 7 }, 'c')
    const to = world.ends()
    world.decide({ n: 4, positions: to, sealed: [0, 1], state: 'committed' })
    const first = ({ topic, partition }: { topic: string; partition: number }) =>
      topic === 'shop.event' || partition === 0
    await world.ledgerRow({ n: 4, subtask: 0, from: from.filter(first), to: to.filter(first) })
    await world.sql("INSERT INTO @.item VALUES (6, 'six', 6, NULL)")
    const gid = await world.prepare(
      { n: 4, task: 1, attempt: 2 },
      `INSERT INTO ${world.schema}.item VALUES (7, 'seven', 7, NULL)`,
    )
    const report = await world.audit()
    await world.rollback(gid)
    expect(report.findings).toEqual([])
    expect(report.verdict).toBe('clean')
    expect(report.checked.preparedTransactions).toBe(1)
  })

  it('is inconclusive when nothing was committed', async () => {
    const world = await World.empty(server)
    const report = await world.audit()
    expect(report.verdict).toBe('inconclusive')
    expect(auditExitCode(report)).toBe(0)
  })

  it('is clean when it was started and nothing has come', async () => {
    const world = await World.empty(server)
    world.decide({ n: 0, positions: world.ends(), sealed: [], kind: 'start' })
    expect((await world.audit()).verdict).toBe('clean')
  })
})

interface Fault {
  readonly name: string
  readonly make: (world: World) => unknown
  readonly finds: string
  readonly alsoFinds?: readonly string[]
  readonly detail?: RegExp
  readonly verdict?: 'violations' | 'inconclusive' | 'clean'
  readonly request?: (world: World) => Partial<AuditRequest>
}

const rowFaults: readonly Fault[] = [
  {
    name: 'a row is missing',
    make: (world) => world.sql('DELETE FROM @.item WHERE id = 5'),
    finds: 'lost',
    detail: /belongs to checkpoint 3, subtask 1/,
  },
  {
    name: 'a deleted row is still there',
    make: (world) => world.sql("INSERT INTO @.item VALUES (4, 'four', 4, NULL)"),
    finds: 'phantom',
  },
  {
    name: 'a row that nobody spoke of, in a table of ours',
    make: (world) => world.sql("INSERT INTO @.item VALUES (99, 'x', 1, NULL)"),
    finds: 'phantom',
    request: () => ({ options: { targetTables: 'ours' } }),
  },
  {
    name: 'a row that nobody spoke of, in a table that may be shared',
    make: (world) => world.sql("INSERT INTO @.item VALUES (99, 'x', 1, NULL)"),
    finds: 'unknown-origin',
    verdict: 'inconclusive',
  },
  {
    name: 'an update is missing',
    make: (world) => world.sql('UPDATE @.item SET qty = 1 WHERE id = 1'),
    finds: 'differing',
    detail: /other values in qty;/,
  },
  {
    name: 'a null became a text',
    make: (world) => world.sql("UPDATE @.item SET name = '' WHERE id = 3"),
    finds: 'differing',
    detail: /other values in name;/,
  },
  {
    name: 'an unchanged large value was replaced by the placeholder',
    make: (world) =>
      world.sql("UPDATE @.item SET note = '__debezium_unavailable_value' WHERE id = 2"),
    finds: 'differing',
    detail: /other values in note/,
  },
  {
    name: 'values are shown on request',
    make: (world) => world.sql('UPDATE @.item SET qty = 1 WHERE id = 1'),
    finds: 'differing',
    detail: /qty: log '10', target '1'/,
    request: () => ({ options: { showValues: 'yes' } }),
  },
  {
    name: 'an appended row was written once more',
    make: (world) => world.sql("INSERT INTO @.event VALUES ('b', 2)"),
    finds: 'duplicated',
    detail: /2 times/,
  },
  {
    name: 'an appended row was written once less',
    make: (world) => world.sql('DELETE FROM @.event WHERE ctid = (SELECT min(ctid) FROM @.event)'),
    finds: 'lost',
  },
  {
    name: 'the target table is gone',
    make: (world) => world.sql('DROP TABLE @.event'),
    finds: 'lost',
  },
]

const chainFaults: readonly Fault[] = [
  {
    name: 'a row of the ledger is missing',
    make: (world) =>
      world.sql(
        `DELETE FROM onceflow.ledger WHERE pipeline_uid = '${world.uid}' AND checkpoint = 2 AND subtask = 1`,
      ),
    finds: 'ledger-gap',
    alsoFinds: ['transaction-lost', 'torn'],
  },
  {
    name: 'the positions of a row were altered',
    make: (world) =>
      world.ledgerSql(
        `positions_to = jsonb_set(positions_to, '{0,offset}', '"2"')`,
        'checkpoint = 1 AND subtask = 0',
      ),
    finds: 'ledger-altered',
    alsoFinds: ['positions-differ', 'ledger-disorder'],
  },
  {
    name: 'an attempt goes back',
    make: async (world) => {
      await world.fence(3)
      await respell(world, { n: 2, attempt: 3 })
    },
    finds: 'ledger-disorder',
    alsoFinds: ['undecided-row', 'transaction-lost'],
    detail: /lower than that of checkpoint 2|attempt lower/,
  },
  {
    name: 'a leader epoch goes back',
    make: (world) => world.ledgerSql('leader_epoch = 6', 'checkpoint = 3 AND subtask = 0'),
    finds: 'ledger-disorder',
    detail: /leader epoch 6 after 7/,
  },
  {
    name: 'there is no fence',
    make: (world) => world.sql(`DELETE FROM onceflow.fence WHERE pipeline_uid = '${world.uid}'`),
    finds: 'fence',
  },
  {
    name: 'a row has passed a fence that it could not pass',
    make: (world) => world.fence(1),
    finds: 'fence',
  },
  {
    name: 'a row was committed and never decided',
    make: (world) => world.checkpoints.splice(3, 1),
    finds: 'undecided-row',
    detail: /decision is absent/,
  },
  {
    name: 'a row was committed and its checkpoint given up',
    make: (world) => {
      const last = world.checkpoints.pop()
      if (last !== undefined) world.checkpoints.push({ ...last, state: 'aborted' })
    },
    finds: 'undecided-row',
    detail: /decision is aborted/,
  },
  {
    name: 'a decision names other positions',
    make: (world) => {
      const last = world.checkpoints.pop()
      if (last === undefined) return
      const positions = last.positions.map((one) =>
        one.topic === 'shop.event' ? { ...one, offset: offset(2n) } : one,
      )
      world.checkpoints.push({ ...last, positions })
    },
    finds: 'positions-differ',
  },
  {
    name: 'a decided transaction is gone',
    make: async (world) => {
      world.put({ id: 6, name: 'six', qty: 6 }, 'c')
      world.decide({ n: 4, positions: world.ends(), sealed: [0] })
    },
    finds: 'transaction-lost',
  },
  {
    name: 'a subtask that had rows sealed empty',
    make: async (world) => {
      world.put({ id: 6, name: 'six', qty: 6 }, 'c')
      world.decide({ n: 4, positions: world.ends(), sealed: [], empty: [0, 1] })
    },
    finds: 'lost',
  },
  {
    name: 'decided positions go back',
    make: (world) => {
      const [start] = world.checkpoints
      if (start === undefined) return
      world.decide({ n: 4, positions: start.positions, sealed: [], empty: [0, 1] })
    },
    finds: 'ledger-disorder',
    detail: /goes back/,
  },
  {
    name: 'the log ends below what was read',
    make: (world) => world.log.truncateTo({ topic: 'shop.event', partition: 0 }, 2n),
    finds: 'log-truncated',
  },
]

/** Writes both rows of a checkpoint anew under another attempt, with digests that fit. */
async function respell(world: World, { n, attempt }: { n: number; attempt: number }) {
  const rows = await world.sql(
    `DELETE FROM onceflow.ledger WHERE pipeline_uid = '${world.uid}' AND checkpoint = ${n} RETURNING *`,
  )
  for (const row of rows) {
    await world.ledgerRow({
      n,
      attempt,
      subtask: Number(row['subtask']),
      from: row['positions_from'] as never,
      to: row['positions_to'] as never,
    })
  }
}

describe('a fault in the rows', () => check(rowFaults))
describe('a fault in the ledger, the fence, the decisions or the log', () => check(chainFaults))

function check(faults: readonly Fault[]): void {
  it.each(faults)('$name', async ({ make, finds, alsoFinds, detail, verdict, request }) => {
    const world = await World.filled(server)
    await make(world)
    const report = await world.audit({
      ...request?.(world),
      options: { silenceMs: 1_500, ...request?.(world).options },
    })
    expect(report.verdict).toBe(verdict ?? 'violations')
    expect(Object.keys(report.counts).toSorted()).toEqual([finds, ...(alsoFinds ?? [])].toSorted())
    const text = report.findings.map((finding) => finding.detail).join('\n')
    if (detail !== undefined) expect(text).toMatch(detail)
    expect(auditExitCode(report)).toBe(report.verdict === 'violations' ? 8 : 0)
    expect(renderReport(report)).toContain(finds)
  })
}

const openFaults: readonly (Omit<Fault, 'make'> & {
  readonly gid: (world: World) => string
  readonly before?: (world: World) => unknown
})[] = [
  {
    name: 'a decided one is not committed',
    gid: (world) => gidOf(world, '0:4:2'),
    before: (world) =>
      world.decide({ n: 4, positions: world.ends(), sealed: [0], state: 'committed' }),
    finds: 'open-transaction',
    detail: /its commit is decided/,
    request: () => ({ options: { graceMs: 0 } }),
  },
  {
    name: 'one of a lower attempt was left behind',
    gid: (world) => gidOf(world, '0:4:1'),
    finds: 'open-transaction',
    detail: /below the fence/,
  },
  {
    name: 'one of a higher attempt than the fence',
    gid: (world) => gidOf(world, '0:4:3'),
    finds: 'fence',
  },
  {
    name: 'one that is being sealed for too long',
    gid: (world) => gidOf(world, '0:4:2'),
    finds: 'open-transaction',
    detail: /longer than a checkpoint may take/,
    request: (world) => ({
      spec: { ...world.spec(), checkpoint: { intervalMs: 1, timeoutMs: 0 } },
      options: { graceMs: 0 },
    }),
  },
  {
    name: 'one of a pipeline that does not exist',
    gid: (world) => `onceflow:${world.cluster}:nosuchpipe01:target:0:1:1`,
    finds: 'orphan-transaction',
    verdict: 'clean',
    request: (world) => ({ knownPipelines: [world.uid, pipelineUid('otherpipe001')] }),
  },
  {
    name: 'one whose name cannot be read',
    gid: (world) => `onceflow:${world.schema}:something`,
    finds: 'orphan-transaction',
    verdict: 'clean',
  },
]

const gidOf = (world: World, rest: string): string =>
  `onceflow:${world.cluster}:${world.uid}:${world.sink}:${rest}`

describe('a prepared transaction', () => {
  it.each(openFaults)('$name', async ({ gid, before, finds, detail, verdict, request }) => {
    const world = await World.filled(server)
    await before?.(world)
    const name = gid(world)
    await world.prepareAs(name)
    const report = await world.audit(request?.(world))
    await world.rollback(name)
    expect(Object.keys(report.counts)).toEqual([finds])
    expect(report.verdict).toBe(verdict ?? 'violations')
    if (detail !== undefined) expect(report.findings[0]?.detail).toMatch(detail)
  })

  it('of the running attempt, of another pipeline or another cluster is left alone', async () => {
    const world = await World.filled(server)
    const names = [
      gidOf(world, '0:4:2'),
      `onceflow:${world.cluster}:otherpipe001:target:0:1:1`,
      `onceflow:othercluster:${world.uid}:target:0:1:1`,
    ]
    for (const name of names) await world.prepareAs(name)
    const report = await world.audit({
      knownPipelines: [world.uid, pipelineUid('otherpipe001')],
    })
    for (const name of names) await world.rollback(name)
    expect(report.verdict).toBe('clean')
    expect(report.findings).toEqual([])
  })
})
