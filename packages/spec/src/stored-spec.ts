import { fail, type Json, type PipelineSpec } from '@onceflow/model'
import { documentOfSpec } from './document-of-spec.ts'
import { pipelineDocument } from './pipeline-document.ts'
import { specOfValue } from './pipeline-text.ts'
import { problemText } from './problem.ts'
import { specOfDocument } from './spec-of-document.ts'

/** Of the form in which a spec is stored and sent: that of its document. */
export const specVersion = 1

/** The document with every default written out, secrets included: for the store and for workers. */
export const specToJson = (spec: PipelineSpec): Json => documentOfSpec(spec, 'whole')

/** The same with every inline secret replaced: for every output. */
export const redactSpec = (spec: PipelineSpec): Json => documentOfSpec(spec, 'redacted')

/**
 * Reads what specToJson gave. Only its shape is checked: rules may grow stricter after a spec was
 * stored, and a stored pipeline must still be readable. Throws METADATA_FORMAT.
 */
export function specFromJson(version: number, json: Json): PipelineSpec {
  if (version !== specVersion) {
    return fail('METADATA_FORMAT', { detail: `a pipeline spec has the unknown version ${version}` })
  }
  const result = pipelineDocument.safeParse(json)
  if (result.success) return specOfDocument(result.data)
  const checked = specOfValue(json)
  const problems = checked.kind === 'invalid' ? checked.problems.map(problemText) : []
  return fail('METADATA_FORMAT', { detail: `a stored spec is invalid: ${problems.join('; ')}` })
}
