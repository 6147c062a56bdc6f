import type { AdminResponse } from '@onceflow/rpc'
import { UsageError } from '../exit-code.ts'
import { ageText, countText, lengthText, word } from '../figures.ts'
import { type Shown, show } from '../output.ts'
import { type CommonOptions, everyPage, withSession } from '../session.ts'
import type { Terminal } from '../terminal.ts'
import { type LimitOptions, pipelinePath } from './pipeline.ts'

type Checkpoint = NonNullable<AdminResponse<'GetCheckpoint'>['checkpoint']>

export const list = (terminal: Terminal, options: LimitOptions, pipeline: string): Promise<void> =>
  withSession(terminal, options, async (session) => {
    const parent = pipelinePath(pipeline)
    const checkpoints = await everyPage(options.limit, async (pageSize, pageToken) => {
      const page = await session.client.call('ListCheckpoints', { parent, pageSize, pageToken })
      return { items: page.checkpoints, next: page.nextPageToken }
    })
    await show(terminal, session.format, shownList(checkpoints, terminal.nowMs()))
  })

const shownList = (checkpoints: readonly Checkpoint[], nowMs: number): Shown<Checkpoint> => ({
  json: { checkpoints },
  rows: checkpoints,
  nameOf: ({ name }) => name,
  columns: [
    { title: 'CHECKPOINT', of: ({ checkpoint }) => checkpoint, align: 'right' },
    { title: 'STATE', of: ({ state }) => word(state) },
    { title: 'KIND', of: ({ kind }) => word(kind) },
    { title: 'COMMITTED', of: ({ decideTime }) => ageText(decideTime, nowMs), align: 'right' },
    { title: 'RECORDS', of: ({ records }) => countText(records), align: 'right' },
    { title: 'ROWS', of: ({ rows }) => countText(rows), align: 'right' },
    { title: 'SEAL', of: ({ sealMs }) => lengthText(sealMs), align: 'right' },
    { title: 'DECIDE', of: ({ decideMs }) => lengthText(decideMs), align: 'right' },
    { title: 'COMMIT', of: ({ commitMs }) => lengthText(commitMs), align: 'right' },
    { title: 'ATTEMPT', of: ({ attempt }) => attempt, align: 'right', wide: 'yes' },
    { title: 'LEADER', of: ({ leaderEpoch }) => leaderEpoch, align: 'right', wide: 'yes' },
    { title: 'REVISION', of: ({ revision }) => revision ?? '-', align: 'right', wide: 'yes' },
  ],
})

export interface Asked {
  readonly pipeline: string
  readonly checkpoint: string
}

/** For people, one line for each partition: where reading went on after the checkpoint. */
export const get = (terminal: Terminal, options: CommonOptions, asked: Asked): Promise<void> =>
  withSession(terminal, options, async (session) => {
    if (!/^\d{1,19}$/.test(asked.checkpoint)) {
      throw new UsageError(`${asked.checkpoint} is not a checkpoint number`, 'see checkpoint list')
    }
    const name = `${pipelinePath(asked.pipeline)}/checkpoints/${asked.checkpoint}`
    const { checkpoint } = await session.client.call('GetCheckpoint', { name })
    if (checkpoint === undefined) return
    if (session.format === 'table' || session.format === 'wide') {
      await show(terminal, session.format, shownList([checkpoint], terminal.nowMs()))
      terminal.data('')
    }
    await show(terminal, session.format, shownPositions(checkpoint))
  })

type Position = Checkpoint['positions'][number]

const shownPositions = (checkpoint: Checkpoint): Shown<Position> => ({
  json: checkpoint,
  rows: checkpoint.positions,
  nameOf: ({ topic, partition }) => `${topic}/${partition}`,
  columns: [
    { title: 'TOPIC', of: ({ topic }) => topic },
    { title: 'PARTITION', of: ({ partition }) => `${partition}`, align: 'right' },
    { title: 'NEXT OFFSET', of: ({ offset }) => offset, align: 'right' },
    { title: 'TOPIC ID', of: ({ topicId }) => topicId, wide: 'yes' },
  ],
})
