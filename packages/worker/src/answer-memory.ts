import type { PipelineUid } from '@onceflow/model'
import type { WorkerMessage } from '@onceflow/ports'

type Answer = Extract<
  WorkerMessage,
  { kind: 'inspected' | 'resolve-committed' | 'resolve-aborted' | 'tasks-ended' }
>

/**
 * Answers that a leader may not have got: a message can be lost with its stream. They are said
 * again on the next stream; a leader takes each of them twice. At most one of each kind is kept for
 * a pipeline.
 */
export class AnswerMemory {
  readonly #answers = new Map<PipelineUid, Map<Answer['kind'], Answer>>()

  keep(answer: Answer): void {
    const kept = this.#answers.get(answer.pipeline) ?? new Map<Answer['kind'], Answer>()
    this.#answers.set(answer.pipeline, kept.set(answer.kind, answer))
  }

  /** The leader has gone on with this pipeline, so it knows. */
  forget(pipeline: PipelineUid): void {
    this.#answers.delete(pipeline)
  }

  all(): readonly Answer[] {
    return [...this.#answers.values()].flatMap((kept) => [...kept.values()])
  }
}
