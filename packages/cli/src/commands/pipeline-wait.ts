import { failure, OnceflowError } from '@onceflow/model'
import { EndedWithError } from '../exit-code.ts'
import { lastPart, lengthText, word } from '../figures.ts'
import type { Session } from '../session.ts'
import type { Pipeline } from './pipeline-view.ts'

export type State = Pipeline['state']

export interface Wait {
  readonly name: string
  /** Any of these ends the wait; 'gone': the pipeline does not exist any more. */
  readonly until: readonly (State | 'gone')[]
  readonly timeoutMs: number
}

const pollMs = 200

/**
 * Waits until a pipeline is where it was sent. A pipeline that stops on its way ends the wait with
 * its failure; Ctrl-C ends only the waiting.
 */
export async function waitFor(session: Session, wait: Wait): Promise<void> {
  const started = session.terminal.nowMs()
  let told: State | undefined
  for (;;) {
    const pipeline = await pipelineOrGone(session, wait.name)
    const state = pipeline?.state ?? 'gone'
    if (wait.until.includes(state)) return
    if (pipeline === undefined) return
    if (state === 'STATE_STOPPED') throw new EndedWithError(failureOfPipeline(pipeline))
    if (told !== pipeline.state) {
      session.terminal.note(`${lastPart(wait.name)} is ${word(pipeline.state)} ...`)
      told = pipeline.state
    }
    if (session.terminal.nowMs() - started > wait.timeoutMs) throw tooLong(wait, pipeline)
    await session.terminal.wait(pollMs)
  }
}

async function pipelineOrGone(session: Session, name: string): Promise<Pipeline | undefined> {
  try {
    return (await session.client.call('GetPipeline', { name })).pipeline
  } catch (thrown) {
    if (thrown instanceof OnceflowError && thrown.failure.code === 'NOT_FOUND') return undefined
    throw thrown
  }
}

const failureOfPipeline = (pipeline: Pipeline) => {
  const detail = `${lastPart(pipeline.name)} has stopped`
  const hint = 'look at it with pipeline get'
  const told = pipeline.failure
  if (told === undefined) return failure('TASK_FAILED', { detail, hint })
  return failure('TASK_FAILED', {
    detail: `${detail}: ${told.code}: ${told.detail}`,
    hint: told.hint,
  })
}

const tooLong = (wait: Wait, pipeline: Pipeline) =>
  new OnceflowError(
    failure('COORDINATOR_UNREACHABLE', {
      detail:
        `${lastPart(wait.name)} is still ${word(pipeline.state)} ` +
        `after ${lengthText(wait.timeoutMs)}`,
      hint: 'it goes on by itself: look at it with pipeline get, or wait longer with --timeout',
    }),
  )
