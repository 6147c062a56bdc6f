import type { AdminResponse } from '@onceflow/rpc'
import { ageText, countText, lastPart, word } from '../figures.ts'
import { jsonText, show } from '../output.ts'
import { type CommonOptions, type Session, withSession } from '../session.ts'
import { type Column, colored, printable, tableText } from '../table.ts'
import { mayColor, type Terminal } from '../terminal.ts'
import { behindText, flowColumns } from './pipeline-view.ts'

type Status = NonNullable<AdminResponse<'GetStatus'>['status']>
type Glance = Status['pipelines'][number]

export interface StatusOptions extends CommonOptions {
  readonly watch?: boolean
  /** Between two looks of --watch. */
  readonly every: number
}

/** One screen: is data flowing, how far behind, what is committed, who leads. */
export const status = (terminal: Terminal, options: StatusOptions): Promise<void> =>
  withSession(terminal, options, async (session) => {
    if (options.watch !== true) return showStatus(session, await statusOf(session))
    const stop = terminal.stopped().then(() => 'stop' as const)
    for (;;) {
      showAgain(session, await statusOf(session))
      const next = await Promise.race([stop, terminal.wait(options.every)])
      if (next === 'stop') return undefined
    }
  })

async function statusOf(session: Session): Promise<Status> {
  const { status: found } = await session.client.call('GetStatus', {})
  if (found === undefined) throw new Error('the answer of GetStatus is empty')
  return found
}

async function showStatus(session: Session, found: Status): Promise<void> {
  const { terminal, format } = session
  if (format === 'table' || format === 'wide') return terminal.data(screen(terminal, found))
  await show(terminal, format, {
    json: found,
    rows: found.pipelines,
    columns: [],
    nameOf: ({ name }) => name,
  })
}

/** Where a person looks, the screen is drawn anew; elsewhere the next one follows. */
function showAgain(session: Session, found: Status): void {
  const { terminal, format } = session
  if (format === 'json') terminal.data(JSON.stringify(found))
  else if (format !== 'table' && format !== 'wide') terminal.data(jsonText(found))
  else {
    const clear = terminal.isTty === 'yes' ? '\u001b[H\u001b[2J' : ''
    terminal.data(clear + screen(terminal, found))
  }
}

function screen(terminal: Terminal, found: Status): string {
  const nowMs = terminal.nowMs()
  const { leader } = found
  const head = [
    `${verdict(found)}`,
    '',
    `cluster     ${found.cluster}, version ${found.version}`,
    `leader      ${leader?.id} at ${leader?.address}, epoch ${leader?.leaderEpoch}, ` +
      `since ${ageText(leader?.sinceTime, nowMs)}`,
    `standby     ${standbyText(found)}`,
    `workers     ${found.workersLive} live, ${found.workersLost} lost`,
    `throughput  ${countText(found.flow?.recordsPerSecond ?? 0)} records/s, ` +
      `${countText(found.flow?.rowsPerSecond ?? 0)} rows/s`,
    `behind      ${countText(found.flow?.lagRecords ?? '0')} records, ` +
      `newest visible row is ${behindText(found.flow)} old`,
  ].map(printable)
  const table = tableText(glanceColumns(nowMs), found.pipelines, 'narrow')
  const text = found.pipelines.length === 0 ? '' : `\n\n${table}`
  const whole = head.join('\n') + text
  return mayColor(terminal) ? colored(whole) : whole
}

function standbyText(found: Status): string {
  const standby = found.coordinators.filter(({ role }) => role !== 'ROLE_LEADER')
  if (standby.length === 0) return 'not listed: the leader does not know who follows'
  return standby.map(({ id, address }) => `${id} at ${address}`).join(', ')
}

/** The first question in one sentence. */
export function verdict(found: Status): string {
  const { pipelines } = found
  if (pipelines.length === 0) return 'There is no pipeline yet.'
  const ill = pipelines.filter(({ state }) => state === 'STATE_STOPPED')
  if (ill.length > 0) {
    const names = ill.map(({ name }) => lastPart(name)).join(', ')
    return `Data is NOT flowing in ${ill.length} of ${pipelines.length} pipelines: ${names}`
  }
  const late = pipelines.filter(({ state }) => state !== 'STATE_RUNNING')
  const running = pipelines.length - late.length
  const flowing = pipelines.filter(({ flow }) => (flow?.recordsPerSecond ?? 0) > 0)
  const rest =
    late.length === 0
      ? ''
      : `; ${late.map(({ name, state }) => `${lastPart(name)} is ${word(state)}`).join(', ')}`
  if (running === 0) return `No data is flowing${rest}`
  const waiting = pipelines.some(({ flow }) => Number(flow?.lagRecords ?? 0) > 0)
  if (flowing.length === 0 && waiting) return `Records wait, but none is read just now${rest}`
  if (flowing.length === 0) return `All that was written is read; nothing new comes in${rest}`
  return `Data is flowing in ${flowing.length} of ${pipelines.length} pipelines${rest}`
}

const glanceColumns = (nowMs: number): readonly Column<Glance>[] => [
  { title: 'PIPELINE', of: ({ name }) => lastPart(name) },
  { title: 'STATE', of: ({ state }) => word(state) },
  ...flowColumns,
  {
    title: 'COMMITTED',
    of: ({ lastCheckpoint }) =>
      lastCheckpoint === undefined ? '-' : `${ageText(lastCheckpoint.decideTime, nowMs)} ago`,
    align: 'right',
  },
  {
    title: 'REASON',
    of: ({ failure }) => (failure === undefined ? '' : `${failure.code}: ${failure.detail}`),
  },
]
