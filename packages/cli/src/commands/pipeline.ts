import { failure, isName, OnceflowError } from '@onceflow/model'
import { UsageError } from '../exit-code.ts'
import { countText, lastPart, word } from '../figures.ts'
import { show } from '../output.ts'
import { type CommonOptions, everyPage, type Session, withSession } from '../session.ts'
import { printable } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { behindText, type Pipeline, shownPipelines } from './pipeline-view.ts'
import { type State, waitFor } from './pipeline-wait.ts'

export interface LimitOptions extends CommonOptions {
  readonly limit: number
}

export interface ChangeOptions extends CommonOptions {
  readonly dryRun?: boolean
  /** false: --no-wait. */
  readonly wait: boolean
  readonly timeout: number
  readonly yes?: boolean
}

export const pipelinePath = (name: string): string => {
  if (isName(name)) return `pipelines/${name}`
  throw new UsageError(`${name} is not a pipeline name`, 'lower-case letters, digits and -')
}

export const list = (terminal: Terminal, options: LimitOptions): Promise<void> =>
  withSession(terminal, options, async (session) => {
    const pipelines = await everyPage(options.limit, async (pageSize, pageToken) => {
      const page = await session.client.call('ListPipelines', { pageSize, pageToken })
      return { items: page.pipelines, next: page.nextPageToken }
    })
    const shown = shownPipelines(pipelines, { pipelines }, terminal.nowMs())
    await show(terminal, session.format, shown)
  })

export const get = (terminal: Terminal, options: CommonOptions, name: string): Promise<void> =>
  withSession(terminal, options, async (session) => {
    const { pipeline } = await session.client.call('GetPipeline', { name: pipelinePath(name) })
    await showPipeline(session, pipeline)
  })

export async function showPipeline(
  session: Session,
  pipeline: Pipeline | undefined,
): Promise<void> {
  if (pipeline === undefined) return
  const shown = shownPipelines([pipeline], pipeline, session.terminal.nowMs())
  await show(session.terminal, session.format, shown)
}

export const pause = (terminal: Terminal, options: ChangeOptions, name: string): Promise<void> =>
  change({ terminal, options, name }, 'PausePipeline', ['STATE_PAUSED'])

export const resume = (terminal: Terminal, options: ChangeOptions, name: string): Promise<void> =>
  change({ terminal, options, name }, 'ResumePipeline', ['STATE_RUNNING', 'STATE_WAITING'])

interface Asked {
  readonly terminal: Terminal
  readonly options: ChangeOptions
  readonly name: string
}

async function change(
  asked: Asked,
  method: 'PausePipeline' | 'ResumePipeline',
  until: readonly State[],
): Promise<void> {
  const { terminal, options } = asked
  await withSession(terminal, options, async (session) => {
    const name = pipelinePath(asked.name)
    const validateOnly = options.dryRun === true
    let { pipeline } = await session.client.call(method, { name, validateOnly })
    if (!validateOnly && options.wait) {
      await waitFor(session, { name, until, timeoutMs: options.timeout })
      pipeline = (await session.client.call('GetPipeline', { name })).pipeline
    }
    await showPipeline(session, pipeline)
  })
}

export const remove = (terminal: Terminal, options: ChangeOptions, name: string): Promise<void> =>
  withSession(terminal, options, async (session) => {
    const path = pipelinePath(name)
    const validateOnly = options.dryRun === true
    if (!validateOnly) await confirmDelete(terminal, options, name)
    const { pipeline } = await session.client.call('DeletePipeline', { name: path, validateOnly })
    if (!validateOnly && options.wait) {
      await waitFor(session, { name: path, until: ['gone'], timeoutMs: options.timeout })
    }
    terminal.note(validateOnly ? `${name} can be deleted` : `${name} is deleted`)
    if (session.format === 'json' || session.format === 'yaml') {
      await showPipeline(session, pipeline)
    }
  })

async function confirmDelete(
  terminal: Terminal,
  options: ChangeOptions,
  name: string,
): Promise<void> {
  if (options.yes === true) return
  const hint = '--yes deletes without asking; target tables keep their rows'
  if (terminal.isTty === 'no') throw new UsageError('delete needs --yes without a terminal', hint)
  const typed = await terminal.ask(
    `This ends pipeline ${name} and forgets its positions; target tables keep their rows.\n` +
      'Type its name to delete it: ',
  )
  if (typed.trim() === name) return
  const detail = 'the name that was typed is another one; nothing is deleted'
  throw new OnceflowError(failure('PRECONDITION_FAILED', { detail, hint }))
}

const watchPollMs = 500

/** One line for each change of state or checkpoint, until Ctrl-C or until the pipeline is gone. */
export const watch = (terminal: Terminal, options: CommonOptions, name: string): Promise<void> =>
  withSession(terminal, options, async (session) => {
    const path = pipelinePath(name)
    const stop = terminal.stopped().then(() => 'stop' as const)
    let before = ''
    for (;;) {
      const { pipeline } = await session.client.call('GetPipeline', { name: path })
      if (pipeline !== undefined) {
        const now = `${pipeline.etag} ${pipeline.state} ${pipeline.lastCheckpoint?.checkpoint}`
        if (now !== before) terminal.data(watchLine(session, pipeline))
        before = now
      }
      const next = await Promise.race([stop, terminal.wait(watchPollMs)])
      if (next === 'stop') return
    }
  })

function watchLine(session: Session, pipeline: Pipeline): string {
  if (session.format === 'json') return JSON.stringify(pipeline)
  const time = new Date(session.terminal.nowMs()).toISOString().slice(11, 19)
  const { flow, failure: told, lastCheckpoint } = pipeline
  const parts = [
    time,
    lastPart(pipeline.name),
    word(pipeline.state),
    `checkpoint ${lastCheckpoint?.checkpoint ?? '-'}`,
    `lag ${countText(flow?.lagRecords ?? '0')}`,
    `behind ${behindText(flow)}`,
    ...(told === undefined ? [] : [`${told.code}: ${told.detail}`]),
  ]
  return printable(parts.join('  '))
}
