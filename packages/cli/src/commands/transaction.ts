import type { AdminResponse } from '@onceflow/rpc'
import { lengthText, word } from '../figures.ts'
import { type Shown, show } from '../output.ts'
import { everyPage, withSession } from '../session.ts'
import type { Terminal } from '../terminal.ts'
import { type LimitOptions, pipelinePath } from './pipeline.ts'

type Transaction = AdminResponse<'ListTransactions'>['transactions'][number]

/** Sealed transactions that nobody has confirmed yet: of one pipeline, or of all. */
export const list = (
  terminal: Terminal,
  options: LimitOptions,
  pipeline: string | undefined,
): Promise<void> =>
  withSession(terminal, options, async (session) => {
    const parent = pipeline === undefined ? 'pipelines/-' : pipelinePath(pipeline)
    const transactions = await everyPage(options.limit, async (pageSize, pageToken) => {
      const page = await session.client.call('ListTransactions', { parent, pageSize, pageToken })
      return { items: page.transactions, next: page.nextPageToken }
    })
    await show(terminal, session.format, shownTransactions(transactions))
  })

const shownTransactions = (transactions: readonly Transaction[]): Shown<Transaction> => ({
  json: { transactions },
  rows: transactions,
  nameOf: ({ name }) => name,
  columns: [
    { title: 'PIPELINE', of: ({ name }) => name.split('/')[1] ?? '' },
    { title: 'SINK', of: ({ sink }) => sink },
    { title: 'SUBTASK', of: ({ subtask }) => `${subtask}`, align: 'right' },
    { title: 'CHECKPOINT', of: ({ checkpoint }) => checkpoint, align: 'right' },
    { title: 'ATTEMPT', of: ({ attempt }) => attempt, align: 'right' },
    { title: 'DECISION', of: ({ decision }) => word(decision) },
    { title: 'AGE', of: ({ ageMs }) => lengthText(Number(ageMs)), align: 'right' },
    { title: 'WORKER', of: ({ worker }) => (worker === '' ? '-' : worker) },
    { title: 'ID', of: ({ id }) => id, wide: 'yes' },
  ],
})
