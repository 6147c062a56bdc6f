import { readFileSync } from 'node:fs'
import { failure, type Json, OnceflowError, type PipelineSpec } from '@onceflow/model'
import { EndedWithError, UsageError } from '../exit-code.ts'
import { lastPart } from '../figures.ts'
import { show } from '../output.ts'
import { type Session, withSession } from '../session.ts'
import type { Terminal } from '../terminal.ts'
import type { ChangeOptions } from './pipeline.ts'
import { type Pipeline, shownPipelines } from './pipeline-view.ts'
import { waitFor } from './pipeline-wait.ts'

export interface ApplyOptions extends ChangeOptions {
  readonly file: readonly string[]
}

/**
 * Creates or updates every pipeline of the files. All files are read and checked before anything is
 * sent, and with --dry-run the cluster only checks as well.
 */
export async function apply(terminal: Terminal, options: ApplyOptions): Promise<void> {
  const specs = await specsOf(options.file)
  await withSession(terminal, options, (session) => applySpecs(session, options, specs))
}

async function applySpecs(
  session: Session,
  options: ChangeOptions,
  specs: readonly PipelineSpec[],
): Promise<void> {
  const { terminal, client } = session
  const validateOnly = options.dryRun === true
  const pipelines: Pipeline[] = []
  for (const spec of specs) {
    const pipeline = { spec: await structOf(spec) }
    const request = { pipeline, allowMissing: true, validateOnly }
    const answer = await client.call('UpdatePipeline', request)
    if (answer.pipeline !== undefined) pipelines.push(answer.pipeline)
    terminal.note(validateOnly ? `${spec.name} is valid` : `${spec.name} is applied`)
  }
  if (!validateOnly && options.wait) await waitForAll(session, pipelines, options.timeout)
  const fresh = validateOnly ? pipelines : await reread(session, pipelines)
  await show(
    terminal,
    session.format,
    shownPipelines(fresh, { pipelines: fresh }, terminal.nowMs()),
  )
}

async function waitForAll(
  session: Session,
  pipelines: readonly Pipeline[],
  timeoutMs: number,
): Promise<void> {
  const until = ['STATE_RUNNING', 'STATE_WAITING', 'STATE_PAUSED'] as const
  for (const { name, state, failure: told } of pipelines) {
    if (state === 'STATE_STOPPED') throw new EndedWithError(stillStopped(name, told))
    await waitFor(session, { name, until, timeoutMs })
  }
}

/** The answer to apply says stopped only of a pipeline that had stopped before. */
function stillStopped(name: string, told: Pipeline['failure']) {
  const cause = told === undefined ? '' : `: ${told.code}: ${told.detail}`
  return failure('PRECONDITION_FAILED', {
    detail: `${lastPart(name)} had stopped before and waits for a resume${cause}`,
    hint: `the spec is stored; onceflow pipeline resume ${lastPart(name)} runs it`,
  })
}

async function reread(
  session: Session,
  pipelines: readonly Pipeline[],
): Promise<readonly Pipeline[]> {
  const read = pipelines.map(
    async ({ name }) => (await session.client.call('GetPipeline', { name })).pipeline,
  )
  return (await Promise.all(read)).filter((one) => one !== undefined)
}

async function structOf(spec: PipelineSpec) {
  const [{ structToWire }, { specToJson }] = await Promise.all([
    import('@onceflow/rpc'),
    import('@onceflow/spec'),
  ])
  return structToWire(specToJson(spec) as { readonly [key: string]: Json })
}

/** The pipelines of all files, or SPEC_INVALID with every problem of all of them. */
export async function specsOf(files: readonly string[]): Promise<readonly PipelineSpec[]> {
  const { parsePipelineSpecs, problemText } = await import('@onceflow/spec')
  const results = files.map((file) => ({ file, result: parsePipelineSpecs(textOf(file)) }))
  const problems = results.flatMap(({ file, result }) =>
    result.kind === 'ok' ? [] : result.problems.map((one) => `  ${file}: ${problemText(one)}`),
  )
  if (problems.length > 0) {
    const detail = `${problems.length} problem(s)\n${problems.join('\n')}`
    const hint = 'docs/pipeline-spec.md has one full example; nothing was applied'
    throw new OnceflowError(failure('SPEC_INVALID', { detail, hint }))
  }
  return results.flatMap(({ result }) => (result.kind === 'ok' ? result.specs : []))
}

/** `-` is standard input. */
function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    throw new UsageError(`cannot read ${file}: ${reason}`, 'give the path of a YAML file, or -')
  }
}
