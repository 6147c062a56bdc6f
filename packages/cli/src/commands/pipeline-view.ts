import type { AdminResponse } from '@onceflow/rpc'
import { ageText, countText, lastPart, lengthText, word } from '../figures.ts'
import type { Shown } from '../output.ts'
import type { Column } from '../table.ts'

export type Pipeline = NonNullable<AdminResponse<'GetPipeline'>['pipeline']>

export const behindText = (flow: Pipeline['flow']): string =>
  flow?.freshnessMs === undefined ? '-' : lengthText(Number(flow.freshnessMs))

/** How a pipeline gets on: the same columns wherever pipelines are listed. */
export const flowColumns: readonly Column<Pick<Pipeline, 'flow' | 'lastCheckpoint'>>[] = [
  {
    title: 'RECORDS/S',
    of: ({ flow }) => countText(flow?.recordsPerSecond ?? 0),
    align: 'right',
  },
  { title: 'LAG', of: ({ flow }) => countText(flow?.lagRecords ?? '0'), align: 'right' },
  { title: 'BEHIND', of: ({ flow }) => behindText(flow), align: 'right' },
  {
    title: 'CHECKPOINT',
    of: ({ lastCheckpoint }) => lastCheckpoint?.checkpoint ?? '-',
    align: 'right',
  },
]

const pipelineColumns = (nowMs: number): readonly Column<Pipeline>[] => [
  { title: 'NAME', of: ({ name }) => lastPart(name) },
  { title: 'STATE', of: ({ state }) => word(state) },
  { title: 'TASKS', of: ({ tasks }) => `${tasks}`, align: 'right' },
  ...flowColumns,
  {
    title: 'COMMITTED',
    of: ({ lastCheckpoint }) => ageText(lastCheckpoint?.decideTime, nowMs),
    align: 'right',
  },
  { title: 'ATTEMPT', of: ({ attempt }) => attempt, align: 'right', wide: 'yes' },
  { title: 'RESTARTS', of: ({ restarts }) => `${restarts}`, align: 'right', wide: 'yes' },
  { title: 'AGE', of: ({ createTime }) => ageText(createTime, nowMs), align: 'right', wide: 'yes' },
  { title: 'UID', of: ({ uid }) => uid, wide: 'yes' },
  {
    title: 'GUARANTEE',
    of: ({ claims }) => claims.map(({ sink, guarantee }) => `${sink}:${guarantee}`).join(','),
    wide: 'yes',
  },
  {
    title: 'REASON',
    of: ({ failure }) => (failure === undefined ? '' : `${failure.code}: ${failure.detail}`),
  },
]

export const shownPipelines = (
  pipelines: readonly Pipeline[],
  json: unknown,
  nowMs: number,
): Shown<Pipeline> => ({
  json,
  rows: pipelines,
  columns: pipelineColumns(nowMs),
  nameOf: ({ name }) => name,
})
