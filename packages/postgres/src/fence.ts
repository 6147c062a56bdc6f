import { type Failure, failure, OnceflowError } from '@onceflow/model'
import type { TaskSinkScope } from '@onceflow/ports'
import { fenceSql } from './scope-sql.ts'
import type { Session } from './session.ts'

/** Begins a transaction whose first act is to lock the fence, and to find it ours (R6). */
export async function enterFenced(session: Session, scope: TaskSinkScope): Promise<void> {
  const results = await session.must(
    `BEGIN ISOLATION LEVEL READ COMMITTED;\n${fenceSql(scope)}`,
    'reading the fence',
  )
  requireFence(scope, results[1]?.rows[0]?.[0] ?? undefined)
}

/** A writer's fence is exactly its own attempt; no row means that nobody may write. */
export function requireFence(scope: TaskSinkScope, found: string | undefined): void {
  if (found === scope.attempt.toString()) return
  throw new OnceflowError(fencedBy(scope, found))
}

const fencedBy = (scope: TaskSinkScope, found: string | undefined): Failure =>
  failure('FENCED', {
    detail: `sink ${scope.sink} is fenced at attempt ${found ?? 'none'}, ours is ${scope.attempt}`,
  })
