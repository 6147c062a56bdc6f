import { type Failure, OnceflowError } from '@onceflow/model'
import type { FieldProblem } from './status-details.ts'

/** A refusal that names every field that is wrong, not only the first. */
export class RefusedCall extends OnceflowError {
  readonly fields: readonly FieldProblem[]

  constructor(cause: Failure, fields: readonly FieldProblem[]) {
    super(cause)
    this.fields = fields
  }
}
