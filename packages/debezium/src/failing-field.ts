import { OnceflowError } from '@onceflow/model'

/** The same failure with the name of the field that it is about, unless it has one. */
export function withField(thrown: unknown, field: string): unknown {
  if (!(thrown instanceof OnceflowError) || thrown.failure.field !== undefined) return thrown
  return new OnceflowError({ ...thrown.failure, field })
}
