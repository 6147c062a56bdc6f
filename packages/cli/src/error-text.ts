import { type Failure, OnceflowError } from '@onceflow/model'
import { CheckFailed, EndedWithError, UsageError } from './exit-code.ts'

/** `CODE: detail`, every field that is wrong on a line of its own, and a hint. */
export function errorText(thrown: unknown): string {
  if (thrown instanceof UsageError) return lines(`usage: ${thrown.message}`, thrown.hint)
  if (thrown instanceof CheckFailed) return `check failed: ${thrown.message}`
  if (thrown instanceof EndedWithError) return failureLines(thrown.failure, [])
  if (thrown instanceof OnceflowError) return failureLines(thrown.failure, fieldsOf(thrown))
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  return lines(`UNEXPECTED: ${text}`, 'this is a defect of onceflow: please report it')
}

interface FieldProblem {
  readonly field: string
  readonly description: string
}

// Of a RefusedCall, which is not imported here: it would load gRPC for every error.
const fieldsOf = (thrown: OnceflowError): readonly FieldProblem[] =>
  'fields' in thrown ? (thrown.fields as readonly FieldProblem[]) : []

function failureLines(failure: Failure, fields: readonly FieldProblem[]): string {
  const place = failure.position
  const at = place === undefined ? '' : ` at ${place.topic}/${place.partition}@${place.offset}`
  const head =
    fields.length > 1
      ? [
          `${failure.code}: ${fields.length} problems`,
          ...fields.map(({ field, description }) => `  ${field} ${description}`),
        ].join('\n')
      : `${failure.code}: ${failure.detail}${at}`
  return lines(head, failure.hint)
}

const lines = (head: string, hint: string): string =>
  hint === '' ? head : `${head}\nhint: ${hint}`
