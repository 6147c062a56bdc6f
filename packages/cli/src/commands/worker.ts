import type { AdminResponse } from '@onceflow/rpc'
import { ageText, bytesText, countText, lastPart, lengthText, word } from '../figures.ts'
import { type Shown, show } from '../output.ts'
import { type CommonOptions, everyPage, withSession } from '../session.ts'
import type { Terminal } from '../terminal.ts'
import type { LimitOptions } from './pipeline.ts'

type Worker = NonNullable<AdminResponse<'GetWorker'>['worker']>
type Task = Worker['tasks'][number]

export const list = (terminal: Terminal, options: LimitOptions): Promise<void> =>
  withSession(terminal, options, async (session) => {
    const workers = await everyPage(options.limit, async (pageSize, pageToken) => {
      const page = await session.client.call('ListWorkers', { pageSize, pageToken })
      return { items: page.workers, next: page.nextPageToken }
    })
    const shown = shownWorkers(workers, { workers }, terminal.nowMs())
    await show(terminal, session.format, shown)
  })

/** For people, the worker and one line for each of its tasks. */
export const get = (terminal: Terminal, options: CommonOptions, id: string): Promise<void> =>
  withSession(terminal, options, async (session) => {
    const { worker } = await session.client.call('GetWorker', { name: `workers/${id}` })
    if (worker === undefined) return
    await show(terminal, session.format, shownWorkers([worker], worker, terminal.nowMs()))
    if (session.format !== 'table' && session.format !== 'wide') return
    terminal.data('')
    await show(terminal, session.format, shownTasks(worker))
  })

const shownWorkers = (workers: readonly Worker[], json: unknown, nowMs: number): Shown<Worker> => ({
  json,
  rows: workers,
  nameOf: ({ name }) => name,
  columns: [
    { title: 'WORKER', of: ({ name }) => lastPart(name) },
    { title: 'STATE', of: ({ state }) => word(state) },
    {
      title: 'TASKS',
      of: ({ tasks, tasksMax }) => `${tasks.length}/${tasksMax}`,
      align: 'right',
    },
    {
      title: 'HEARTBEAT',
      of: ({ heartbeatAgeMs }) => lengthText(Number(heartbeatAgeMs)),
      align: 'right',
    },
    { title: 'UP', of: ({ connectTime }) => ageText(connectTime, nowMs), align: 'right' },
    { title: 'MEMORY', of: ({ rssBytes }) => bytesText(Number(rssBytes)), align: 'right' },
    {
      title: 'LOOP LAG',
      of: ({ eventLoopLagMs }) => lengthText(eventLoopLagMs),
      align: 'right',
    },
    { title: 'VERSION', of: ({ version }) => version },
    { title: 'PEER', of: ({ peer }) => peer, wide: 'yes' },
    { title: 'INCARNATION', of: ({ incarnation }) => incarnation, wide: 'yes' },
  ],
})

const shownTasks = (worker: Worker): Shown<Task> => ({
  json: worker.tasks,
  rows: worker.tasks,
  nameOf: ({ pipeline, subtask }) => `${pipeline}/${subtask}`,
  columns: [
    { title: 'PIPELINE', of: ({ pipeline }) => lastPart(pipeline) },
    { title: 'SUBTASK', of: ({ subtask }) => `${subtask}`, align: 'right' },
    { title: 'ATTEMPT', of: ({ attempt }) => attempt, align: 'right' },
    { title: 'COMMITTED', of: ({ lastCommitted }) => lastCommitted ?? '-', align: 'right' },
    { title: 'RECORDS', of: ({ recordsIn }) => countText(recordsIn), align: 'right' },
    { title: 'LAG', of: ({ lagRecords }) => countText(lagRecords), align: 'right' },
    { title: 'WAITS FOR', of: ({ waiting }) => (waiting === 'no' ? '-' : waiting) },
  ],
})
