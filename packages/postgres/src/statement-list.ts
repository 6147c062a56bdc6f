import { type Failure, failure, OnceflowError } from '@onceflow/model'
import type { CopySource } from './batch.ts'
import type { BatchOutcome, Session } from './session.ts'

/** One statement of a batch, with what must be true of it afterwards. */
export interface Statement {
  readonly sql: string
  /** For COPY FROM STDIN; called when the statement runs, so that a batch can be run again. */
  readonly source?: () => CopySource
  /** Rows that the statement must touch; its tag ends with the number. */
  readonly rows?: number
  /** What it means when it touched another number. */
  readonly otherwise?: (found: number) => Failure
}

/** Runs them as one batch and checks every count. */
export async function runStatements(
  session: Session,
  statements: readonly Statement[],
): Promise<BatchOutcome> {
  if (statements.length === 0) return { kind: 'ok', results: [] }
  const sources = statements.flatMap(({ source }) => (source === undefined ? [] : [source()]))
  const outcome = await session.run(statements.map(({ sql }) => sql).join(';\n'), sources)
  if (outcome.kind !== 'ok') return outcome
  for (const [index, statement] of statements.entries()) {
    const found = countOf(outcome.results[index]?.tag ?? '')
    if (statement.rows === undefined || found === statement.rows) continue
    throw new OnceflowError(
      statement.otherwise?.(found) ??
        failure('SINK_CONFLICT', {
          detail: `a statement touched ${found} rows instead of ${statement.rows}`,
        }),
    )
  }
  return outcome
}

/** The number at the end of a command tag: `INSERT 0 5`, `DELETE 5`, `COPY 5`; -1 without one. */
export function countOf(tag: string): number {
  const match = / (\d+)$/.exec(tag)
  return match?.[1] === undefined ? -1 : Number(match[1])
}
