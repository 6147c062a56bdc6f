import type { AuditCheckpoint, AuditReport, AuditRequest } from '@onceflow/audit'
import {
  attempt,
  checkpointNumber,
  clusterUid,
  failure,
  OnceflowError,
  offset,
  type PipelineSpec,
  pipelineUid,
  type Secret,
  sinkName,
  subtask,
} from '@onceflow/model'
import type { CheckpointView, Journal, SourceLogFactory } from '@onceflow/ports'
import type { AdminResponse } from '@onceflow/rpc'
import { CheckFailed, EndedWithError } from '../exit-code.ts'
import { word } from '../figures.ts'
import { show } from '../output.ts'
import { type CommonOptions, everyPage, type Session, withSession } from '../session.ts'
import type { Terminal } from '../terminal.ts'
import { specsOf } from './apply.ts'
import { pipelinePath } from './pipeline.ts'
import type { Pipeline } from './pipeline-view.ts'

export interface AuditCommandOptions extends CommonOptions {
  readonly file?: string
  readonly sourceUrl?: string
  /** Nobody else writes the target tables: a row that no record speaks of is a phantom. */
  readonly exclusive?: boolean
}

/** Checkpoints whose positions and transactions are compared with the ledger. */
const wholeCheckpointsMax = 10

export const audit = (
  terminal: Terminal,
  options: AuditCommandOptions,
  name: string,
): Promise<void> =>
  withSession(terminal, options, async (session) => {
    const path = pipelinePath(name)
    const { pipeline } = await session.client.call('GetPipeline', { name: path })
    if (pipeline === undefined) return
    const spec = await specOf(pipeline, name, options.file)
    const request = await requestOf({ session, pipeline, spec, options })
    const { runAudit } = await import('@onceflow/audit')
    const report = await runAudit(request)
    await showReport(session, report)
    judge(report)
  })

/** The API shows no secrets, so that a spec that holds some must come from its file. */
async function specOf(
  pipeline: Pipeline,
  name: string,
  file: string | undefined,
): Promise<PipelineSpec> {
  if (file !== undefined) {
    const spec = (await specsOf([file])).find((one) => one.name === name)
    if (spec !== undefined) return spec
    const detail = `${file} holds no pipeline ${name}`
    throw new OnceflowError(failure('NOT_FOUND', { detail, hint: 'name the right file with -f' }))
  }
  const { specOfValue } = await import('@onceflow/spec')
  const result = specOfValue(pipeline.spec)
  if (result.kind === 'ok') return result.spec
  const [problem] = result.problems
  throw new OnceflowError(
    failure('SPEC_INVALID', {
      detail: `${problem?.path} ${problem?.text}`,
      hint: 'give the file that was applied with -f: the cluster does not show its secrets',
    }),
  )
}

interface Audited {
  readonly session: Session
  readonly pipeline: Pipeline
  readonly spec: PipelineSpec
  readonly options: AuditCommandOptions
}

async function requestOf(audited: Audited): Promise<AuditRequest> {
  const { session, pipeline, spec, options } = audited
  const { SecretStore, systemClock } = await import('onceflow')
  const secrets = new SecretStore(session.terminal.env)
  const { status } = await session.client.call('GetStatus', {})
  const pipelines = await everyPage(100_000, async (pageSize, pageToken) => {
    const page = await session.client.call('ListPipelines', { pageSize, pageToken })
    return { items: page.pipelines, next: page.nextPageToken }
  })
  return {
    spec,
    cluster: clusterUid(status?.cluster ?? ''),
    pipelineUid: pipelineUid(pipeline.uid),
    checkpoints: () => checkpointsOf(session, pipeline.name),
    sources: await sourcesOf(session.terminal, (secret) => secrets.resolve(secret)),
    resolveSecret: (secret) => secrets.resolve(secret),
    sourceDatabase: options.sourceUrl,
    knownPipelines: pipelines.map(({ uid }) => pipelineUid(uid)),
    clock: systemClock,
    progress: ({ text }) => session.terminal.note(text),
    options: { targetTables: options.exclusive === true ? 'ours' : 'shared' },
  }
}

async function sourcesOf(
  terminal: Terminal,
  resolveSecret: (secret: Secret) => string,
): Promise<readonly SourceLogFactory[]> {
  const [{ KafkaSourceFactory }, { fileSourceLogFactory }, { systemClock }] = await Promise.all([
    import('@onceflow/kafka'),
    import('@onceflow/embedded'),
    import('onceflow'),
  ])
  const journal: Journal = {
    write: (level, message) => {
      if (level === 'error' || level === 'warn') terminal.note(`${level}: ${message}`)
    },
  }
  const kafka = new KafkaSourceFactory({ clock: systemClock, journal, resolveSecret })
  return [kafka, fileSourceLogFactory]
}

type Listed = AdminResponse<'ListCheckpoints'>['checkpoints'][number]

/** Summaries of all that are kept; the newest ones whole. */
async function checkpointsOf(
  session: Session,
  parent: string,
): Promise<readonly AuditCheckpoint[]> {
  const listed = await everyPage(10_000, async (pageSize, pageToken) => {
    const page = await session.client.call('ListCheckpoints', { parent, pageSize, pageToken })
    return { items: page.checkpoints, next: page.nextPageToken }
  })
  const newest = listed.slice(0, wholeCheckpointsMax)
  const whole = await Promise.all(newest.map(({ name }) => wholeOrListed(session, name)))
  const found = whole.map((one, index) => one ?? newest[index]).filter((one) => one !== undefined)
  return [...found, ...listed.slice(wholeCheckpointsMax)].map(checkpointFrom)
}

/** One that was retired meanwhile stays as it was listed. */
async function wholeOrListed(session: Session, name: string): Promise<Listed | undefined> {
  try {
    return (await session.client.call('GetCheckpoint', { name })).checkpoint
  } catch (thrown) {
    if (thrown instanceof OnceflowError && thrown.failure.code === 'NOT_FOUND') return undefined
    throw thrown
  }
}

const checkpointFrom = (checkpoint: Listed): AuditCheckpoint => ({
  checkpoint: checkpointNumber(BigInt(checkpoint.checkpoint)),
  attempt: attempt(BigInt(checkpoint.attempt)),
  kind: word(checkpoint.kind) as CheckpointView['kind'],
  state: word(checkpoint.state) as CheckpointView['state'],
  positions: checkpoint.positions.map((position) => ({
    ...position,
    offset: offset(BigInt(position.offset)),
  })),
  transactions: checkpoint.transactions.map((transaction) => ({
    sink: sinkName(transaction.sink),
    subtask: subtask(transaction.subtask),
    kind: transaction.empty ? 'empty' : 'sealed',
  })),
})

async function showReport(session: Session, report: AuditReport): Promise<void> {
  const { terminal, format } = session
  const { renderReport, reportJson } = await import('@onceflow/audit')
  if (format === 'table' || format === 'wide') {
    terminal.data(renderReport(report).trimEnd())
    return
  }
  await show(terminal, format, {
    json: reportJson(report),
    rows: report.findings,
    columns: [],
    nameOf: ({ kind, table, key }) => [kind, table ?? '-', key ?? '-'].join(' '),
  })
}

function judge(report: AuditReport): void {
  if (report.verdict === 'violations') {
    throw new CheckFailed('the target is not what the source says: see the report')
  }
  if (report.verdict === 'clean') return
  const detail = 'nothing wrong was found, but not everything could be checked'
  throw new EndedWithError(failure('PRECONDITION_FAILED', { detail, hint: 'see above' }))
}
